import HTTPChainCore
import HTTPChainInMemory
import HTTPChainProgress
import HTTPChainTimeout
import HTTPTypes

/// A running call of a client.
final class TypedCall<Kind: TypedRequest>: CallOperation {
    private typealias Output = CallResult<Kind.Output>

    private let request: Kind
    let settings: CallSettings
    let endpoint: Endpoint
    private let teller: CallTeller?
    private let core: ClientCore
    private let kind: ResultKind<Kind.Output>

    init(_ request: Kind, _ settings: CallSettings, _ endpoint: Endpoint, _ teller: CallTeller?, _ core: ClientCore) {
        self.request = request
        self.settings = settings
        self.endpoint = endpoint
        self.teller = teller
        self.core = core
        kind = request.result
    }

    var value: (any Sendable)? { request }

    var registration: CallRegistration { settings.registration }

    var excludesDuplicates: Bool { settings.registration.excludesDuplicates }

    var keepsPlace: Bool {
        // The output of a mock is already complete.
        guard case .transport = endpoint.handler else { return false }
        return kind.keep != nil
    }

    func perform(as id: CallID) async throws -> ErasedResult {
        teller?.began(as: id)
        guard case .transport(let transport) = endpoint.handler, core.replies == nil else {
            return try await performed()
        }
        let http = try makeRequest(for: transport)
        return try await kind.perform(http, transport, settings.processing ?? core.processing)
    }

    func keep(_ result: ErasedResult, _ place: CallPlace) -> ErasedResult {
        guard let keep = kind.keep else { return result }
        return keep(unsafeDowncast(result, to: Output.self), place)
    }

    /// The store for the reply, and the request by which it is stored; `nil` if it isn't stored.
    private var storage: (ReplyStore, any StoredRequest)? {
        guard settings.storesReply, let replies = core.replies, let stored = request as? any StoredRequest else {
            return nil
        }
        return (replies, stored)
    }

    /// Performs a call that is mocked or whose reply may be stored.
    private func performed() async throws -> Output {
        switch endpoint.handler {
        case .transport(let transport):
            let http = try makeRequest(for: transport)
            let place = settings.processing ?? core.processing
            guard let (replies, stored) = storage else {
                return try await kind.perform(http, transport, place)
            }
            return try await core.storing(stored, http, in: replies, from: endpoint, telling: teller, settings) {
                try await kind.perform(http, type(of: stored).keepingBytes(transport), place)
            }
        case .mock(let answer):
            guard let (replies, stored) = storage else {
                return try await mocked(answer)
            }
            let http = try core.makeRequest(request, settings)
            return try await core.storing(stored, http, in: replies, from: endpoint, telling: teller, settings) {
                try await mocked(answer)
            }
        }
    }

    private func makeRequest(for transport: any Transport) throws -> Request {
        var http = try core.makeRequest(request, settings)
        if endpoint.isBare { try transport.refuseUnreadOptions(of: http) }
        guard let teller else { return http }
        http.options[ConnectivityReportNote.self] = { teller.tell(.waitingForConnectivity($0)) }
        return http.progressIfReported { teller.tell(.progress($0)) }
    }

    /// Runs a mock within the call's time limit, on the client's clock.
    private func withinLimit(_ answer: @escaping @Sendable () async throws -> any Sendable) async throws
        -> any Sendable
    {
        // A mock also works if its request can't be sent, and then has no limit.
        guard var http = try? core.makeRequest(request, settings),
            let limit = http.options[TimeoutOption.self].applied(to: nil)
        else { return try await answer() }
        http.environment = core.environment
        let start = http.environment.time.elapsed
        http.options[DeadlineNote.self] = DeadlineNote.Mark(start + limit, start: start, stage: TimeoutMiddleware.name)
        return try await http.withinDeadline(answer)
    }

    /// Performs a mocked call, which doesn't go through stages, within the call's own time limit.
    private func mocked(
        _ answer: @escaping @Sendable (any TypedRequest, MockContext) async throws -> any Sendable
    ) async throws -> Output {
        try Task.checkCancellation()
        let context = MockContext(helpers: core.helpers, time: core.environment.time)
        let request = request
        let output = try await withinLimit { try await answer(request, context) }
        guard let output = output as? MockOutput<Kind.Output> else {
            throw UnsupportedRequestError(requestType: "\(Kind.self)", endpoints: [endpoint.name])
        }
        try Task.checkCancellation()
        return CallResult(output.value, response: Response(.ok))
    }
}
