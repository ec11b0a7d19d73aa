public import HTTPChainCore
import HTTPChainSupport
public import HTTPTypes

/// An in-memory event stream server: a transport that responds to each connection with a script.
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
/// Scripts wait on the clock of the request, so an automatic clock needs no driver.
public final class EventServer: BuiltInTransport {
    /// A request of a client.
    public struct Connection: Sendable {
        /// The number of the connection, counted from 1.
        public let number: Int
        /// The head of the request.
        public let request: HTTPRequest
        /// The request's body.
        public let body: HTTPBody
        /// The identifier of the last event that the client has read, or `nil` if there is none.
        public var lastEventID: String? {
            request.headerFields[.lastEventID]
        }
    }

    /// A response of the server.
    public enum Answer: Sendable {
        /// A stream of events.
        case stream(EventScript)
        /// Any other response.
        case response(Response)
        /// An error instead of a response.
        case failure(any Error)
    }

    private struct State: Sendable {
        var requests: [HTTPRequest] = []
        var open = 0
    }

    private let answer: @Sendable (Connection) async throws -> Answer
    private let state = Watched(State())

    /// Creates a server.
    ///
    /// - Parameter answer: A closure that returns the response to each connection.
    public init(_ answer: @escaping @Sendable (Connection) async throws -> Answer) {
        self.answer = answer
    }

    /// Creates a server that uses the answers in order, and refuses later connections with 503.
    package convenience init(_ answers: [Answer]) {
        self.init { connection in
            connection.number <= answers.count
                ? answers[connection.number - 1] : .response(Response(.serviceUnavailable))
        }
    }

    /// The capabilities of the transport; there are none, so that no stage relies on one.
    package var transportCapabilities: TransportCapabilities { [] }

    /// The requests so far, in order.
    public var requests: [HTTPRequest] { state.read(\.requests) }

    /// The number of open streams.
    package var openStreams: Int { state.read(\.open) }

    /// Waits until at least this number of requests have arrived.
    ///
    /// - Throws: `CancellationError` as soon as the task is cancelled.
    public func waitForRequests(_ count: Int) async throws {
        try await state.wait { $0.requests.count >= count ? () : nil }
    }

    /// Waits until exactly this number of streams are open.
    ///
    /// - Throws: `CancellationError` as soon as the task is cancelled.
    package func waitForOpenStreams(_ count: Int) async throws {
        try await state.wait { $0.open == count ? () : nil }
    }

    /// Responds to a request.
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
            let lifeline = Lifeline { [state] in state.update { $0.open -= 1 } }
            return Response(
                .ok,
                headers: [.contentType: "text/event-stream"],
                body: .once { EventScriptReader(script, on: time, lifeline: lifeline) }
            )
        }
    }
}
