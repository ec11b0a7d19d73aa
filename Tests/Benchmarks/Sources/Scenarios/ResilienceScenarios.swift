import HTTPChainCircuitBreaker
import HTTPChainConcurrencyLimit
import HTTPChainCore
import HTTPChainFallback
import HTTPChainHedging
import HTTPChainLoadShedding
import HTTPChainRateLimit
import HTTPTypes

/// What the stages for resilience cost a call that none of them stops.
public enum ResilienceScenarios {
    /// The chain without them.
    public static let baseline = "resilience.none"

    /// The baseline, and each stage over it: a closed circuit, limits that are not reached, a call that is not hedged.
    public static func stages() throws -> [Scenario] {
        let plenty = RateLimit(1_000_000_000, per: .seconds(1))
        return [
            try scenario(baseline, []),
            try scenario("resilience.breaker", [CircuitBreakerMiddleware()]),
            try scenario("resilience.ratelimit", [RateLimitMiddleware(plenty)]),
            try scenario("resilience.ratelimit.server", [RateLimitMiddleware()]),
            try scenario("resilience.concurrency", [ConcurrencyLimitMiddleware()]),
            try scenario("resilience.concurrency.fixed", [ConcurrencyLimitMiddleware(.fixed(100))]),
            try scenario("resilience.shedding", [LoadSheddingMiddleware()]),
            try scenario("resilience.fallback", [FallbackMiddleware(.response(Response(.ok)))]),
            try scenario("resilience.hedging.passing", [HedgingMiddleware()], .post),
            // A call that may be hedged runs in a child task beside its timer.
            try scenario("resilience.hedging.armed", [HedgingMiddleware(HedgingPolicy(after: .fixed(.seconds(60))))]),
        ]
    }

    private static func scenario(
        _ name: String,
        _ stages: [any Middleware],
        _ method: HTTPRequest.Method = .get
    ) throws -> Scenario {
        let chain = try Chain(stages, transport: CannedTransport())
        var template = ChainScenarios.request()
        template.head.method = method
        return Scenario(name: name) { [template] count in
            for _ in 0..<count {
                _ = try await chain.send(template)
            }
        }
    }
}
