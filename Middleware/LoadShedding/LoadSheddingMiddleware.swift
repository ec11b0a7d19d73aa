public import HTTPChainCore
import HTTPTypes

/// Refuses a random share of the calls at the client while the server refuses most of them.
///
/// ```swift
/// let chain = try Chain(transport: transport) {
///     LoadSheddingMiddleware()
/// }
/// ```
///
/// An overloaded server spends much of its capacity on refusing calls. With this stage, each client sends about twice
/// as many calls as are accepted (see `multiplier`) and refuses the rest with ``LoadShedError``. This is adaptive
/// throttling, as in "Site Reliability Engineering", chapter 21. A circuit breaker stops sending for a while and then
/// probes the server. This stage always sends some calls, and so suits a server that still serves some of them.
///
/// **Accepted calls.** A call counts as accepted if its response is anything but 429, 503 or 504. Timeouts of attempts
/// and failed or lost connections count as not accepted. Timeouts of the whole call, cancelled calls and refusals by
/// inner stages aren't counted at all. A call is counted when it ends, because many concurrent calls don't indicate an
/// overload.
///
/// **Place.** Phase ``/HTTPChainCore/Phase/breaker``: each attempt passes through it before it waits for anything.
///
/// **Errors.** ``LoadShedError``.
public struct LoadSheddingMiddleware: BuiltInStage {
    private let policy: LoadSheddingPolicy
    private let group: RequestGroup
    private let groups: GroupTable<SharedShedding>

    /// Creates the stage.
    ///
    /// - Parameters:
    ///   - policy: The conditions for refusing calls.
    ///   - group: The rule by which calls are counted together; by origin by default.
    public init(_ policy: LoadSheddingPolicy = LoadSheddingPolicy(), by group: RequestGroup = .origin) {
        self.policy = policy
        self.group = group
        groups = GroupTable(group, limit: 1000) { SharedShedding($0, policy) }
    }

    /// Applies to each attempt, and is outside the limits.
    package var stagePhase: Phase { .breaker }

    /// The policy.
    package var stageSummary: StageSummary {
        StageSummary(
            "LoadSheddingMiddleware",
            purpose: "refuses what the server would refuse",
            settings: [
                "multiplier": "\(policy.multiplier)", "minimum": "\(policy.minimumCalls) calls",
                "window": policy.window.label, "by": group.description,
                "overload": policy.overloadStatuses.description,
            ]
        )
    }

    /// Passes the request on, or refuses it.
    ///
    /// - Throws: ``LoadShedError``; errors of the inner stages.
    @inline(__always)  // Into the protocol's witness, which saves each call a frame.
    public nonisolated(nonsending) func intercept(_ request: consuming Request, next: Next) async throws -> Response {
        guard let shared = groups.entry(for: request) else { return try await next(request) }
        let started = request.options.elapsed
        try Self.admit(request, shared, at: started)
        do {
            let response = try await next(request)
            let isAccepted = !policy.overloadStatuses.contains(response.status.code)
            shared.rules.withLock { $0.count(isAccepted: isAccepted, at: started) }
            return response
        } catch {
            if !Self.saysNothing(error) { shared.rules.withLock { $0.count(isAccepted: false, at: started) } }
            throw error
        }
    }

    private static func admit(
        _ request: borrowing Request,
        _ shared: SharedShedding,
        at now: Duration
    ) throws(LoadShedError) {
        // If the server accepts enough calls, none are refused, and no random number is needed.
        if shared.rules.withLock({ $0.admitsAll(at: now) }) { return }
        let random = request.environment.random
        let (isAdmitted, probability) = shared.rules.withLock { rules in
            (rules.admit(at: now, random: random), rules.refusalProbability)
        }
        guard isAdmitted else {
            let exchange = ExchangeSnapshot(request.head, redaction: request.redaction)
            throw LoadShedError(key: shared.key, probability: probability, failedExchange: exchange)
        }
    }

    private static func saysNothing(_ error: any Error) -> Bool {
        switch error {
        case let error as TransportError: !OverloadSigns.has(error)
        case let error as any TimeoutFailure: error.scope == .call
        default: true
        }
    }
}

extension LoadSheddingMiddleware: RefusingMiddleware {
    package func refusal(of exchange: ExchangeSnapshot) -> any RefusalError {
        LoadShedError(key: "", probability: 0.5, failedExchange: exchange)
    }
}

/// The counts of one group, shared by tasks.
final class SharedShedding: Sendable {
    let key: String
    let rules: Locked<SheddingRules>

    init(_ key: String, _ policy: LoadSheddingPolicy) {
        self.key = key
        rules = Locked(SheddingRules(policy))
    }
}

/// The error if a call was refused at the client because the server refuses most calls.
///
/// Nothing was sent.
public struct LoadShedError: RefusalError, AnnotatedError, ExplainedError {
    /// The key of the group: the origin, unless another one was chosen.
    public let key: String
    /// The current probability of a refusal, from 0 to 1.
    package let probability: Double
    /// The redacted request.
    package let failedExchange: ExchangeSnapshot?
    /// The notes that stages added.
    package var notes = ErrorNotes()

    /// Always "LoadSheddingMiddleware".
    package var failedStage: String { "LoadSheddingMiddleware" }

    package var explanation: Explanation {
        Explanation(
            "the server\(key.isEmpty ? "" : " at \(key)") refuses most calls, so that \(Int(probability * 100)) % of them "
                + "are refused here; nothing was sent; try again later"
        )
    }
}
