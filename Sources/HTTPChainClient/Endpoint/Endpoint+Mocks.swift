import HTTPChainCore
public import HTTPChainInMemory

/// Objects that mocks share, by identifier: each is made once for a client, when a mock first asks for it.
public struct MockHelpers: Sendable {
    let table: HelperTable

    /// The helper, which is made now unless it was made before.
    ///
    /// - Parameter key: Its identifier and how it is made.
    /// - Throws: `HelperTypeError` when the identifier is that of a helper of another type; what making it throws.
    public func callAsFunction<Helper: Sendable>(_ key: HelperKey<Helper>) async throws -> Helper {
        try await table.helper(key)
    }
}

/// The parts of a client that a mock needs.
struct MockContext: Sendable {
    let helpers: MockHelpers
    let time: any TimeSource
}

/// The output of a mock as it is passed to the call, which keeps an optional's nil apart from none.
struct MockOutput<Output: Sendable>: Sendable {
    let value: Output
}

/// A request type that brings its own mock, which gives the output; ``Endpoint/mocks`` asks it.
///
/// ```swift
/// extension GetUser: MockedRequest {
///     var isMocked: Bool { id < 100 }
///     var mockDelay: Duration { .seconds(1) }
///     func mockOutput(_ helpers: MockHelpers) async throws -> User { User(id: id, name: "Ada") }
/// }
/// ```
public protocol MockedRequest: TypedRequest {
    /// Whether this value is mocked; the endpoints that follow are asked if not. `true` by default.
    var isMocked: Bool { get }

    /// The time that the answer takes, on the client's clock; no time by default.
    var mockDelay: Duration { get }

    /// The output, or the error that the call fails with.
    func mockOutput(_ helpers: MockHelpers) async throws -> Output
}

extension MockedRequest {
    /// Each value.
    public var isMocked: Bool { true }
    /// No time.
    public var mockDelay: Duration { .zero }

    fileprivate func answer(in context: MockContext) async throws -> any Sendable {
        try await context.time.sleep(for: mockDelay)
        return MockOutput(value: try await mockOutput(context.helpers))
    }
}

extension Endpoint {
    /// Answers the requests that bring their own mock: those of types that conform to ``MockedRequest``.
    ///
    /// It stands before the endpoints that would serve them otherwise.
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

    /// Answers the requests of one type with outputs, beside live endpoints.
    ///
    /// ```swift
    /// let client = Client {
    ///     Endpoint.mock(GetUser.self, delay: .seconds(3)) { User(id: $0.id, name: "Ada") }
    ///     Endpoint("api", over: chain)
    /// }
    /// ```
    ///
    /// - Parameters:
    ///   - type: The request type.
    ///   - delay: How long the answer takes, on the client's clock; no time by default.
    ///   - isMocked: Whether a value is mocked; the endpoints that follow are asked if not. Each is by default.
    ///   - output: Gives the output, or throws the error that the call fails with.
    public static func mock<Mocked: TypedRequest>(
        _ type: Mocked.Type,
        delay: Duration = .zero,
        where isMocked: @escaping @Sendable (_ request: Mocked) -> Bool = { _ in true },
        output: @escaping @Sendable (_ request: Mocked) async throws -> Mocked.Output
    ) -> Endpoint {
        .mock(type, delay: delay, where: isMocked) { request, _ in try await output(request) }
    }

    /// Answers the requests of one type with outputs made with shared helpers.
    ///
    /// - Parameters:
    ///   - type: The request type.
    ///   - delay: How long the answer takes, on the client's clock; no time by default.
    ///   - isMocked: Whether a value is mocked; the endpoints that follow are asked if not. Each is by default.
    ///   - output: Gives the output, or throws the error that the call fails with; told the client's helpers.
    public static func mock<Mocked: TypedRequest>(
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
