public import HTTPChainCore
import HTTPTypes

/// Refuses calls at the client, by chance and as many as needed, while the server refuses most of them.
///
/// ```swift
/// let chain = try Chain(transport: transport) {
///     LoadSheddingMiddleware()
/// }
/// ```
///
/// A server that is overloaded spends much of what it can do on refusing calls. With this stage each client sends about
/// twice as many calls as are accepted (``LoadSheddingPolicy/multiplier``) and refuses the rest with
/// ``LoadShedError``: adaptive throttling, as in "Site Reliability Engineering", chapter 21. Where a circuit breaker
/// sends nothing for a while and then probes, this one always sends some calls, and so goes well with a server that
/// still answers a part of them.
///
/// **What is accepted.** Every response but 429, 503 and 504. Timeouts and connections that are lost or not made are
/// not accepted; cancelled calls and refusals by stages inside do not count. A call counts when it ends: many at once are
/// no sign of an overload.
///
/// **Place.** Phase ``/HTTPChainCore/Phase/breaker``: each attempt, before it waits for anything.
///
/// **Errors.** ``LoadShedError``.
public struct LoadSheddingMiddleware: Middleware {
    private let policy: LoadSheddingPolicy
    private let group: RequestGroup
    private let groups: GroupTable<SharedShedding>

    /// Makes the stage.
    ///
    /// - Parameters:
    ///   - policy: From when on calls are refused.
    ///   - group: Which calls are counted together; those of each origin by default.
    public init(_ policy: LoadSheddingPolicy = LoadSheddingPolicy(), by group: RequestGroup = .origin) {
        self.policy = policy
        self.group = group
        groups = GroupTable(group, limit: 1000) { SharedShedding($0, policy) }
    }

    /// For each attempt, outside the limits.
    public var phase: Phase { .breaker }

    /// The policy.
    public var summary: StageSummary {
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
    /// - Throws: ``LoadShedError``; what the stages inside throw.
    @inline(__always)  // Into the protocol's witness, which saves each call a frame.
    public func intercept(_ request: consuming Request, next: Next) async throws -> Response {
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

    @inline(__always)
    private static func admit(
        _ request: borrowing Request,
        _ shared: SharedShedding,
        at now: Duration
    ) throws(LoadShedError) {
        // A server that accepts enough refuses nothing, and no number has to be drawn.
        if shared.rules.withLock({ $0.admitsAll(at: now) }) { return }
        try decide(request, shared, at: now)
    }

    private static func decide(
        _ request: borrowing Request,
        _ shared: SharedShedding,
        at now: Duration
    ) throws(LoadShedError) {
        let random = request.environment.random
        let (isAdmitted, probability) = shared.rules.withLock { rules in
            (rules.admit(at: now, random: random), rules.refusalProbability)
        }
        guard isAdmitted else {
            let exchange = ExchangeSnapshot(request.head, redaction: request.redaction)
            throw LoadShedError(key: shared.key, probability: probability, exchange: exchange)
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
        LoadShedError(key: "", probability: 0.5, exchange: exchange)
    }
}

/// The counts of one group, which tasks share.
final class SharedShedding: Sendable {
    let key: String
    let rules: Locked<SheddingRules>

    init(_ key: String, _ policy: LoadSheddingPolicy) {
        self.key = key
        rules = Locked(SheddingRules(policy))
    }
}

/// A call was refused at the client because the server refuses most calls; nothing was sent.
public struct LoadShedError: RefusalError, AnnotatedError {
    /// The key of the group: the origin, unless another one was chosen.
    public let key: String
    /// With which probability calls are refused now, from 0 to 1.
    public let probability: Double
    /// The request, redacted.
    public let exchange: ExchangeSnapshot?
    /// The notes that stages added.
    public var notes = ErrorNotes()

    init(key: String, probability: Double, exchange: ExchangeSnapshot) {
        self.key = key
        self.probability = probability
        self.exchange = exchange
    }

    /// Not known: chance decides for each call.
    public var retryAfter: Duration? { nil }

    /// Always "LoadSheddingMiddleware".
    public var stage: String { "LoadSheddingMiddleware" }

    /// The number of calls that are refused, and why.
    public var reason: String {
        "the server\(key.isEmpty ? "" : " at \(key)") refuses most calls, so that \(Int(probability * 100)) % of them are "
            + "refused here; nothing was sent; try again later"
    }
}
