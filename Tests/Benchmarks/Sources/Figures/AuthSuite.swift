import Scenarios

extension Suite {
    /// What preemptive credentials add to a call, and how long a digest answer takes from the password on.
    static let auth = Suite(name: "auth", prefixes: ["auth"]) {
        let stages = try await AuthScenarios.stages()
        let answers = AuthScenarios.answers()
        let calls = try await Measurements.of(stages, count: 10_000, rounds: 15)
        let computed = try await Measurements.of(answers, count: 2000, rounds: 15)
        return stages.flatMap { calls.figures(of: $0.name, over: AuthScenarios.baseline) }
            + answers.flatMap { computed.figures(of: $0.name) }
    }
}
