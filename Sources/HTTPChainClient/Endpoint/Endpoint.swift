public import HTTPChainCore

/// A destination of a client's calls (a chain or a mock), with the request types that it serves.
///
/// ```swift
/// protocol ShopRequest: TypedRequest {}
///
/// let client = Client(endpoints: [
///     Endpoint("shop", over: shopChain, for: (any ShopRequest).self),
///     Endpoint("api", over: apiChain),
/// ])
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
    /// Whether the transport isn't a chain, so that the client itself checks the options of calls.
    let isBare: Bool
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
        isBare = if case .transport(let transport) = handler { !(transport is Chain) } else { false }
        self.supports = supports
    }

    /// Makes an endpoint that serves every request, those of a group, or those that a closure accepts.
    ///
    /// - Parameters:
    ///   - name: The name in errors and events.
    ///   - transport: The chain that sends its requests.
    ///   - group: A request type, or a custom protocol: `(any ShopRequest).self`; all types by default.
    ///   - supports: A closure that returns whether a request of the group is accepted; by default all are. It is
    ///     called for each request and must be quick.
    public init<Group>(
        _ name: String,
        over transport: some Transport,
        for group: Group.Type = (any TypedRequest).self,
        where supports: (@Sendable (_ request: any TypedRequest) -> Bool)? = nil
    ) {
        guard Group.self == (any TypedRequest).self else {
            self.init(name, handler: .transport(transport)) { $0 is Group && supports?($0) ?? true }
            return
        }
        self.init(name, handler: .transport(transport), servesAll: supports == nil, supports: supports ?? { _ in true })
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
