import HTTPChainCore
import HTTPChainSupport
import HTTPTypes

/// Reads a stream for its single reader: opens the connection, reads it, and reopens it when it is lost.
///
/// The connection is closed when this object is released.
final class StreamReader {
    private enum Step {
        case open
        case read(any StreamParser)
        case wait(Duration, after: any Error)
        /// The events already read are still delivered, followed by the error.
        case ending((any Error)?)
        case ended
    }

    private let run: StreamRun
    private var step = Step.open
    private var items: [StreamItem] = []
    /// The number of items delivered so far.
    private var taken = 0
    private var reconnection: Reconnection
    private var silence: SilenceWatch
    private var connections = 0
    private var events = 0
    /// The stream's ID after everything that was read.
    private var lastEventID: String?
    /// The last response, for errors.
    private var exchange: ExchangeSnapshot?

    init(_ run: StreamRun) {
        self.run = run
        reconnection = Reconnection(run.policy, isReplayable: run.request.body.isReplayable)
        silence = SilenceWatch(run.options.watchdog)
        lastEventID = run.control.lastEventID
    }

    deinit { run.control.close(nil) }

    var skipsUndecodable: Bool { run.options.skipsUndecodable }

    /// Ends the stream with an error.
    func fail(_ error: any Error) -> any Error {
        step = .ended
        var error = error
        if let known = error as? EventStreamError {
            error = known.with(failures: reconnection.failures, exchange: known.exchange ?? exchange)
        }
        run.control.close(error is CancellationError ? nil : error)
        return error
    }

    nonisolated(nonsending) func next() async throws -> ServerSentEvent? {
        while true {
            if run.control.interruption == .closed { step = .ended }
            if case .ended = step { return nil }
            if let event = nextEvent() { return event }
            if case .ended = step { return nil }
            do {
                try await advance()
            } catch {
                throw fail(error)
            }
        }
    }

    /// Returns the next event to deliver from the items already read.
    private func nextEvent() -> ServerSentEvent? {
        while taken < items.count {
            let item = items[taken]
            taken += 1
            if case .id(let id) = item { run.control.delivered(id) }
            guard case .event(let event) = item else { continue }
            run.control.delivered(event.lastEventID)
            if run.options.isEnd?(event) == true {
                finish()
                return nil
            }
            if let types = run.options.types, !types.contains(where: { $0.hasSameBytes(as: event.type) }) { continue }
            return event
        }
        items.removeAll(keepingCapacity: true)
        taken = 0
        return nil
    }

    private func finish() {
        step = .ended
        run.control.close(nil)
    }

    nonisolated(nonsending) private func advance() async throws {
        if case .ending(let error) = step {
            if let error { throw error }
            return finish()
        }
        switch run.control.interruption {
        case .closed: return step = .ended
        case .paused:
            leave()
            return try await run.control.waitWhilePaused()
        case .restarted:
            leave()
            return run.control.restarted()
        case nil: break
        }
        switch step {
        case .open: try await open()
        case .read(let parser): try await read(parser)
        case .wait(let wait, let error): try await pass(wait, after: error)
        case .ending, .ended: break
        }
    }

    /// Ends a connection that was closed locally.
    private func leave() {
        reconnection.closed(at: run.time.elapsed)
        step = .open
    }

    // MARK: Opening

    nonisolated(nonsending) private func open() async throws {
        if connections > 0, !run.request.body.isReplayable { throw EventStreamError(.notReplayable) }
        connections += 1
        run.control.set(.connecting(failures: reconnection.failures))
        let position = EventStreamPosition(connection: connections, lastEventID: lastEventID, events: events)
        switch try await run.open(at: position, limit: silence.limit) {
        case .value(let response): try accept(response)
        case .failure(let error):
            if let head = Self.answer(behind: error) {
                try refused(head, error)
            } else {
                try interrupted(.notOpened(error), error)
            }
        case .late(let limit): try interrupted(.silent(limit), EventStreamError(.silent(limit)))
        case .interrupted: break
        }
    }

