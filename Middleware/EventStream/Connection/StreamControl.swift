import HTTPChainCore

/// The state that a stream's reader shares with the code that controls it: the stream's state, the pending
/// interruption, and the connection.
final class StreamControl: Sendable {
    /// A reason to interrupt the reader.
    enum Interruption: Sendable, Hashable {
        case closed
        case paused
        case restarted
    }

    private struct Guarded: Sendable {
        var state = EventStreamState.idle
        var interruption: Interruption?
        var source: StreamSource?
        /// Cancels the operation that the reader is waiting for.
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

    // MARK: For the code that controls the stream

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
            // Not synchronously, because the lock may already be held.
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
            // A paused stream stays paused, and a stream that wasn't opened has nothing to restart.
            if guarded.interruption != .paused, !guarded.state.isIdle { guarded.interruption = .restarted }
        }
    }

    func resume() {
        guarded.update { guarded in
            if guarded.interruption == .paused { guarded.interruption = .restarted }
        }
    }

    /// Ends the stream, with an error if it failed.
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
        // Dropped outside the lock, because this closes the connection.
        _ = consume source
        for observer in observers { observer.finish() }
    }

    // MARK: For the reader

    /// The pending interruption; nil if there is none.
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

    /// Keeps the connection, or drops it immediately if an interruption is pending.
    func hold(_ source: StreamSource) {
        guarded.update { guarded in
            if guarded.interruption == nil { guarded.source = source }
        }
    }

    /// The source of events; nil if there is no connection.
    var source: StreamSource? { guarded.read(\.source) }

    func dropSource() {
        let source = guarded.update { guarded in
            defer { guarded.source = nil }
            return guarded.source
        }
        _ = consume source
    }

    /// Records that the reader restarts.
    func restarted() {
        guarded.update { guarded in
            if guarded.interruption == .restarted { guarded.interruption = nil }
        }
    }

    /// Waits until the stream is no longer paused.
    func waitWhilePaused() async throws {
        try await guarded.wait { $0.interruption == .paused ? nil : () }
    }

    /// Sets the closure that cancels the reader's next operation.
    ///
    /// - Returns: Whether the operation may begin.
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
