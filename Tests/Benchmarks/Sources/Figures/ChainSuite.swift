import Scenarios

extension Suite {
    /// What a chain costs: stages that do nothing, stages that set a header field, the same fields set with no chain, and
    /// async calls that are nothing else.
    static let chain = Suite(name: "chain", prefixes: ["chain", "async", "direct", "inmemory"], run: measureChain)

    private static func measureChain() async throws -> [Figure] {
        var figures: [Figure] = []
        let scenarios = try ChainScenarios.all() + AsyncCallScenarios.all()
        let measured = try await Measurements.of(scenarios, count: 20_000, rounds: 25)
        for scenario in scenarios {
            figures += measured.figures(of: scenario.name)
        }
        let perStage = (measured.time(of: "chain.12.pass") - measured.time(of: "chain.0")) / 12
        figures.append(Figure(name: "chain.12.pass.perstage", value: perStage, unit: "ns"))
        if let twelve = measured.allocations["chain.12.pass"], let none = measured.allocations["chain.0"] {
            figures.append(
                Figure(name: "chain.12.pass.perstage.allocations", value: (twelve - none) / 12, unit: "count")
            )
        }
        let check = measured.time(of: "chain.options.checked") - measured.time(of: "chain.options.unchecked")
        figures.append(Figure(name: "chain.options.check", value: check, unit: "ns"))
        let ratio = measured.ratio("chain.12.header", to: "direct.12.header")
        figures.append(Figure(name: "chain.12.header.ratio", value: ratio, unit: "x"))
        for name in ["chain.12.closure", "chain.12.consuming", "chain.12.plain", "chain.12.concurrent"] {
            let ratio = measured.ratio(name, to: "chain.12.pass")
            figures.append(Figure(name: "\(name).ratio", value: ratio, unit: "x"))
        }
        for (name, bare) in [
            ("chain.12.pass", "async.12"), ("chain.12.consuming", "async.12.closure"), ("async.12.closure", "async.12"),
        ] {
            let ratio = measured.ratio(name, to: bare)
            figures.append(Figure(name: "\(name).over.\(bare)", value: ratio, unit: "x"))
        }
        return figures
    }
}
