public import HTTPChainCore
import HTTPTypes

/// Limits the rate of calls, by the server's limits or your own.
///
/// ```swift
/// let chain = try Chain(transport: transport) {
///     RateLimitMiddleware(RateLimit(100, per: .seconds(60)), RateLimit(10, per: .seconds(1)))
/// }
/// ```
///
/// **Your own limits** are token buckets by origin, or by your own key. All of them must allow a call. A call that
/// exceeds a limit waits for its turn in order of arrival, up to a time and a number of calls. If its turn would come
/// too late, or after its deadline, it is refused immediately with ``RateLimitExceededError``. A call that is cancelled
/// while it waits takes no tokens, and the tokens of a call refused by an inner stage are returned.
///
/// **The server's limits** are read from its responses: `RateLimit` with `RateLimit-Policy` (IETF draft
/// httpapi-ratelimit-headers), `X-RateLimit-Remaining` with `-Reset`, and similar fields, in seconds, as a date or
/// since 1970. The remaining number is counted down with each call, including those in flight. At zero, calls wait
/// until the reset. For a policy with several partition keys (`pk`), the remainder of each is tracked. Group by
/// partition to keep calls of one from waiting for another. After a 429 or 503 with `Retry-After` (RFC 9110 §10.2.3),
/// all calls of the group wait for that time. `RateLimitMiddleware()` obeys only the server's limits.
///
/// **Place.** Phase ``/HTTPChainCore/Phase/rateLimit``, inside a circuit breaker and outside a concurrency limit. Each
/// attempt counts.
///
/// **Options.** ``HTTPChainCore/Request/rateLimit(weight:)``: the number of tokens a call takes.
///
/// **Errors.** ``RateLimitExceededError``, with the time until the call could have its turn; errors of a store.
public struct RateLimitMiddleware: BuiltInStage {
    /// The limiter.
    package let limiter: RateLimiter
    /// The options that the stage reads; none without limits.
    package let stageOptions: [any RequestOption.Type]

    /// Creates a stage with its own limits, or only the server's.
    ///
    /// - Parameters:
    ///   - limits: The limits, all of which must allow a call; none to obey only the server's.
    ///   - group: The rule by which requests share limits; by origin by default.
    ///   - excess: The treatment of calls when a limit is reached; they wait up to 10 seconds by default.
    ///   - obeysServer: Whether the server's limits are obeyed; `true` by default.
    public init(
        _ limits: RateLimit...,
        by group: RequestGroup = .origin,
        excess: RateLimitExcess = .wait(upTo: .seconds(10)),
        obeysServer: Bool = true
    ) {
        self.init(RateLimiter(limits, by: group, excess: excess, obeysServer: obeysServer))
    }

    /// Creates a stage with shared limits.
    public init(_ limiter: RateLimiter) {
        self.limiter = limiter
        stageOptions = limiter.limits.isEmpty && !limiter.obeysServer ? [] : [RateLimitOption.self]
    }

    /// For each attempt, outside a concurrency limit.
    package var stagePhase: Phase { .rateLimit }

    /// The limits, and the treatment of calls that exceed them.
    package var stageSummary: StageSummary {
        let own = limiter.limits.map(\.description)
        let all = limiter.obeysServer ? own + ["the server's"] : own
        return StageSummary(
            "RateLimitMiddleware",
            purpose: "keeps to a rate of calls",
            settings: [
                "limits": all.isEmpty ? "none" : all.joined(separator: "; "), "by": limiter.group.description,
                "beyond": limiter.excess.description, "buckets": limiter.hasStore ? "in a store" : "in memory",
            ]
        )
    }

    /// Whether the buckets are in memory.
    ///
    /// A store may keep a call waiting.
    package var stageKeepsDeadlines: Bool { !limiter.hasStore }

    /// Passes the request on when the limits allow it.
    ///
    /// - Throws: ``RateLimitExceededError``; errors of a store and of the inner stages; `CancellationError`.
    @inline(__always)  // Into the protocol's witness, which saves each call a frame.
    public nonisolated(nonsending) func intercept(_ request: consuming Request, next: Next) async throws -> Response {
        guard let group = limiter.limitedGroup(for: request) else { return try await next(request) }
        let environment = CallEnvironment(of: request.options)
        let tokens = Self.weight(of: request)
        if !group.enterAtOnce(tokens, environment) { try await wait(request, group, tokens) }
        do {
            let response = try await next(request)
            if limiter.obeysServer, let head = response.receivedHead, Self.mayTellLimits(head) {
                let time = environment.value.time
                group.finish(ServerLimits(head, now: time.date), at: time.elapsed)
            } else {
                group.finish()
            }
            return response
        } catch {
            if error is any RefusalError {
                await group.giveBack(tokens, at: environment.elapsed)
            } else {
                group.finish()
            }
            throw error
        }
    }

    @inline(__always)
    private static func weight(of request: borrowing Request) -> Int {
        request.options.contains(RateLimitOption.self) ? max(0, request.options[RateLimitOption.self]) : 1
    }

    private func wait(
        _ request: borrowing Request,
        _ group: LimitedGroup,
        _ tokens: Int
    ) async throws {
        let head = request.head
        let time = request.environment.time
        let options = request.options
        do {
            let excess = limiter.excess
            // Waiting may take longer than the estimate.
            try await request.withinDeadline {
                try await group.enter(tokens, excess, until: { options.deadline }, time)
            }
        } catch let refusal as LimitedGroup.Refusal {
            throw RateLimitExceededError(
                key: group.key,
                cause: refusal.cause,
                retryAfter: refusal.wait,
                failedExchange: ExchangeSnapshot(head, redaction: request.redaction)
            )
        }
    }

    /// Whether the response may have information about limits.
    ///
    /// Most have none.
    private static func mayTellLimits(_ head: HTTPResponse) -> Bool {
        let code = head.status.code
        if code == 429 || code == 503 { return true }
        for field in head.headerFields where mayTellLimits(field.name.canonicalName) { return true }
        return false
    }

    /// Whether a name contains "rate", in one pass over its bytes.
    private static func mayTellLimits(_ name: String) -> Bool {
        var name = name
        return name.withUTF8 { bytes in
            guard bytes.count >= 9 else { return false }
            for index in 0..<(bytes.count - 3) where bytes[index] == UInt8(ascii: "r") {
                if bytes[index + 1] == UInt8(ascii: "a"), bytes[index + 2] == UInt8(ascii: "t"),
                    bytes[index + 3] == UInt8(ascii: "e")
                {
                    return true
                }
            }
            return false
        }
    }
}
