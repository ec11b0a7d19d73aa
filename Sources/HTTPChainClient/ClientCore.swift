import HTTPChainCore
import HTTPChainInMemory
import HTTPTypes

/// The part of a client that its calls need; it doesn't retain the client.
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

    /// Performs a call and notifies event listeners.
    func perform<Kind: TypedRequest>(
        _ request: Kind,
        _ settings: CallSettings
    ) async throws -> CallResult<Kind.Output> {
        try await perform(admit(request, settings))
    }

    /// Registers a call, so that it can be found and cancelled before it begins.
    ///
    /// - Throws: ``UnsupportedRequestError``; ``DuplicateCallError``; ``CallIdentityError``; `CancellationError` if the
    ///   client was deallocated.
    func admit<Kind: TypedRequest>(_ request: Kind, _ settings: CallSettings) throws -> AdmittedCall<Kind> {
        let endpoint = try endpoint(for: request)
        let number = events.begin(
            showingActivity: endpoint.showsActivity,
            isMonitored: !settings.monitors.isEmpty
        )
        let teller = number.map { CallTeller(events, $0, request, endpoint, settings) }
        let call = TypedCall(request, settings, endpoint, teller, self)
        teller?.tell(.willBegin)
        do {
            return AdmittedCall(call: call, id: try registry.enter(call), teller: teller)
        } catch {
            teller?.tell(CallEvent.Change(failure: error))
            if endpoint.showsActivity { events.endActivity() }
            throw error
        }
    }

    /// Performs an admitted call; call this once.
    func perform<Kind: TypedRequest>(_ admitted: AdmittedCall<Kind>) async throws -> CallResult<Kind.Output> {
        let call = admitted.call
        defer { if call.endpoint.showsActivity { events.endActivity() } }
        let limit = call.settings.slowAfter ?? slowAfter
        let result = try await perform(call, as: admitted.id, telling: admitted.teller, slowAfter: limit)
        // The call created the result, and all of its results have the same type.
        return unsafeDowncast(result, to: CallResult.self)
    }

    private func perform(
        _ call: any CallOperation,
        as id: CallID,
        telling teller: CallTeller?,
        slowAfter limit: Duration?
    ) async throws -> ErasedResult {
        guard let teller else { return try await registry.perform(call, as: id) }
        if let limit { teller.watch(for: limit, on: environment.time) }
        do {
            let result = try await registry.perform(call, as: id)
            teller.tell(.succeeded)
            return result
        } catch {
            teller.tell(CallEvent.Change(failure: error))
            throw error
        }
    }

    func outcome<Kind: TypedRequest>(
        _ admission: Result<AdmittedCall<Kind>, any Error>
    ) async -> CallOutcome<Kind.Output> {
        CallOutcome(await Result.of { try await perform(admission.get()).value })
    }

    func endpoint(for request: some TypedRequest) throws -> Endpoint {
        guard let endpoint = endpoints.first(where: { $0.servesAll || $0.supports(request) }) else {
            throw UnsupportedRequestError(requestType: "\(type(of: request))", endpoints: endpoints.map(\.name))
        }
        return endpoint
    }
}

/// A call that is registered but hasn't begun.
struct AdmittedCall<Kind: TypedRequest>: Sendable {
    let call: TypedCall<Kind>
    let id: CallID
    let teller: CallTeller?
}
