public import HTTPChainCore
import HTTPChainInMemory
import HTTPTypes

/// Sends typed requests through chains.
///
/// ```swift
/// let client = Client(over: chain)
/// let user = try await client.call(GetUser(id: 42))
/// let report = try await client.call(GetReport()).retry(.never).timeout(.seconds(3)).value
/// ```
///
/// A client has one or more endpoints, and a registry of the calls that are running. Its calls are cancelled when it
/// goes away. It is made once and used for any number of calls at a time.
public final class Client: Sendable {
    let core: ClientCore

    /// Makes a client with several endpoints.
    ///
    /// - Parameters:
    ///   - processing: Where results are made; on the concurrent pool by default.
    ///   - environment: The clock of what the client does itself, such as the delays of mocks; chains have their own.
    ///   - endpoints: The endpoints; the first that supports a request serves it.
    public init(
        processing: ResultProcessing = .concurrent,
        environment: ChainEnvironment = .live,
        @EndpointBuilder endpoints: () throws -> [Endpoint]
    ) rethrows {
        core = ClientCore(endpoints: try endpoints(), processing: processing, environment: environment)
    }

    /// Makes a client with one endpoint that serves every request.
    ///
    /// - Parameters:
    ///   - transport: What sends its requests: a chain.
    ///   - processing: Where results are made; on the concurrent pool by default.
    public convenience init(over transport: some Transport, processing: ResultProcessing = .concurrent) {
        self.init(processing: processing) { Endpoint(transport.name, over: transport) }
    }

    private init(_ core: ClientCore) {
        self.core = core
    }

    deinit { core.registry.close() }

    /// The calls of this client that are running.
    public var registry: CallRegistry { core.registry }

    /// The names of its endpoints, in the order in which they are asked.
    public var endpoints: [String] { core.endpoints.map(\.name) }

    /// A client with the same endpoints and running calls of its own.
    public func copy() -> Client {
        Client(ClientCore(endpoints: core.endpoints, processing: core.processing, environment: core.environment))
    }

    /// Sends a request and gives its output.
    ///
    /// - Throws: What the endpoint's chain and the request's ``TypedRequest/result`` throw; ``UnsupportedRequestError``
    ///   if no endpoint supports the request; `CancellationError` when the call is cancelled.
    @discardableResult
    public func call<Kind: TypedRequest>(_ request: Kind) async throws -> Kind.Output {
        try await core.perform(request, CallSettings()).value
    }

    /// Sends the request of a type without values and gives its output.
    ///
    /// - Throws: What ``call(_:)`` throws.
    @discardableResult
    public func call<Kind: ValuelessRequest>(_ type: Kind.Type) async throws -> Kind.Output {
        try await call(type.init())
    }

    /// A call that is not sent yet, to set what is different about it.
    ///
    /// ```swift
    /// let plants = try await client.call(ListPlants()).retry(.never).key("list").value
    /// ```
    public func call<Kind: TypedRequest>(_ request: Kind) -> Call<Kind> {
        Call(request: request, client: self)
    }

    /// A call of a type without values that is not sent yet, to set what is different about it.
    public func call<Kind: ValuelessRequest>(_ type: Kind.Type) -> Call<Kind> {
        call(type.init())
    }
}

/// What calls need of their client; it does not keep the client.
final class ClientCore: Sendable {
    let endpoints: [Endpoint]
    let processing: ResultProcessing
    let environment: ChainEnvironment
    let registry = CallRegistry()
    private let helpers = MockHelpers(table: HelperTable())

    init(endpoints: [Endpoint], processing: ResultProcessing, environment: ChainEnvironment) {
        self.endpoints = endpoints
        self.processing = processing
        self.environment = environment
    }

    func perform<Kind: TypedRequest>(
        _ request: Kind,
        _ settings: CallSettings
    ) async throws -> DecodedResponse<Kind.Output> {
        let endpoint = try endpoint(for: request)
        let kind = request.result
        return try await registry.perform(value: request, registration: settings.registration) { [self] _ in
            switch endpoint.handler {
            case .transport(let transport):
                var http = try request.makeRequest()
                http.value = request
                for change in settings.changes { http = change(http) }
                return try await kind.perform(http, transport, settings.processing ?? processing)
            case .mock(let answer):
                try Task.checkCancellation()
                let context = MockContext(helpers: helpers, time: environment.time)
                guard let output = try await answer(request, context) as? MockOutput<Kind.Output> else {
                    throw UnsupportedRequestError(requestType: "\(Kind.self)", endpoints: [endpoint.name])
                }
                try Task.checkCancellation()
                return DecodedResponse(output.value, response: Response(.ok))
            }
        } keeping: { result, place in
            kind.keep?(result, place) ?? result
        }
    }

    func outcome<Kind: TypedRequest>(_ request: Kind, _ settings: CallSettings) async -> CallOutcome<Kind.Output> {
        do {
            return .success(try await perform(request, settings).value)
        } catch {
            return CallOutcome(.failure(error))
        }
    }

    private func endpoint(for request: some TypedRequest) throws -> Endpoint {
        guard let endpoint = endpoints.first(where: { $0.supports(request) }) else {
            throw UnsupportedRequestError(requestType: "\(type(of: request))", endpoints: endpoints.map(\.name))
        }
        return endpoint
    }
}
