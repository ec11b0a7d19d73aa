import HTTPChainCore
import HTTPChainInMemory
import HTTPTypes

/// The part of a client that its calls need; it does not keep the client.
final class ClientCore: Sendable {
    let endpoints: [Endpoint]
    let processing: ResultProcessing
    let environment: ChainEnvironment
    let slowAfter: Duration?
    let replies: ReplyStore?
    let registry = CallRegistry()
    let events = CallEventHub()
    let helpers = MockHelpers(table: HelperTable())

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
        let teller = events.begin().map { CallTeller(events, $0, request, endpoint.name, settings) }
        let call = TypedCall(request, settings, endpoint, teller, self)
        return ResultBox.value(in: try await perform(call, settings, at: endpoint, telling: teller))
    }

    private func perform(
        _ call: any CallOperation,
        _ settings: CallSettings,
        at endpoint: Endpoint,
        telling teller: CallTeller?
    ) async throws -> ErasedResult {
        if endpoint.showsActivity { events.count(1) }
        defer { if endpoint.showsActivity { events.count(-1) } }
        guard let teller else { return try await registry.perform(call) }
        teller.tell(.willBegin)
        if let limit = settings.slowAfter ?? slowAfter { teller.watch(for: limit, on: environment.time) }
        do {
            let result = try await registry.perform(call)
            teller.tell(.succeeded)
            return result
        } catch {
            teller.tell(CallEvent.Change(failure: error))
            throw error
        }
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
