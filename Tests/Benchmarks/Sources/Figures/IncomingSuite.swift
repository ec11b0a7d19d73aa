import Scenarios

extension Suite {
    /// What the stages that wait for an answer add to a call whose first answer is good.
    static let incoming = Suite(name: "incoming", prefixes: ["incoming"]) {
        var figures: [Figure] = []
        for inside in IncomingScenarios.Inside.allCases {
            let scenarios = try IncomingScenarios.all(inside)
            let measured = try await Measurements.of(scenarios, count: 20_000, rounds: 15)
            figures += scenarios.flatMap {
                measured.figures(of: $0.name, over: IncomingScenarios.baseline(inside))
            }
        }
        return figures
    }
}
