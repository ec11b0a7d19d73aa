import HTTPChainCore

/// The events of a stream as they arrive, over any number of connections.
///
/// ```swift
/// let stream = chain.events(.get("https://api.example.com/changes"), as: Change.self)
/// Task { for await state in stream.states { show(state) } }
/// for try await change in stream { apply(change) }
/// ```
///
/// **Connections.** A stream is opened when the first event is requested, and reopened when its connection ends, breaks
/// or is silent: see ``ReconnectionPolicy`` and ``StreamWatchdog``. It resumes after the last event with
/// `Last-Event-ID`, so that a server that stores events sends each of them once. A stream belongs to one user. If the
/// user changes, the stream isn't reopened, but ends with `UserChangedError`.
///
/// **The end.** The sequence ends when the server responds with 204, when the policy decides so, when ``close()`` is
/// called, and at an event that `isEnd` matches. It throws the error of the last attempt if the policy doesn't
/// reconnect, ``EventStreamError`` if the response isn't a stream or exceeds the limits, and `CancellationError` if the
/// task is cancelled.
///
/// **Pull.** Data is read only when an event is requested, and no task runs between events. A slow reader slows the
/// server down if the transport supports that. A stream has one reader. The connection is closed immediately when the
/// reader's loop ends, its task is cancelled, or ``close()`` is called.
///
/// **Time.** The limits of `TimeoutMiddleware` and `AttemptTimeoutMiddleware` apply only until the head of each
/// response has arrived. The stream itself may last for days.
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
        Chain.fillEnvironment(of: &request, over: transport)
        run = StreamRun(request, over: transport, options)
        self.transform = transform
    }

    /// The state of the stream.
    public var state: EventStreamState { run.control.state }

    /// The stream's current state and all later changes.
    ///
    /// Ends with the stream.
    ///
    /// A slow observer receives only the latest 64 changes.
    public var states: AsyncStream<EventStreamState> { run.control.states() }

    /// The stream's ID after the last event delivered, for resuming with another stream later; `nil` if there was none.
    ///
    /// A server can also set it without an event (HTML §9.2.6).
    public var lastEventID: String? { run.control.lastEventID }

    /// Closes the connection immediately and keeps it closed until ``resume()`` is called.
    ///
    /// Events already read are still delivered.
    public func pause() { run.control.pause() }

    /// Reopens the stream after ``pause()``, without waiting.
    public func resume() { run.control.resume() }

    /// Closes the connection and reopens the stream immediately, for example after a network change.
    ///
    /// Also ends the wait before another attempt.
    public func restart() { run.control.restart() }

    /// Ends the stream: closes its connection immediately, and delivers no more events.
    public func close() { run.control.close(nil) }

    /// Starts reading the stream.
    ///
    /// A stream has one reader; a second one throws an ``EventStreamError``.
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

        /// Returns the next event, or `nil` at the end.
        public mutating func next() async throws -> Element? {
            try await next(isolation: nil)
        }

        /// Returns the next event, or `nil` at the end.
        ///
        /// - Throws: The error that the stream failed with; `CancellationError` if the task is cancelled. After an
        ///   error, the stream has ended.
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
