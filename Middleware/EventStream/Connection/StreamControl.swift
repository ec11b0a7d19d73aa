import HTTPChainCore

/// The state that the reader of a stream shares with those who steer it: the state, what is to happen next, and the
/// connection.
final class StreamControl: Sendable {
    /// A reason to stop what the reader is doing.
    enum Interruption: Sendable, Hashable {
        case closed
        case paused
        case restarted
    }

    private struct Guarded: Sendable {
        var state = EventStreamState.idle
        var interruption: Interruption?
        var source: StreamSource?
        /// Ends what the reader waits for.
        var cancel: (@Sendable () -> Void)?
        var observers: [Int: AsyncStream<EventStreamState>.Continuation] = [:]
        var lastObserver = 0
        var lastEventID: String?
        var isClosed = false
    }

    private let guarded: Watched<Guarded>

    init(lastEventID: String?) {
        var guarded = Guarded()
        guarded.lastEventID = lastEventID
        self.guarded = Watched(guarded)
    }

    // MARK: For those who steer

    var state: EventStreamState { guarded.read(\.state) }

    var lastEventID: String? { guarded.read(\.lastEventID) }

    func states() -> AsyncStream<EventStreamState> {
        let (stream, continuation) = AsyncStream.makeStream(
            of: EventStreamState.self,
            bufferingPolicy: .bufferingNewest(64)
        )
        let id = guarded.update { guarded -> Int in
            guarded.lastObserver += 1
            continuation.yield(guarded.state)
            if guarded.isClosed {
                continuation.finish()
            } else {
                guarded.observers[guarded.lastObserver] = continuation
            }
            return guarded.lastObserver
        }
        continuation.onTermination = { [weak self] _ in
            // Not from here, where the lock may be held that the change takes.
            self?.removeObserver(id)
        }
        return stream
    }

    private func removeObserver(_ id: Int) {
        _ = guarded.update { $0.observers.removeValue(forKey: id) }
    }

    func pause() {
        interrupt(.paused) { guarded in
            guarded.interruption = .paused
            Self.set(.paused, in: &guarded)
        }
    }

    func restart() {
        interrupt(.restarted) { guarded in
            // A stream that is paused stays so, and one that was not opened has nothing to restart.
            if guarded.interruption != .paused, !guarded.state.isIdle { guarded.interruption = .restarted }
        }
    }

    func resume() {
        guarded.update { guarded in
            if guarded.interruption == .paused { guarded.interruption = .restarted }
        }
    }

    /// Ends the stream; what it failed with is told once.
    func close(_ error: (any Error)?) {
        interrupt(.closed) { guarded in
            guarded.isClosed = true
            guarded.interruption = .closed
            Self.set(.closed(error), in: &guarded)
        }
    }

    private func interrupt(_ kind: Interruption, _ change: (inout Guarded) -> Void) {
        let (source, cancel, observers) = guarded.update {
            guarded -> (StreamSource?, (@Sendable () -> Void)?, [AsyncStream<EventStreamState>.Continuation]) in
            guard !guarded.isClosed else { return (nil, nil, []) }
            change(&guarded)
            guard guarded.interruption == kind else { return (nil, nil, []) }
            defer {
                guarded.source = nil
                guarded.cancel = nil
            }
            guard guarded.isClosed else { return (guarded.source, guarded.cancel, []) }
            defer { guarded.observers = [:] }
            return (guarded.source, guarded.cancel, Array(guarded.observers.values))
        }
        cancel?()
        // Dropped here, outside of the lock, which closes the connection.
        _ = consume source
        for observer in observers { observer.finish() }
    }

    // MARK: For the reader

    /// The interruption that is pending; nil for nothing.
    var interruption: Interruption? { guarded.read(\.interruption) }

    func set(_ state: EventStreamState) {
        guarded.update { guarded in
            if !guarded.isClosed { Self.set(state, in: &guarded) }
        }
    }

    private static func set(_ state: EventStreamState, in guarded: inout Guarded) {
        guarded.state = state
        for observer in guarded.observers.values { observer.yield(state) }
    }

    func delivered(_ lastEventID: String?) {
        guarded.update { $0.lastEventID = lastEventID }
    }

    /// Takes the connection; it goes at once when something is to happen first.
    func hold(_ source: StreamSource) {
        guarded.update { guarded in
            if guarded.interruption == nil { guarded.source = source }
        }
    }

    /// Where events are read; nil when there is no connection.
    var source: StreamSource? { guarded.read(\.source) }

    func dropSource() {
        let source = guarded.update { guarded in
            defer { guarded.source = nil }
            return guarded.source
        }
        _ = consume source
    }

    /// Takes note that the reader restarts.
    func restarted() {
        guarded.update { guarded in
            if guarded.interruption == .restarted { guarded.interruption = nil }
        }
    }

    /// Waits until the stream is not paused any more.
    func waitWhilePaused() async throws {
        try await guarded.wait { $0.interruption == .paused ? nil : () }
    }

    /// Says how to end what the reader begins to wait for.
    ///
    /// - Returns: Whether it may begin.
    func begin(_ cancel: @escaping @Sendable () -> Void) -> Bool {
        guarded.update { guarded in
            guard guarded.interruption == nil else { return false }
            guarded.cancel = cancel
            return true
        }
    }

    func end() {
        guarded.update { $0.cancel = nil }
    }
}

extension EventStreamState {
    fileprivate var isIdle: Bool {
        if case .idle = self { true } else { false }
    }
}
