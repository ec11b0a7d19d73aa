import Scenarios

extension Suite {
    /// What preemptive credentials add to a call.
    static let auth = Suite(name: "auth", prefixes: ["auth"]) {
        let stages = try await AuthScenarios.stages()
        let calls = try await Measurements.of(stages, count: 10_000, rounds: 15)
        return stages.flatMap { calls.figures(of: $0.name, over: AuthScenarios.baseline) }
    }
}
