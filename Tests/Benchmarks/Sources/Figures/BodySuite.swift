import Scenarios

extension Suite {
    /// What it costs to read a body in chunks of 64 KiB through transforms and after a look at its beginning, and how
    /// gzip, brotli, zstd and forms compare with C.
    static let body = Suite(
        name: "body",
        prefixes: ["body", "memory", "gzip", "gunzip", "brotli", "zstd", "multipart", "urltemplate"],
        run: measureBody
    )

    private static func measureBody() async throws -> [Figure] {
        var figures: [Figure] = []
        let growth = try await ResidentMemory.growth(for: 2 << 30) { file in
            try await BodyScenarios.file(file, transforms: 8, named: "").run(1)
        }
        if let growth { figures.append(Figure(name: "memory.file2g.chain8", value: growth, unit: "MiB")) }
        figures += try await multipart()
        let file = try BodyScenarios.sparseFile(of: 16 << 20)
        defer { file.delete() }
        let scenarios = [
            BodyScenarios.bytes(transforms: 0, named: "body.transform.0"),
            BodyScenarios.bytes(transforms: 1, named: "body.transform.1"),
            BodyScenarios.bytes(transforms: 8, named: "body.transform.8"),
            BodyScenarios.peek(named: "body.peek"),
            try BodyScenarios.file(file, transforms: 0, named: "body.file"),
            try BodyScenarios.file(file, transforms: 8, named: "body.file.chain8"),
        ]
        let measured = try await Measurements.of(scenarios, count: 4, rounds: 25)
        for scenario in scenarios {
            let chunks = Double(BodyScenarios.chunks)
            let time = measured.time(of: scenario.name) / chunks
            figures.append(Figure(name: scenario.name, value: time, unit: "ns/chunk"))
            if let allocations = measured.allocations[scenario.name] {
                let value = (allocations / chunks * 100).rounded() / 100
                figures.append(Figure(name: "\(scenario.name).allocations", value: value, unit: "count/chunk"))
            }
        }
        return try await figures + urlTemplates() + CodingFigures.measure()
    }

    private static func urlTemplates() async throws -> [Figure] {
        let scenarios = [
            try URLTemplateScenarios.expanding(named: "urltemplate.expand"),
            try URLTemplateScenarios.building(named: "urltemplate.build"),
        ]
        let measured = try await Measurements.of(scenarios, count: 20_000, rounds: 15)
        return scenarios.flatMap { measured.figures(of: $0.name) }
    }
}
