import Scenarios

extension Suite {
    /// What recording adds to a call, what replaying one takes, and what a large body leaves behind.
    static let har = Suite(name: "har", prefixes: ["har"]) {
        let bare = try HARScenarios.bare(named: "har.bare")
        let recorded = HARScenarios.recorded(named: "har.recorded", settling: "")
        let whole = [
            HARScenarios.written(named: "har.written"), try await HARScenarios.replayed(named: "har.replayed"),
        ]
        let measured = try await Measurements.of([bare] + recorded + whole, count: 500, rounds: 15)
        var figures = [bare.name, "har.recorded"].map {
            Figure(name: $0, value: measured.time(of: $0) / 1000, unit: "µs")
        }
        for scenario in whole {
            figures.append(Figure(name: scenario.name, value: measured.time(of: scenario.name) / 1000, unit: "µs"))
            guard let count = measured.allocations[scenario.name], let common = measured.allocations[bare.name] else {
                continue
            }
            figures.append(Figure(name: "\(scenario.name).allocations", value: count - common, unit: "count"))
        }
        let added = measured.time(of: "har.recorded") - measured.time(of: "har.bare")
        figures.append(Figure(name: "har.record", value: added / 1000, unit: "µs"))
        return try await figures + largeBodies()
    }

    private static func largeBodies() async throws -> [Figure] {
        let bodies = [
            HARScenarios.large(chunks: HARScenarios.chunks, recording: false, named: "har.body.bare"),
            HARScenarios.large(chunks: HARScenarios.chunks, recording: true, named: "har.body"),
        ]
        let measured = try await Measurements.of(bodies, count: 20, rounds: 15)
        let chunks = Double(HARScenarios.chunks)
        let added = measured.time(of: "har.body") - measured.time(of: "har.body.bare")
        var figures = [Figure(name: "har.body", value: added / chunks, unit: "ns/chunk")]
        if let count = measured.allocations["har.body"], let common = measured.allocations["har.body.bare"] {
            let value = ((count - common) / chunks * 100).rounded() / 100
            figures.append(Figure(name: "har.body.allocations", value: value, unit: "count/chunk"))
        }
        let growth = try await ResidentMemory.growth(
            warmingUp: { try await HARScenarios.large(chunks: 256, recording: true, named: "").run(1) },
            while: { try await HARScenarios.large(chunks: 16_384, recording: true, named: "").run(1) }
        )
        if let growth { figures.append(Figure(name: "har.memory.body1g", value: growth, unit: "MiB")) }
        return figures
    }
}
