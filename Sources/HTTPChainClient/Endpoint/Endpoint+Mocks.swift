import HTTPChainCore
public import HTTPChainInMemory

/// The objects that mocks share, each with an identifier.
///
/// Each is created once per client, on first use.
public struct MockHelpers: Sendable {
    let table: HelperTable

    /// Returns the helper, creating it on first use.
    ///
    /// - Parameter key: The identifier of the helper, with the closure that creates it.
    /// - Throws: `HelperTypeError` if the identifier belongs to a helper of another type; any error from creating it.
    public func callAsFunction<Helper: Sendable>(_ key: HelperKey<Helper>) async throws -> Helper {
        try await table.helper(key)
    }
}

/// The parts of a client that a mock needs.
struct MockContext: Sendable {
    let helpers: MockHelpers
    let time: any TimeSource
}

/// The output of a mock, as passed to the call.
///
/// The wrapper distinguishes an optional's `nil` from the absence of an output.
struct MockOutput<Output: Sendable>: Sendable {
    let value: Output
}

/// A request type with its own mock, which ``Endpoint/mocks`` calls for the output.
///
/// Most settings of a call are for stages of a chain, which a mock doesn't have; only the call's time limit has an
/// effect.
///
/// ```swift
/// extension GetUser: MockedRequest {
///     var isMocked: Bool { id < 100 }
///     var mockDelay: Duration { .seconds(1) }
///     func mockOutput(_ helpers: MockHelpers) async throws -> User { User(id: id, name: "Ada") }
/// }
/// ```
public protocol MockedRequest: TypedRequest {
    /// Whether this value is mocked, `true` by default. If not, the following endpoints are tried.
    var isMocked: Bool { get }

    /// The delay before the output, on the client's clock; zero by default.
    var mockDelay: Duration { get }

    /// Returns the output, or throws the call's error.
    func mockOutput(_ helpers: MockHelpers) async throws -> Output
}

extension MockedRequest {
    /// The default value, `true`.
    public var isMocked: Bool { true }
    /// The default value, no delay.
    public var mockDelay: Duration { .zero }

    fileprivate func answer(in context: MockContext) async throws -> any Sendable {
        try await context.time.sleep(for: mockDelay)
        return MockOutput(value: try await mockOutput(context.helpers))
    }
}

extension Endpoint {
    /// An endpoint that serves the requests of all types that conform to ``MockedRequest``.
    ///
    /// Put it before the endpoints that would otherwise serve these requests.
    public static var mocks: Endpoint {
        Endpoint(
            "mocks",
            handler: .mock { request, context in
                guard let request = request as? any MockedRequest else {
                    throw UnsupportedRequestError(requestType: "\(type(of: request))", endpoints: ["mocks"])
                }
                return try await request.answer(in: context)
            }
        ) { ($0 as? any MockedRequest)?.isMocked ?? false }
    }

    /// Returns an endpoint that mocks the requests of one type.
    ///
    /// ```swift
    /// let client = Client(endpoints: [
    ///     Endpoint.mock(GetUser.self, delay: .seconds(3)) { User(id: $0.id, name: "Ada") },
    ///     Endpoint("api", over: chain),
    /// ])
    /// ```
    ///
    /// A mocked call doesn't go through stages. Of the call's settings for stages, only its time limit
    /// (``Call/timeout(_:)``) has an effect, on the client's clock; progress, for example, isn't reported. To test the
    /// stages too, mock the transport of a chain instead, for example with `InMemoryTransport`.
    ///
    /// - Parameters:
    ///   - type: The request type.
    ///   - delay: The delay before the output, on the client's clock; zero by default.
    ///   - isMocked: A closure that returns whether a value is mocked, by default `true`. If not, the following
    ///     endpoints are tried.
    ///   - output: A closure that returns the output, or throws the call's error.
    public static func mock<Mocked: TypedRequest>(
        _ type: Mocked.Type,
        delay: Duration = .zero,
        where isMocked: @escaping @Sendable (_ request: Mocked) -> Bool = { _ in true },
        output: @escaping @Sendable (_ request: Mocked) async throws -> Mocked.Output
    ) -> Endpoint {
        .mock(type, delay: delay, where: isMocked) { request, _ in try await output(request) }
    }

    /// Returns an endpoint that mocks the requests of one type with shared helpers.
    ///
    /// Of the call's settings for stages, only its time limit has an effect.
    ///
    /// - Parameters:
    ///   - type: The request type.
    ///   - delay: The delay before the output, on the client's clock; zero by default.
    ///   - isMocked: A closure that returns whether a value is mocked, by default `true`. If not, the following
    ///     endpoints are tried.
    ///   - output: A closure that receives the client's helpers, and returns the output or throws the call's error.
    package static func mock<Mocked: TypedRequest>(
        _ type: Mocked.Type,
        delay: Duration = .zero,
        where isMocked: @escaping @Sendable (_ request: Mocked) -> Bool = { _ in true },
        output: @escaping @Sendable (_ request: Mocked, _ helpers: MockHelpers) async throws -> Mocked.Output
    ) -> Endpoint {
        let name = "mock of \(type)"
        return Endpoint(
            name,
            handler: .mock { request, context in
                guard let request = request as? Mocked else {
                    throw UnsupportedRequestError(requestType: "\(Swift.type(of: request))", endpoints: [name])
                }
                try await context.time.sleep(for: delay)
                return MockOutput(value: try await output(request, context.helpers))
            }
        ) { ($0 as? Mocked).map(isMocked) ?? false }
    }
}
