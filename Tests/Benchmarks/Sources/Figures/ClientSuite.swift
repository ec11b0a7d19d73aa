import Scenarios

extension Suite {
    /// What a typed call costs over making the same request and sending it through the chain below: the registry, the
    /// task that can be cancelled, the events, the result.
    static let client = Suite(name: "client", prefixes: ["client"], run: measureClient)

    private static func measureClient() async throws -> [Figure] {
        let scenarios = try ClientScenarios.all()
        let measured = try await Measurements.of(scenarios, count: 20_000, rounds: 25)
        var figures = scenarios.flatMap { measured.figures(of: $0.name) }
        for name in ["client.call", "client.call.key", "client.call.endpoints"] {
            let overhead = measured.time(of: name) - measured.time(of: "client.request")
            figures.append(Figure(name: "\(name).overhead", value: overhead, unit: "ns"))
        }
        return figures
    }
}
