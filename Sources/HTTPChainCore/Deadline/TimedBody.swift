import Foundation

extension TransferTimer {
    /// Returns a response's body whose reads are subject to the limits; each read is run by ``run(_:)``.
    ///
    /// A body that is replayable or empty, or to which the limits don't apply, is returned unchanged. Time during which
    /// the body isn't being read doesn't count.
    package func keep(_ body: HTTPBody) -> HTTPBody {
        if body.isReplayable || body.isEmpty || !limitsBody { return body }
        return .once(length: body.length) { TimedReader(timer: self, source: TimedSource(body)) }
            .keepingDeadline(callDeadline)
    }
}

extension TransferTimer {
    /// Returns a response's body whose reads are subject to the limits; each read runs in the caller's task.
    ///
    /// This costs less than ``keep(_:)``, which runs each read in a separate task. It is for transports whose transfer
    /// can be ended from any thread, and for the system's clock.
    ///
    /// - Parameter end: Called at most once, when time is up during a read, on any thread. It ends the transfer, so that
    ///   the read returns or throws.
    package func keep(_ body: HTTPBody, end: @escaping @Sendable (TimeoutError) -> Void) -> HTTPBody {
        if body.isReplayable || body.isEmpty || !limitsBody { return body }
        return .once(length: body.length) { WatchedReader(timer: self, reader: try await body.makeReader(), end: end) }
            .keepingDeadline(callDeadline)
    }
}

/// Reads chunks in the task of its caller, while the timer watches.
private struct WatchedReader: BodyReader {
    let timer: TransferTimer
    /// Nil at the end, and after a timeout: dropping the reader ends any transfer behind it.
    private var reader: (any BodyReader)?

    init(timer: TransferTimer, reader: any BodyReader, end: @escaping @Sendable (TimeoutError) -> Void) {
        self.timer = timer
        self.reader = reader
        timer.start(onExpiry: end)
    }

    nonisolated(nonsending) mutating func read() async throws -> Data? {
        guard reader != nil else {
            if let failure = timer.failure { throw failure }
            return nil
        }
        do {
            try timer.beginRead()
            let chunk = try await reader?.read()
            timer.received(chunk?.count ?? 0)
            if let failure = timer.failure { throw failure }
            if chunk == nil {
                timer.end()
                reader = nil
            }
            return chunk
        } catch {
            timer.received(0)
            guard let failure = timer.failure else { throw error }
            reader = nil
            try Task.checkCancellation()
            throw failure
        }
    }
}

/// Reads chunks one by one, each until the next deadline.
private struct TimedReader: BodyReader {
    let timer: TransferTimer
    private var source: TimedSource?
    private var failure: TimeoutError?

    init(timer: TransferTimer, source: TimedSource) {
        self.timer = timer
        self.source = source
    }

    nonisolated(nonsending) mutating func read() async throws -> Data? {
        if let failure { throw failure }
        guard let source else { return nil }
        timer.awaitsBody()
        do {
            return try await timer.run { [timer] in
                let chunk = try await source.read()
                timer.received(chunk?.count ?? 0)
                return chunk
            }
        } catch let error as TimeoutError {
            // Nothing more is read, and dropping the source ends any transfer behind the body.
            self.source = nil
            failure = error
            throw error
        } catch {
            timer.received(0)
            throw error
        }
    }
}

/// Passes a reader to the task that performs each read.
///
/// It needs no actor or lock, because each of those tasks is awaited before the next one starts. With an actor, a task
/// that started on its caller's thread would have to switch threads even for a chunk that is already available.
private final class TimedSource: Sendable {
    private enum State {
        case unopened(HTTPBody)
        case open(any BodyReader)
        case taken
    }
    nonisolated(unsafe) private var state: State

    init(_ body: HTTPBody) {
        state = .unopened(body)
    }

    nonisolated(nonsending) func read() async throws -> Data? {
        let taken = state
        state = .taken
        var reader: any BodyReader
        switch consume taken {
        case .unopened(let body): reader = try await body.makeReader()
        case .open(let open): reader = open
        case .taken: return nil
        }
        defer { state = .open(reader) }
        return try await reader.read()
    }
}