    /// The server's response that led to a stage's error.
    private static func answer(behind error: any Error) -> HTTPResponse? {
        switch error {
        case let error as any ResponseError: error.response.head
        case is TransportError, is any TimeoutFailure: nil
        case let error as any HTTPChainError: error.exchange?.response
        default: nil
        }
    }

    private func accept(_ response: Response) throws {
        exchange = ExchangeSnapshot(
            response.request ?? run.request.head,
            response: response.head,
            attempts: response.attempts,
            redaction: run.request.redaction
        )
        guard response.head.status == .ok else {
            return try refused(response.head, EventStreamError(.status(response.head.status)))
        }
        let type = response.head.headerFields[.contentType]
        let format = run.options.format
        guard format.accepts(type) else {
            throw EventStreamError(.contentType(type, expected: format.mediaTypes.first ?? ""))
        }
        reconnection.opened(at: run.time.elapsed)
        silence.opened()
        run.control.hold(StreamSource(response.body))
        run.control.set(.open)
        step = .read(format.makeParser(lastEventID: lastEventID, limits: run.options.limits))
    }

    private func refused(_ head: HTTPResponse, _ error: any Error) throws {
        let wait = RetryAfter.wait(in: head.headerFields, now: run.request.environment.time.date)
        try interrupted(.status(head.status, retryAfter: wait), error)
    }

    // MARK: Reading

    nonisolated(nonsending) private func read(_ current: any StreamParser) async throws {
        guard let source = run.control.source else { return leave() }
        var parser = current
        switch try await run.run(limit: silence.limit, { try await source.read() }) {
        case .value(let chunk):
            do throws(EventStreamError) {
                defer { take() }
                if let chunk { try parser.read(chunk, into: &items) } else { try parser.end(into: &items) }
            } catch {
                return try interrupted(.broken(error), error)
            }
            step = .read(parser)
            if chunk == nil { try interrupted(.ended, EventStreamError(.ended)) }
        case .failure(let error): try interrupted(.broken(error), error)
        case .late(let limit): try interrupted(.silent(limit), EventStreamError(.silent(limit)))
        case .interrupted: break
        }
    }

    /// Processes the items that were read.
    private func take() {
        let now = run.time.elapsed
        for item in items {
            switch item {
            case .event(let event):
                events += 1
                lastEventID = event.lastEventID
                reconnection.received()
            case .id(let id): lastEventID = id
            case .comment(let text):
                silence.heartbeat(at: now)
                run.options.onComment?(text)
            case .retry(let wait): reconnection.retry(wait)
            }
        }
    }

    // MARK: Between connections

    /// Decides what to do when the connection is lost.
    ///
    /// - Throws: `CancellationError` if the call was cancelled.
    private func interrupted(_ cause: StreamInterruption.Cause, _ error: any Error) throws {
        try Task.checkCancellation()
        run.control.dropSource()
        // The call was cancelled by something other than the stream, such as a registry of calls, so it isn't retried.
        if error is CancellationError { throw error }
        let environment = run.request.environment
        switch reconnection.decide(cause, at: environment.time.elapsed, random: environment.random) {
        case .reconnect(let wait): step = .wait(wait, after: error)
        case .finish:
            // If the options define an end event, the stream is incomplete without it.
            step = .ending(cause.isInGoodOrder && run.options.isEnd != nil ? error : nil)
        case .fail:
            let isEndOfOne = cause.isInGoodOrder && !run.request.body.isReplayable
            step = .ending(isEndOfOne ? EventStreamError(.notReplayable) : error)
        }
    }

    nonisolated(nonsending) private func pass(_ wait: Duration, after error: any Error) async throws {
        run.control.set(.waiting(wait, after: error))
        let time = run.time
        switch try await run.run(limit: nil, { try await time.sleep(for: wait) }) {
        case .interrupted: return
        case .value, .late: step = .open
        case .failure(let error): throw error
        }
    }
}
