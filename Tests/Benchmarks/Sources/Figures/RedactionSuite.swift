import Scenarios

extension Suite {
    /// What it takes to look for secrets in a message, a body and a URL.
    static let redaction = Suite(name: "redaction", prefixes: ["redaction"]) {
        let scenarios = RedactionScenarios.all()
        let measured = try await Measurements.of(scenarios, count: 10_000, rounds: 15)
        return scenarios.flatMap { measured.figures(of: $0.name) }
    }
}
