public import HTTPChainCore

/// A transport that answers some kinds of request itself and leaves all others to another one.
///
/// A mock is chosen by the type of the value that a request was made from (``/HTTPChainCore/Request/value``), so an
/// endpoint that the server does not have yet can be used beside those that it has:
///
/// ```swift
/// let users = HelperKey("users") { UserTable() }
/// let transport = MockTransport(beside: URLSessionTransport()) {
///     Mock(GetUser.self, delay: .seconds(1), helper: users) { get, request, users in
///         try await users.response(for: get.id)
///     }
///     Mock(DeleteUser.self, failing: TransportError(.timedOut, sent: .maybe, stage: "mock"))
/// }
/// ```
///
/// A mocked request is not checked or read, and its URL may be anything. Its response is brought to the client as
/// ``InMemoryTransport`` brings one: read once, with a `Content-Length` that holds.
public struct MockTransport: Transport {
    private let live: any Transport
    private let mocks: [Mock]
    private let helpers = HelperTable()

    /// Puts mocks beside a transport.
    ///
    /// - Parameters:
    ///   - live: Gets the requests that were made by hand and those made from a type that no mock names.
    ///   - mocks: The mocks; the first whose type fits answers.
    public init(beside live: any Transport, @MockBuilder mocks: () throws -> [Mock]) rethrows {
        self.live = live
        self.mocks = try mocks()
    }

    /// Those of the transport beside the mocks.
    public var capabilities: TransportCapabilities { live.capabilities }

    /// The name of the transport beside the mocks, and that there are mocks.
    public var name: String { "\(live.name) with mocks" }

    /// Answers a request from a mock, or passes it on.
    ///
    /// - Throws: What the mock or the transport beside it throws; `CancellationError` when the task is cancelled.
    public func send(_ request: consuming Request) async throws -> Response {
        guard let value = request.value, let answer = answer(for: value) else { return try await live.send(request) }
        try Task.checkCancellation()
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
        let response = try await answer(call)
        try Task.checkCancellation()
        return response
    }

    private func answer(for value: any Sendable) -> Mock.Answer? {
        for mock in mocks {
            if let answer = mock.answer(value) { return answer }
        }
        return nil
    }
}

/// Collects the mocks of a ``MockTransport`` from a block of code.
///
/// A block may use `if`, `else`, `switch` and `for`, and may give arrays of mocks.
@resultBuilder
public enum MockBuilder {
    /// One mock.
    public static func buildExpression(_ mock: Mock) -> [Mock] { [mock] }
    /// Several mocks in order.
    public static func buildExpression(_ mocks: [Mock]) -> [Mock] { mocks }
    /// The mocks of a block in order.
    public static func buildBlock(_ mocks: [Mock]...) -> [Mock] { mocks.flatMap(\.self) }
    /// The mocks of an `if` without `else`.
    public static func buildOptional(_ mocks: [Mock]?) -> [Mock] { mocks ?? [] }
    /// The mocks of an `if` that holds.
    public static func buildEither(first mocks: [Mock]) -> [Mock] { mocks }
    /// The mocks of an `else`.
    public static func buildEither(second mocks: [Mock]) -> [Mock] { mocks }
    /// The mocks of a `for`.
    public static func buildArray(_ mocks: [[Mock]]) -> [Mock] { mocks.flatMap(\.self) }
    /// The mocks of an `if #available`.
    public static func buildLimitedAvailability(_ mocks: [Mock]) -> [Mock] { mocks }
}
