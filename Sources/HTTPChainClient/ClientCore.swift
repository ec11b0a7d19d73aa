import HTTPChainCore
import HTTPChainInMemory
import HTTPChainProgress
import HTTPTypes

/// What calls need of their client; it does not keep the client.
final class ClientCore: Sendable {
    let endpoints: [Endpoint]
    let processing: ResultProcessing
    let environment: ChainEnvironment
    let slowAfter: Duration?
    let replies: ReplyStore?
    let registry = CallRegistry()
    let events = CallEventHub()
    private let helpers = MockHelpers(table: HelperTable())

    init(
        endpoints: [Endpoint],
        processing: ResultProcessing,
        environment: ChainEnvironment,
        slowAfter: Duration?,
        replies: ReplyStore?
    ) {
        self.endpoints = endpoints
        self.processing = processing
        self.environment = environment
        self.slowAfter = slowAfter
        self.replies = replies
    }

    /// Performs a call, and tells those who listen what happens to it.
    func perform<Kind: TypedRequest>(
        _ request: Kind,
        _ settings: CallSettings
    ) async throws -> DecodedResponse<Kind.Output> {
        let endpoint = try endpoint(for: request)
        if endpoint.showsActivity { events.count(1) }
        defer { if endpoint.showsActivity { events.count(-1) } }
        guard let number = events.begin() else { return try await run(request, settings, at: endpoint, telling: nil) }
        let teller = CallTeller(events, number, request, endpoint.name, settings)
        teller.tell(.willBegin)
        if let limit = settings.slowAfter ?? slowAfter { teller.watch(for: limit, on: environment.time) }
        do {
            let result = try await run(request, settings, at: endpoint, telling: teller)
            teller.tell(.succeeded)
            return result
        } catch {
            teller.tell(CallEvent.Change(failure: error))
            throw error
        }
    }

    private func run<Kind: TypedRequest>(
        _ request: Kind,
        _ settings: CallSettings,
        at endpoint: Endpoint,
        telling teller: CallTeller?
    ) async throws -> DecodedResponse<Kind.Output> {
        let kind = request.result
        // What a mock gives is there already.
        let keep: ((DecodedResponse<Kind.Output>, CallPlace) -> DecodedResponse<Kind.Output>)? =
            if case .transport = endpoint.handler { kind.keep } else { nil }
        let handler = endpoint.handler
        let name = endpoint.name
        return try await registry.perform(
            value: request,
            registration: settings.registration,
            { [self] id in
                teller?.began(as: id)
                switch handler {
                case .transport(let transport):
                    var http = try makeRequest(request, settings)
                    if let teller { http = http.onProgress { teller.tell(.progress($0)) } }
                    let place = settings.processing ?? processing
                    guard let replies, let stored = request as? any StoredRequest else {
                        return try await kind.perform(http, transport, place)
                    }
                    return try await storing(stored, http, in: replies, telling: teller, settings) { [http] in
                        try await kind.perform(http, type(of: stored).keepingBytes(transport), place)
                    }
                case .mock(let answer):
                    guard let replies, let stored = request as? any StoredRequest else {
                        return try await mocked(request, answer, name)
                    }
                    return try await storing(
                        stored,
                        try makeRequest(request, settings),
                        in: replies,
                        telling: teller,
                        settings
                    ) {
                        try await mocked(request, answer, name)
                    }
                }
            },
            keeping: keep
        )
    }

    private func mocked<Kind: TypedRequest>(
        _ request: Kind,
        _ answer: @Sendable (any TypedRequest, MockContext) async throws -> any Sendable,
        _ endpoint: String
    ) async throws -> DecodedResponse<Kind.Output> {
        try Task.checkCancellation()
        let context = MockContext(helpers: helpers, time: environment.time)
        guard let output = try await answer(request, context) as? MockOutput<Kind.Output> else {
            throw UnsupportedRequestError(requestType: "\(Kind.self)", endpoints: [endpoint])
        }
        try Task.checkCancellation()
        return DecodedResponse(output.value, response: Response(.ok))
    }

    func outcome<Kind: TypedRequest>(_ request: Kind, _ settings: CallSettings) async -> CallOutcome<Kind.Output> {
        do {
            return .success(try await perform(request, settings).value)
        } catch {
            return CallOutcome(.failure(error))
        }
    }

    func endpoint(for request: some TypedRequest) throws -> Endpoint {
        guard let endpoint = endpoints.first(where: { $0.servesAll || $0.supports(request) }) else {
            throw UnsupportedRequestError(requestType: "\(type(of: request))", endpoints: endpoints.map(\.name))
        }
        return endpoint
    }
}
