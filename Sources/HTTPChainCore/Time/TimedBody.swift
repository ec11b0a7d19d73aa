import Foundation

extension TransferTimer {
    /// Returns a response's body whose reads are subject to the limits, each run by ``run(_:)``.
    ///
    /// A body that is replayable or empty, or to which the limits don't apply, is returned unchanged. Time during which
    /// the body isn't being read doesn't count.
    package func keep(_ body: HTTPBody) -> HTTPBody {
        if body.isReplayable || body.isEmpty || !limitsBody { return body }
        return .once(length: body.length) { TimedReader(timer: self, source: TimedSource(body), length: body.length) }
            .keepingDeadline(callDeadline)
    }
}

/// Reads chunks one by one, each with the next deadline as its limit.
private struct TimedReader: BodyReader {
    let timer: TransferTimer
    private var source: TimedSource?
    /// The number of bytes left of a declared length.
    private var remaining: Int64?
    /// The result after the last of the declared bytes, if it was read with them.
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
                // The end is read with the last byte, because waiting for it separately would need another task.
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
            // Nothing more is read, and dropping the source ends any transfer behind the body.
            self.source = nil
            failure = error
            throw error
        } catch {
            timer.received(0)
            throw error
        }
    }

    /// The result of one task.
    private struct Part: Sendable {
        var chunk: Data?
        var next: Result<Data?, any Error>?
    }
}

/// Passes a reader to the task of each read.
///
/// It needs no actor or lock, because each of those tasks is awaited before the next one starts. An actor would force a
/// task that started on its caller's thread to switch threads, even for a part that is already available.
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
