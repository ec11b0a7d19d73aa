import Scenarios

extension Suite {
    /// What metrics and traces add to a call.
    static let telemetry = Suite(name: "telemetry", prefixes: ["telemetry"]) {
        let scenarios = try TelemetryScenarios.all()
        let calls = try await Measurements.of(scenarios, count: 10_000, rounds: 15)
        return scenarios.flatMap { calls.figures(of: $0.name, over: TelemetryScenarios.baseline) }
    }
}
