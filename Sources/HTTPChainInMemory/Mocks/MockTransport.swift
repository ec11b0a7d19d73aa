public import HTTPChainCore

/// A transport that mocks some requests and passes all others to another transport.
///
/// The type of the value that a request was made from (``/HTTPChainCore/Request/value``) selects the mock. You can
/// therefore use endpoints that the server doesn't have yet together with existing ones:
///
/// ```swift
/// let users = HelperKey("users") { UserTable() }
/// let transport = MockTransport(beside: URLSessionTransport()) {
///     Mock(GetUser.self, delay: .seconds(1), helper: users) { get, request, users in
///         try await users.response(for: get.id)
///     }
///     Mock(DeleteUser.self, reply: .failure(.beforeHead(.timedOut)))
/// }
/// ```
///
/// A mocked request is neither checked nor read, and may have any URL. Its time limits apply to the mock. Its response is delivered as by
/// ``InMemoryTransport``: it can be read once, and has a valid `Content-Length`.
public struct MockTransport: BuiltInTransport {
    private let live: any Transport
    private let mocks: [Mock]
    private let helpers = HelperTable()

    /// Creates a transport with mocks for some requests.
    ///
    /// - Parameters:
    ///   - live: The transport for all other requests: raw requests, and those made from a type without a mock.
    ///   - mocks: The mocks; the first whose type matches responds.
    public init(beside live: any Transport, @ListBuilder<Mock> mocks: () throws -> [Mock]) rethrows {
        self.live = live
        self.mocks = try mocks()
    }

    /// The capabilities of the live transport.
    package var transportCapabilities: TransportCapabilities { live.capabilities }

    /// The options that the live transport reads.
    package var transportOptions: [any RequestOption.Type] { live.optionsRead }

    /// The name of the live transport, followed by "with mocks".
    package var transportName: String { "\(live.name) with mocks" }

    /// Responds with a mock, or passes the request on.
    ///
    /// - Throws: Any error of the mock or the live transport; `CancellationError` if the task is cancelled.
    public func send(_ request: consuming Request) async throws -> Response {
        // The first mock for the type of the value is used.
        let answer = request.value.flatMap { value in mocks.lazy.compactMap { $0.answer(value) }.first }
        guard let answer else { return try await live.send(request) }
        try Task.checkCancellation()
        // The request isn't read. Stages outside leave the limits of the call to the live transport, if it keeps them.
        let timer = TransferTimer(request, upload: .atOnce)
        let call = MockCall(
            delivery: Delivery(
                request: request.head,
                transport: name,
                time: request.environment.time,
                options: request.options
            ),
            request: request,
            helpers: helpers
        )
        guard let timer else { return try await Self.response(answer, call) }
        var response = try await timer.run { try await Self.response(answer, call) }
        timer.answered(response.head)
        response.body = timer.keep(response.body)
        return response
    }

    private static func response(
        _ answer: @Sendable (MockCall) async throws -> Response,
        _ call: MockCall
    ) async throws -> Response {
        let response = try await answer(call)
        try Task.checkCancellation()
        return response
    }
}
