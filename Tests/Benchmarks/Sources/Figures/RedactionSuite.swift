import Scenarios

extension Suite {
    /// What it takes to look for secrets in a message, a body and a URL.
    static let redaction = Suite(name: "redaction", prefixes: ["redaction"]) {
        let scenarios = RedactionScenarios.all()
        let measured = try await Measurements.of(scenarios, count: 10_000, rounds: 15)
        return try await scenarios.flatMap { measured.figures(of: $0.name) } + Suite.throughput()
    }

    /// How many megabytes pass in a second: of ordinary text, and of the text that takes the scanner longest.
    private static func throughput() async throws -> [Figure] {
        let ordinary = RedactionScenarios.ordinary()
        let scenarios = [ordinary] + RedactionScenarios.hard()
        let measured = try await Measurements.of(scenarios, count: 1, rounds: 5)
        func megabytes(_ time: Double) -> Double { Double(RedactionScenarios.size) / time * 1_000 }
        let longest = scenarios.map { measured.time(of: $0.name) }.max() ?? .infinity
        return [
            Figure(name: "redaction.throughput", value: megabytes(measured.time(of: ordinary.name)), unit: "MB/s"),
            Figure(name: "redaction.throughput.worst", value: megabytes(longest), unit: "MB/s"),
        ]
    }
}
