import Scenarios

extension Suite {
    /// What circuit breaker, limits, shedding, fallback and hedging add to a call that none of them stops.
    static let resilience = Suite(name: "resilience", prefixes: ["resilience"]) {
        var figures: [Figure] = []
        for inside in ResilienceScenarios.Inside.allCases {
            let stages = try ResilienceScenarios.all(inside)
            let calls = try await Measurements.of(stages, count: 10_000, rounds: 15)
            figures += stages.flatMap { calls.figures(of: $0.name, over: ResilienceScenarios.baseline(inside)) }
        }
        return figures
    }
}
