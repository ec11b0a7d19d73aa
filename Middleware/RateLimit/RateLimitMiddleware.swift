public import HTTPChainCore
import HTTPChainSupport
import HTTPTypes

/// Limits the rate of calls, by the server's limits and your own.
///
/// ```swift
/// let chain = try Chain(transport: transport) {
///     RateLimitMiddleware(RateLimit(100, per: .seconds(60)), RateLimit(10, per: .seconds(1)))
/// }
/// ```
///
/// **Your own limits** are token buckets, one for each origin or for each key that you define. All of them must allow a
/// call. Calls that exceed a limit wait for their turn in order of arrival, up to a maximum time and number of calls. A
/// call whose turn would come too late, or after its deadline, is refused immediately with ``RateLimitExceededError``.
/// A call that is cancelled while it waits takes no tokens, and the tokens of a call refused by an inner stage are
/// returned.
///
/// **The server's limits** are read from its responses: `RateLimit` with `RateLimit-Policy` (IETF draft
/// httpapi-ratelimit-headers), `X-RateLimit-Remaining` with `-Reset`, and similar fields. A reset may be in seconds, a
/// date, or a time since 1970. The remaining number is counted down with each call, including those in flight. At zero,
/// calls wait until the reset. If a policy has several partition keys (`pk`), the remaining number is tracked for each
/// of them. Group calls by partition to prevent those of one partition from waiting for another. After a 429 or 503
/// with `Retry-After` (RFC 9110 §10.2.3), all calls of the group wait for that time. `RateLimitMiddleware()` obeys only
/// the server's limits.
///
/// **Place.** Phase ``/HTTPChainCore/Phase/rateLimit``, inside a circuit breaker and outside a concurrency limit. Each
/// attempt counts.
///
/// **Options.** ``HTTPChainCore/Request/rateLimit(weight:)`` sets the number of tokens that a call takes.
///
/// **Errors.** ``RateLimitExceededError``, with the time until the call might be admitted; errors of a store.
public struct RateLimitMiddleware: BuiltInStage {
    /// The limiter.
    package let limiter: RateLimiter
    /// The options that the stage reads.
    ///
    /// None if there are no limits.
    package let stageOptions: [any RequestOption.Type]

    /// Creates a stage with limits that it doesn't share.
    ///
    /// Without any, it obeys only the server's.
    ///
    /// - Parameters:
    ///   - limits: The limits, all of which must allow a call. Without any, only the server's limits apply.
    ///   - group: The rule by which requests share limits; by origin by default.
    ///   - excess: The treatment of calls when a limit is reached. By default, they wait for up to 10 seconds.
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

    /// Applies to each attempt, outside a concurrency limit.
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

    /// Whether the buckets are in memory, so that waits can be limited by the deadline.
    ///
    /// A store can take any amount of time.
    package var stageKeepsDeadlines: Bool { !limiter.hasStore }

    /// Passes the request on as soon as the limits allow it.
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
        let hasEntered = Locked(false)
        do {
            let excess = limiter.excess
            // Waiting may take longer than estimated.
            try await request.withinDeadline {
                try await group.enter(tokens, excess, until: { options.deadline }, time)
                hasEntered.withLock { $0 = true }
            }
        } catch let refusal as LimitedGroup.Refusal {
            throw RateLimitExceededError(
                key: group.key,
                cause: refusal.cause,
                retryAfter: refusal.wait,
                failedExchange: ExchangeSnapshot(head, redaction: request.redaction)
            )
        } catch {
            // The call may be admitted at the moment in which its time ends.
            if hasEntered.withLock({ $0 }) { await group.giveBack(tokens, at: time.elapsed) }
            throw error
        }
    }

    /// Returns whether the response may have information about limits.
    ///
    /// Most responses don't, so this is a quick check.
    private static func mayTellLimits(_ head: HTTPResponse) -> Bool {
        let code = head.status.code
        if code == 429 || code == 503 { return true }
        for field in head.headerFields where mayTellLimits(field.name.canonicalName) { return true }
        return false
    }

    /// Returns whether a name contains "rate", in one pass over its bytes.
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
