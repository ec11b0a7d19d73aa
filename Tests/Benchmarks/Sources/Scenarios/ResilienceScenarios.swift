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
    /// What stands inside the stage that is measured.
    public enum Inside: Sendable, CaseIterable {
        /// The transport.
        case nothing
        /// A stage that sets a header field and an option, as authentication and retry do: what the outer stage keeps of
        /// the request shows in what they cost.
        case field

        var suffix: String { self == .field ? ".field" : "" }

        var stages: [any Middleware] {
            switch self {
            case .nothing: []
            case .field:
                [HeaderStage(ChainScenarios.fields[0].name, ChainScenarios.fields[0].value), OptionStage()]
            }
        }
    }

    /// The chain without them.
    public static func baseline(_ inside: Inside) -> String { "resilience\(inside.suffix).none" }

    /// The baseline, and each stage over it: a closed circuit, limits that are not reached, a call that is not hedged.
    public static func all(_ inside: Inside) throws -> [Scenario] {
        let plenty = RateLimit(1_000_000_000, per: .seconds(1))
        let stages: [(name: String, stages: [any Middleware], method: HTTPRequest.Method)] = [
            ("none", [], .get),
            ("breaker", [CircuitBreakerMiddleware()], .get),
            ("ratelimit", [RateLimitMiddleware(plenty)], .get),
            ("ratelimit.server", [RateLimitMiddleware()], .get),
            ("concurrency", [ConcurrencyLimitMiddleware()], .get),
            ("concurrency.fixed", [ConcurrencyLimitMiddleware(.fixed(100))], .get),
            ("shedding", [LoadSheddingMiddleware()], .get),
            ("fallback", [FallbackMiddleware(.response(Response(.ok)))], .get),
            ("hedging.passing", [HedgingMiddleware()], .post),
            // A call that may be hedged runs in a child task beside its timer.
            ("hedging.armed", [HedgingMiddleware(HedgingPolicy(after: .fixed(.seconds(60))))], .get),
        ]
        return try stages.map { name, stages, method in
            try scenario("resilience\(inside.suffix).\(name)", stages + inside.stages, method)
        }
    }

    private static func scenario(
        _ name: String,
        _ stages: [any Middleware],
        _ method: HTTPRequest.Method
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

/// Sets an option, as a stage that tells those inside of something.
private struct OptionStage: Middleware {
    private enum Mark: RequestOption {
        static var defaultValue: Int { 0 }
        static func isHarmless(_ value: Value) -> Bool { true }
    }

    func intercept(_ request: consuming Request, next: Next) async throws -> Response {
        request.options[Mark.self] = 1
        return try await next(request)
    }
}
