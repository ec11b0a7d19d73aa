import Scenarios

extension Suite {
    /// What it costs to send a file as a part of a form.
    static func multipart() async throws -> [Figure] {
        var figures: [Figure] = []
        let growth = try await ResidentMemory.growth(for: 5_000_000_000) { file in
            try await MultipartScenarios.upload(file, named: "").run(1)
        }
        if let growth { figures.append(Figure(name: "memory.file5g.multipart", value: growth, unit: "MiB")) }

        let file = try BodyScenarios.sparseFile(of: 1 << 30)
        defer { file.delete() }
        let frame = try await MultipartScenarios.frame(file, named: "multipart.frame")
        let copy = try MultipartScenarios.copy(file, named: "multipart.copy")
        let measured = try await Measurements.of([frame, copy], count: 1, rounds: 15)
        for scenario in [frame, copy] {
            let time = measured.time(of: scenario.name) / Double(file.size >> 20)
            figures.append(Figure(name: scenario.name, value: time, unit: "ns/MiB"))
        }
        let ratio = measured.ratio(copy.name, to: frame.name)
        return figures + [Figure(name: "multipart.ratio", value: ratio, unit: "x")]
    }
}
