public import HTTPChainCore
import HTTPTypes

/// Keeps to a rate of calls, the server's or one of your own.
///
/// ```swift
/// let chain = try Chain(transport: transport) {
///     RateLimitMiddleware(RateLimit(100, per: .seconds(60)), RateLimit(10, per: .seconds(1)))
/// }
/// ```
///
/// **Limits of your own** are token buckets by origin, or by a key of yours; all of them have to let a call through.
/// A call that comes too early waits for its turn, first come first served, up to a time and a number of calls; where
/// its turn would come too late, or later than its deadline, it is refused at once with ``RateLimitExceededError``.
/// One that is cancelled while it waits takes nothing, and what a stage inside refused is given back.
///
/// **The server's limits** are kept as its responses tell them: `RateLimit` with `RateLimit-Policy` (IETF draft
/// httpapi-ratelimit-headers), `X-RateLimit-Remaining` with `-Reset` and its relatives in seconds, as a date or since
/// 1970. What is left is counted down with each call, those in flight included; at zero, calls wait until the reset.
/// A policy with several partition keys (`pk`) has what is left of each; to keep the calls of one from waiting for
/// another, group by what tells them apart.
/// After a 429 or 503 with `Retry-After` (RFC 9110 §10.2.3) all calls of the group wait that long, not only the one
/// that was answered so. `RateLimitMiddleware()` keeps the server's limits alone.
///
/// **Place.** Phase ``/HTTPChainCore/Phase/rateLimit``: each attempt counts, inside a circuit breaker and outside a
/// concurrency limit.
///
/// **Options.** ``RateLimitWeight`` (in short ``HTTPChainCore/Request/rateLimitWeight(_:)``) is how many tokens a call
/// takes.
///
/// **Errors.** ``RateLimitExceededError``, with the time until the call could have its turn; what a store throws.
public struct RateLimitMiddleware: Middleware {
    /// The limits.
    public let limiter: RateLimiter

    /// Makes a stage with limits of its own, or with the server's alone.
    ///
    /// - Parameters:
    ///   - limits: The limits, all of which have to let a call through; none for the server's own alone.
    ///   - group: What has limits of its own; each origin by default.
    ///   - excess: What happens to a call that comes when a limit is reached; it waits up to 10 seconds by default.
    ///   - obeysServer: Whether the server's own limits are kept; they are by default.
    public init(
        _ limits: RateLimit...,
        by group: RequestGroup = .origin,
        excess: RateLimitExcess = .wait(upTo: .seconds(10)),
        obeysServer: Bool = true
    ) {
        limiter = RateLimiter(limits, by: group, excess: excess, obeysServer: obeysServer)
    }

    /// Makes a stage with limits that are shared.
    public init(_ limiter: RateLimiter) {
        self.limiter = limiter
    }

    /// For each attempt, outside a concurrency limit.
    public var phase: Phase { .rateLimit }

    /// The limits, and what happens beyond them.
    public var summary: StageSummary {
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

    /// Passes the request on when the limits let it through.
    ///
    /// - Throws: ``RateLimitExceededError``; what a store and the stages inside throw; `CancellationError`.
    @inline(__always)  // Into the protocol's witness, which saves each call a frame.
    public func intercept(_ request: consuming Request, next: Next) async throws -> Response {
        guard let group = limiter.limitedGroup(for: request) else { return try await next(request) }
        let environment = CallEnvironment(of: request.options)
        let tokens = Self.weight(of: request)
        if !group.enterAtOnce(tokens, environment) { try await wait(request, group, tokens) }
        do {
            let response = try await next(request)
            if limiter.obeysServer, Self.mayTellLimits(response.head) {
                let time = environment.value.time
                group.finish(ServerLimits(response.head, now: time.date), at: time.elapsed)
            } else {
                group.finish()
            }
            return response
        } catch {
            await fail(error, group, tokens, environment)
            throw error
        }
    }

    @inline(__always)
    private static func weight(of request: borrowing Request) -> Int {
        request.options.contains(RateLimitWeight.self) ? max(0, request.options[RateLimitWeight.self]) : 1
    }

    private func fail(
        _ error: any Error,
        _ group: LimitedGroup,
        _ tokens: Int,
        _ environment: CallEnvironment
    ) async {
        if error is any RefusalError {
            await group.giveBack(tokens, at: environment.elapsed)
        } else {
            group.finish()
        }
    }

    private func wait(
        _ request: borrowing Request,
        _ group: LimitedGroup,
        _ tokens: Int
    ) async throws {
        let head = request.head
        let time = request.environment.time
        do {
            try await group.enter(tokens, limiter.excess, remaining: request.remainingTime, time)
        } catch let refusal as LimitedGroup.Refusal {
            throw RateLimitExceededError(
                key: group.key,
                cause: refusal.cause,
                retryAfter: refusal.wait,
                exchange: ExchangeSnapshot(head, redaction: request.redaction)
            )
        }
    }

    /// Whether it is worth to look closer: most responses say nothing about limits.
    private static func mayTellLimits(_ head: HTTPResponse) -> Bool {
        let code = head.status.code
        if code == 429 || code == 503 { return true }
        for field in head.headerFields where mayTellLimits(field.name.canonicalName) { return true }
        return false
    }

    /// Whether "rate" is in a name, in one pass over its bytes.
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
