import HTTPChainCore

/// The events of a stream, as they arrive, over as many connections as it takes.
///
/// ```swift
/// let stream = chain.events(.get("https://api.example.com/changes"), as: Change.self)
/// Task { for await state in stream.states { show(state) } }
/// for try await change in stream { apply(change) }
/// ```
///
/// **Connections.** A stream is opened when the first event is asked for, and opened again when its connection ends, breaks
/// or falls silent: see ``ReconnectionPolicy`` and ``StreamWatchdog``. It goes on after the last event with `Last-Event-ID`, so
/// that a server which keeps events sends each of them once.
///
/// **The end.** The sequence ends when the server answers 204, when the policy says so, with ``close()``, and at an event
/// that ``EventStreamOptions/isEnd`` names. It throws what the last attempt failed with where the policy does not go on,
/// ``EventStreamError`` for a stream that is none or breaks the limits, and `CancellationError` when the task is cancelled.
///
/// **Pull.** Nothing is read before somebody asks for the next event, no task runs between events, and a slow reader slows
/// the server down where the transport can do that. There is one reader; leaving its loop closes the connection at once,
/// as cancelling its task and ``close()`` do.
///
/// **Time.** The limits of `TimeoutMiddleware` and `AttemptTimeoutMiddleware` hold until the head of each response has
/// arrived, and not for the stream, which may last for days.
public final class EventStream<Element: Sendable>: Sendable, AsyncSequence {
    private let run: StreamRun
    private let transform: @Sendable (ServerSentEvent) throws -> Element
    private let isRead = Locked(false)

    init(
        _ request: Request,
        over transport: some Transport,
        _ options: EventStreamOptions,
        transform: @escaping @Sendable (ServerSentEvent) throws -> Element
    ) {
        var request = request
        (transport as? Chain)?.fillEnvironment(of: &request)
        run = StreamRun(request, over: transport, options)
        self.transform = transform
    }

    /// The state of the stream.
    public var state: EventStreamState { run.control.state }

    /// The state of the stream now, and each change from then on; it ends with the stream.
    ///
    /// Whoever does not follow misses what lies before the latest 64 changes.
    public var states: AsyncStream<EventStreamState> { run.control.states() }

    /// The id of the last event that was delivered, to begin another stream with later; `nil` as long as there was none.
    public var lastEventID: String? { run.control.lastEventID }

    /// Closes the connection at once, until ``resume()``; events that were read already are still delivered.
    public func pause() { run.control.pause() }

    /// Opens the stream again after ``pause()``, without a wait.
    public func resume() { run.control.resume() }

    /// Closes the connection at once and opens the stream again without a wait, as after a change of network; ends the
    /// wait for another attempt, too.
    public func restart() { run.control.restart() }

    /// Ends the stream: its connection is closed at once, and the reader gets no more events.
    public func close() { run.control.close(nil) }

    /// Begins to read; a stream has one reader, and a second one gets an ``EventStreamError``.
    public func makeAsyncIterator() -> AsyncIterator {
        let isFirst = isRead.withLock { isRead in
            defer { isRead = true }
            return !isRead
        }
        return AsyncIterator(reader: isFirst ? StreamReader(run) : nil, transform: transform)
    }

    /// Reads the events.
    public struct AsyncIterator: AsyncIteratorProtocol {
        fileprivate let reader: StreamReader?
        fileprivate let transform: @Sendable (ServerSentEvent) throws -> Element

        /// The next event, or `nil` at the end.
        public mutating func next() async throws -> Element? {
            try await next(isolation: nil)
        }

        /// The next event, or `nil` at the end.
        ///
        /// - Throws: What the stream failed with; `CancellationError` when the task is cancelled. Nothing comes after an
        ///   error.
        public mutating func next(isolation actor: isolated (any Actor)?) async throws -> Element? {
            guard let reader else { throw EventStreamError(.alreadyRead) }
            while let event = try await reader.next() {
                do {
                    return try transform(event)
                } catch {
                    if reader.skipsUndecodable { continue }
                    throw reader.fail(error)
                }
            }
            return nil
        }
    }
}

@available(*, unavailable)
extension EventStream.AsyncIterator: Sendable {}
