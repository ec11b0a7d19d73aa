public import HTTPChainCore

/// The context in which a provider creates a token or session.
///
/// It has the clock and random numbers of the call that needs the result, and is a transport through the inner stages.
///
/// Requests sent through it have only the credentials that their sender adds. Any other chain works too, even the one
/// that contains the stage: requests sent during a refresh pass through the stage unchanged, so that it never waits for
/// itself.
public struct RefreshContext: Transport {
    /// The clock and randomness of the call that needs to be authenticated.
    public let environment: ChainEnvironment
    private let inner: any Transport

    init(environment: ChainEnvironment, next: Next) {
        self.environment = environment
        inner = InnerStages(next: next)
    }

    /// Makes a context that sends through a transport, for testing a provider or authenticator.
    ///
    /// - Parameters:
    ///   - transport: The transport for the requests.
    ///   - environment: The clock and randomness. Defaults to the live ones.
    public init(over transport: any Transport, environment: ChainEnvironment = .live) {
        self.environment = environment
        inner = transport
    }

    /// The capabilities of the given transport; none if requests go through the inner stages.
    public var capabilities: TransportCapabilities { inner.capabilities }
    /// "the stages inside", or the name of the given transport.
    public var name: String { inner.name }
    /// The options that the inner stages and the transport read, or those of the given transport.
    public var optionsRead: [any RequestOption.Type] { inner.optionsRead }

    /// Sends a request with the call's environment, unless it has its own.
    ///
    /// To use further stages, send the request through a chain over the context.
    ///
    /// - Throws: `UnreadOptionError` if the request has an option that none of the inner stages reads, such as a timeout;
    ///   rethrows errors of the inner stages and the transport.
    public func send(_ request: consuming Request) async throws -> Response {
        if !request.options.contains(EnvironmentNote.self) { request.environment = environment }
        return try await inner.send(request)
    }
}

/// The rest of a chain as a transport.
private struct InnerStages: Transport {
    let next: Next
    let capabilities: TransportCapabilities = []
    let name = "the stages inside"
    var optionsRead: [any RequestOption.Type] { next.optionsRead }

    func send(_ request: consuming Request) async throws -> Response {
        try next.refuseLateOptions(of: request, setBy: "the stage that authenticates", after: nil)
        return try await next(request)
    }
}
