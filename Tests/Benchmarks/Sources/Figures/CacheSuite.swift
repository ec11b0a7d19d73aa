import Foundation
import Scenarios

extension Suite {
    /// What a hit costs, in memory and in files, beside the bare work, and how it grows with the number of entries.
    static let cache = Suite(name: "cache", prefixes: ["cache"], run: measureCache)

    private static func measureCache() async throws -> [Figure] {
        let memory = try await CacheScenarios.memory()
        let hits = try await Measurements.of(memory, count: 20_000, rounds: 15)
        let (small, large) = try await CacheScenarios.sizes()
        let sizes = try await Measurements.of([small, large], count: 20_000, rounds: 15)
        let directory = FileManager.default.temporaryDirectory.appendingPathComponent("figures-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: directory) }
        let file = try await CacheScenarios.file(in: directory)
        let files = try await Measurements.of(file, count: 1000, rounds: 15)
        return memory.flatMap { hits.figures(of: $0.name) } + file.flatMap { files.figures(of: $0.name) }
            + [
                Figure(name: "cache.growth.ratio", value: sizes.ratio(large.name, to: small.name), unit: "x"),
                try await throughput(of: memory[0]),
            ]
    }

    /// Hits a second from two tasks at once.
    private static func throughput(of hits: Scenario) async throws -> Figure {
        let count = 200_000
        let start = ContinuousClock.now
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<2 { group.addTask { try await hits.run(count) } }
            try await group.waitForAll()
        }
        let seconds = start.duration(to: .now).nanoseconds / 1e9
        return Figure(name: "cache.memory.throughput", value: Double(2 * count) / seconds, unit: "hits/s")
    }
}
