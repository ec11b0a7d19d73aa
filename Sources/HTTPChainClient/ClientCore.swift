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
    ) async throws -> CallResult<Kind.Output> {
        let endpoint = try endpoint(for: request)
        let showsActivity = endpoint.showsActivity
        let number = events.begin(showingActivity: showsActivity)
        defer { if showsActivity { events.endActivity() } }
        let teller = number.map { CallTeller(events, $0, request, endpoint.name, settings) }
        let call = TypedCall(request, settings, endpoint, teller, self)
        // The call has made it, and it makes results of one type.
        guard let teller else { return unsafeDowncast(try await registry.perform(call), to: CallResult.self) }
        return unsafeDowncast(try await perform(call, settings, telling: teller), to: CallResult.self)
    }

    private func perform(
        _ call: any CallOperation,
        _ settings: CallSettings,
        telling teller: CallTeller
    ) async throws -> ErasedResult {
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
