public import HTTPChainCore

/// The surroundings in which a provider makes a new token or session: the clock and random numbers of the call that
/// needs it, and the stages inside the authentication stage as a transport.
///
/// A request sent through it has no credentials but those that its sender adds. Any other chain will do as well, also
/// the very chain that the stage is part of: what is sent while the stage waits for a refresh passes the stage
/// untouched, so that it never waits for itself.
public struct RefreshContext: Transport {
    /// The clock and randomness of the call that needs to be authenticated.
    public let environment: ChainEnvironment
    private let inner: any Transport

    init(environment: ChainEnvironment, next: Next) {
        self.environment = environment
        inner = InnerStages(next: next)
    }

    /// Makes a context that sends through a transport, for a test of a provider or authenticator alone.
    ///
    /// - Parameters:
    ///   - transport: What carries the requests.
    ///   - environment: Clock and randomness; the live ones by default.
    public init(over transport: any Transport, environment: ChainEnvironment = .live) {
        self.environment = environment
        inner = transport
    }

    /// Those of the transport given; nothing is known of the stages inside.
    public var capabilities: TransportCapabilities { inner.capabilities }
    /// "the stages inside", or the name of the transport given.
    public var name: String { inner.name }

    /// Sends a request with the environment of the call, unless it has its own.
    ///
    /// - Throws: What the stages inside and the transport throw.
    public func send(_ request: consuming Request) async throws -> Response {
        if !request.options.contains(EnvironmentOption.self) { request.environment = environment }
        return try await inner.send(request)
    }
}

/// The rest of a chain as a transport.
private struct InnerStages: Transport {
    let next: Next
    let capabilities: TransportCapabilities = []
    let name = "the stages inside"

    func send(_ request: consuming Request) async throws -> Response {
        try await next(request)
    }
}
