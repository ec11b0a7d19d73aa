public import HTTPChainCore
import HTTPChainSupport
public import HTTPTypes

/// A server of event streams in memory: a transport that answers each connection with a script.
///
/// ```swift
/// let server = EventServer { connection in
///     .stream(EventScript {
///         $0.event("after \(connection.lastEventID ?? "nothing")", id: "\(connection.number)")
///         $0.end()
///     })
/// }
/// let chain = try Chain(transport: server, environment: .virtual(.automatic()))
/// ```
///
/// Waits of scripts pass on the clock of the request, so that an automatic clock needs no driver.
public final class EventServer: Transport {
    /// One request of a client.
    public struct Connection: Sendable {
        /// The number of the connection; 1 is the first.
        public let number: Int
        /// The head of the request.
        public let request: HTTPRequest
        /// The request's body.
        public let body: HTTPBody
        /// The identifier of the last event that the client has read; `nil` for nothing.
        public var lastEventID: String? {
            request.headerFields[.lastEventID]
        }
    }

    /// An answer of the server.
    public enum Answer: Sendable {
        /// A stream of events.
        case stream(EventScript)
        /// Any other response.
        case response(Response)
        /// No answer.
        case failure(any Error)
    }

    private struct State: Sendable {
        var requests: [HTTPRequest] = []
        var open = 0
        var mostOpen = 0
    }

    /// "EventServer".
    public let name = "EventServer"
    private let answer: @Sendable (Connection) async throws -> Answer
    private let state = Watched(State())

    /// Makes a server.
    ///
    /// - Parameter answer: Answers each connection.
    public init(_ answer: @escaping @Sendable (Connection) async throws -> Answer) {
        self.answer = answer
    }

    /// Makes a server that answers one connection after the other, and refuses (503) those that come later.
    public convenience init(_ answers: [Answer]) {
        self.init { connection in
            connection.number <= answers.count
                ? answers[connection.number - 1] : .response(Response(.serviceUnavailable))
        }
    }

    /// The capabilities of the transport: none, so that no stage counts on one.
    public var capabilities: TransportCapabilities { [] }

    /// The requests so far, in order.
    public var requests: [HTTPRequest] { state.read(\.requests) }

    /// The number of streams that are open now.
    public var openStreams: Int { state.read(\.open) }

    /// Waits until so many requests have come.
    ///
    /// - Throws: `CancellationError` as soon as the task is cancelled.
    public func waitForRequests(_ count: Int) async throws {
        try await state.wait { $0.requests.count >= count ? () : nil }
    }

    /// Waits until so many streams are open, and no more.
    ///
    /// - Throws: `CancellationError` as soon as the task is cancelled.
    public func waitForOpenStreams(_ count: Int) async throws {
        try await state.wait { $0.open == count ? () : nil }
    }

    /// Answers a request.
    public func send(_ request: consuming Request) async throws -> Response {
        try Task.checkCancellation()
        let time = request.environment.time
        let head = request.head
        let number = state.update { state in
            state.requests.append(head)
            return state.requests.count
        }
        switch try await answer(Connection(number: number, request: head, body: request.body)) {
        case .failure(let error): throw error
        case .response(let response): return response
        case .stream(let script):
            state.update { $0.open += 1 }
            let lifeline = ConnectionLifeline { [state] in state.update { $0.open -= 1 } }
            return Response(
                .ok,
                headers: [.contentType: "text/event-stream"],
                body: .once { EventScriptReader(script, on: time, lifeline: lifeline) }
            )
        }
    }
}
