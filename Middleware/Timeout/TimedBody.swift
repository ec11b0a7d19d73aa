import Foundation
import HTTPChainCore
import HTTPTypes

/// What a response's body is held to while it is read.
final class BodyTimer: Sendable {
    /// The deadline of the whole call.
    let call: Deadline?
    /// That of the attempt, where it covers the body.
    let attempt: Deadline?
    /// How long the server may be silent while somebody waits for a chunk.
    let idle: Duration?
    let scheduler: DeadlineScheduler
    private let request: HTTPRequest
    private let response: HTTPResponse
    private let number: Int?

    init(
        call: Deadline?,
        attempt: Deadline? = nil,
        idle: Duration? = nil,
        scheduler: DeadlineScheduler,
        request: HTTPRequest,
        response: Response,
        number: Int? = nil
    ) {
        self.call = call
        self.attempt = attempt
        self.idle = idle
        self.scheduler = scheduler
        self.request = response.request ?? request
        self.response = response.head
        self.number = number
    }

    /// What a read that begins now is held to.
    func deadline(at now: Duration) -> Deadline? {
        .first(call, attempt, idle.map { Deadline(.idle, limit: $0, start: now) })
    }

    func error(_ deadline: Deadline, received: Int64) -> TimeoutError {
        TimeoutError(
            deadline,
            at: scheduler.time.elapsed,
            progress: .readingBody(received: received),
            attempt: number,
            exchange: ExchangeSnapshot(request, response: response)
        )
    }

    /// The same body, held to the deadlines.
    ///
    /// A body that can be read again has no transfer behind it, and one without content nothing to wait for: they stay
    /// what they are.
    func watch(_ body: HTTPBody) -> HTTPBody {
        if body.isReplayable || body.isEmpty { return body }
        return .once(length: body.length) { TimedReader(timer: self, source: TimedSource(body)) }
    }
}

/// Reads one chunk after the other in a child task, up to the deadline that is next.
private struct TimedReader: BodyReader {
    let timer: BodyTimer
    private var source: TimedSource?
    private var received: Int64 = 0
    private var failure: TimeoutError?

    init(timer: BodyTimer, source: TimedSource) {
        self.timer = timer
        self.source = source
    }

    nonisolated(nonsending) mutating func read() async throws -> Data? {
        if let failure { throw failure }
        guard let source else { return nil }
        let scheduler = timer.scheduler
        let now = scheduler.time.elapsed
        guard let deadline = timer.deadline(at: now) else { return try await source.read() }
        if deadline.isOver(at: now) {
            try Task.checkCancellation()
            throw giveUp(timer.error(deadline, received: received))
        }
        do {
            let chunk = try await scheduler.run(
                scheduler.open(),
                until: deadline.instant,
                orThrow: { [timer, received] _ in timer.error(deadline, received: received) },
                { try await source.read() }
            )
            received += Int64(chunk?.count ?? 0)
            return chunk
        } catch let error as TimeoutError {
            throw giveUp(error)
        }
    }

    /// Nothing more is read, and a transfer behind the body ends.
    private mutating func giveUp(_ error: TimeoutError) -> TimeoutError {
        source = nil
        failure = error
        return error
    }
}

/// Lends a reader to the child task of each read.
private actor TimedSource {
    private enum State {
        case unopened(HTTPBody)
        case open(any BodyReader)
        case taken
    }
    private var state: State

    init(_ body: HTTPBody) {
        state = .unopened(body)
    }

    func read() async throws -> Data? {
        let taken = state
        state = .taken
        var reader: any BodyReader
        switch taken {
        case .unopened(let body): reader = try await body.makeReader()
        case .open(let open): reader = open
        case .taken: return nil
        }
        defer { state = .open(reader) }
        return try await reader.read()
    }
}
