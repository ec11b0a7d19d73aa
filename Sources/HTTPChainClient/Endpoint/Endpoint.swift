public import HTTPChainCore

/// A destination of a client's calls (a chain or a mock), with the request types that it serves.
///
/// ```swift
/// protocol ShopRequest: TypedRequest {}
///
/// let client = Client {
///     Endpoint("shop", over: shopChain, for: (any ShopRequest).self)
///     Endpoint("api", over: apiChain)
/// }
/// ```
///
/// If several endpoints support a request, the first serves it.
public struct Endpoint: Sendable {
    enum Handler: Sendable {
        case transport(any Transport)
        case mock(@Sendable (any TypedRequest, MockContext) async throws -> any Sendable)
    }

    /// The name of the endpoint in errors, logs and events.
    package let name: String
    let supports: @Sendable (any TypedRequest) -> Bool
    let handler: Handler
    /// Whether the endpoint serves all requests, so that ``supports`` isn't called.
    let servesAll: Bool
    var showsActivity = true

    init(
        _ name: String,
        handler: Handler,
        servesAll: Bool = false,
        supports: @escaping @Sendable (any TypedRequest) -> Bool
    ) {
        self.name = name
        self.handler = handler
        self.servesAll = servesAll
        self.supports = supports
    }

    /// An endpoint that serves every request.
    ///
    /// - Parameters:
    ///   - name: The name in errors and events.
    ///   - transport: The chain that sends its requests.
    public init(_ name: String, over transport: some Transport) {
        self.init(name, handler: .transport(transport), servesAll: true) { _ in true }
    }

    /// An endpoint that serves the request types of a group.
    ///
    /// - Parameters:
    ///   - name: The name in errors and events.
    ///   - transport: The chain that sends its requests.
    ///   - group: A request type, or a custom protocol: `(any ShopRequest).self`.
    public init<Group>(_ name: String, over transport: some Transport, for group: Group.Type) {
        self.init(name, handler: .transport(transport)) { $0 is Group }
    }

    /// An endpoint that serves the requests that a closure accepts.
    ///
    /// - Parameters:
    ///   - name: The name in errors and events.
    ///   - transport: The chain that sends its requests.
    ///   - supports: A closure that returns whether a request is accepted. It is called for each request and must be
    ///     quick.
    public init(
        _ name: String,
        over transport: some Transport,
        where supports: @escaping @Sendable (_ request: any TypedRequest) -> Bool
    ) {
        self.init(name, handler: .transport(transport), supports: supports)
    }

    /// Returns the endpoint with its calls included in or excluded from ``Client/activity``.
    ///
    /// They are included by default.
    ///
    /// ```swift
    /// Endpoint("telemetry", over: chain, for: (any TelemetryRequest).self).showingActivity(false)
    /// ```
    public func showingActivity(_ isShown: Bool) -> Endpoint {
        var endpoint = self
        endpoint.showsActivity = isShown
        return endpoint
    }
}

/// An error for a request that no endpoint of the client supports.
public struct UnsupportedRequestError: ClientError, Hashable {
    /// The request's type.
    package let requestType: String
    /// The endpoints that were tried, in order.
    package let endpoints: [String]

    package var explanation: Explanation {
        let asked = endpoints.isEmpty ? "it has none" : "tried: \(endpoints.joined(separator: ", "))"
        return Explanation(
            "no endpoint of the client supports \(requestType); \(asked)",
            "give the client an endpoint for \(requestType), or conform the type to the protocol of an endpoint that it has"
        )
    }
}

/// Collects the endpoints of a ``Client`` from a block of code.
///
/// A block may contain `if`, `else` and `switch`, and arrays of endpoints.
@resultBuilder
public enum EndpointBuilder {
    /// One endpoint.
    public static func buildExpression(_ endpoint: Endpoint) -> [Endpoint] { [endpoint] }
    /// Several endpoints in order.
    public static func buildExpression(_ endpoints: [Endpoint]) -> [Endpoint] { endpoints }
    /// The endpoints of a block in order.
    public static func buildBlock(_ endpoints: [Endpoint]...) -> [Endpoint] { endpoints.flatMap(\.self) }
    /// The endpoints of an `if` without `else`.
    public static func buildOptional(_ endpoints: [Endpoint]?) -> [Endpoint] { endpoints ?? [] }
    /// The endpoints of an `if` branch.
    public static func buildEither(first endpoints: [Endpoint]) -> [Endpoint] { endpoints }
    /// The endpoints of an `else` branch.
    public static func buildEither(second endpoints: [Endpoint]) -> [Endpoint] { endpoints }
}
