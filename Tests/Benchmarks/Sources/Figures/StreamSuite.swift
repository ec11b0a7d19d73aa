import Scenarios

extension Suite {
    /// What an event costs against a line of a plain splitter, and what a huge one holds.
    static let streams = Suite(name: "streams", prefixes: ["streams"]) {
        let scenarios = [
            StreamScenarios.lines(named: "streams.lines"), StreamScenarios.parser(named: "streams.parser"),
            try StreamScenarios.stream(named: "streams.chain"),
        ]
        let measured = try await Measurements.of(scenarios, count: 100, rounds: 15)
        var figures = scenarios.map { scenario in
            let time = measured.time(of: scenario.name) / Double(StreamScenarios.eventsInChunk)
            return Figure(name: scenario.name, value: 1e9 / time, unit: "events/s")
        }
        for scenario in scenarios.dropFirst() {
            let ratio = measured.ratio(scenario.name, to: "streams.lines")
            figures.append(Figure(name: "\(scenario.name).ratio", value: ratio, unit: "x"))
        }
        let growth = try await ResidentMemory.growth(
            warmingUp: { try await StreamScenarios.hugeEvent(of: 1 << 20, named: "").run(1) },
            while: { try await StreamScenarios.hugeEvent(of: 1 << 30, named: "").run(1) }
        )
        if let growth { figures.append(Figure(name: "streams.memory.event1g", value: growth, unit: "MiB")) }
        return figures
    }
}
