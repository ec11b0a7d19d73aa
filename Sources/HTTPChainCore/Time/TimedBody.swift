import Foundation

extension TransferTimer {
    /// A response's body whose reading is held to the limits, each read by ``run(_:)``.
    ///
    /// A body that can be read again has no transfer behind it, and one without content has nothing to wait for: they
    /// stay what they are. Nothing waits for a body that nobody reads.
    public func keep(_ body: HTTPBody) -> HTTPBody {
        if body.isReplayable || body.isEmpty || !limitsBody { return body }
        return .once(length: body.length) { TimedReader(timer: self, source: TimedSource(body), length: body.length) }
            .keepingDeadline(callDeadline)
    }
}

/// Reads one chunk after the other, up to the deadline that is next.
private struct TimedReader: BodyReader {
    let timer: TransferTimer
    private var source: TimedSource?
    /// The bytes that are to come of a declared length.
    private var remaining: Int64?
    /// What came behind the last of those bytes and was read with them.
    private var next: Result<Data?, any Error>?
    private var failure: TimeoutError?

    init(timer: TransferTimer, source: TimedSource, length: Int64?) {
        self.timer = timer
        self.source = source
        remaining = length
    }

    nonisolated(nonsending) mutating func read() async throws -> Data? {
        if let failure { throw failure }
        if let next = next.take() { return try next.get() }
        guard let source else { return nil }
        timer.awaitsBody()
        do {
            let part = try await timer.run { [timer, remaining] in
                let chunk = try await source.read()
                timer.received(chunk?.count ?? 0)
                guard let chunk, let remaining, chunk.count >= remaining else { return Part(chunk: chunk) }
                // The end comes with the last byte; to wait for it by itself takes another task.
                timer.awaitsBody()
                do {
                    let next = try await source.read()
                    timer.received(next?.count ?? 0)
                    return Part(chunk: chunk, next: .success(next))
                } catch {
                    timer.received(0)
                    return Part(chunk: chunk, next: .failure(error))
                }
            }
            next = part.next
            if let count = part.chunk?.count { remaining = remaining.map { $0 - Int64(count) } }
            return part.chunk
        } catch let error as TimeoutError {
            // Nothing more is read, and a transfer behind the body ends.
            self.source = nil
            failure = error
            throw error
        } catch {
            timer.received(0)
            throw error
        }
    }

    /// What one task reads.
    private struct Part: Sendable {
        var chunk: Data?
        var next: Result<Data?, any Error>?
    }
}

/// Lends a reader to the task of each read.
///
/// No actor and no lock: each of those tasks is awaited before the next one begins. On the way to an actor a task that
/// began on the thread of its caller would change threads, also for a part that is there already.
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
