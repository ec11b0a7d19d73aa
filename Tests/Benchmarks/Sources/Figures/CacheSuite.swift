import Foundation
import ImmediateReads
import Scenarios

extension Suite {
    /// What a hit costs, in memory, in files and in a database, beside the bare work, and how it grows with the number
    /// of entries.
    static let cache = Suite(name: "cache", prefixes: ["cache"], run: measureCache)

    /// `FIGURES_LARGE` in the environment has ten times as many entries looked up and opened, and the database filled as
    /// the files are, which takes gigabytes and minutes.
    private static let isLarge = ProcessInfo.processInfo.environment["FIGURES_LARGE"] != nil

    private static func measureCache() async throws -> [Figure] {
        let directory = FileManager.default.temporaryDirectory.appendingPathComponent("figures-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: directory) }
        var figures: [Figure] = []
        let memory = try await CacheScenarios.memory()
        figures += try await beside(memory, count: 20_000)
        figures.append(try await throughput(of: memory[0]))
        figures += try await growth(to: 100_000, named: "cache.growth")
        figures += try await beside(CacheScenarios.file(in: directory.appendingPathComponent("hits")), count: 1000)
        if try !readsImmediately(in: directory) {
            figures.append(Figure(name: "cache.file.hit.waits", value: 1, unit: "count"))
        }
        figures += try await beside(CacheDiskScenarios.sqlite(in: directory), count: 1000)
        figures += try await beside(CacheDiskScenarios.sqliteStore(in: directory), count: 1000)
        for scenarios in try await CacheDiskScenarios.encrypted(in: directory) {
            figures += try await beside(scenarios, count: 1000)
        }
        for kind in CacheDiskScenarios.Kind.allCases where kind == .file || isLarge {
            figures += try await manyEntries(isLarge ? 100_000 : 10_000, kind, in: directory)
            figures += try await longBody(kind, in: directory)
        }
        if isLarge { figures += try await growth(to: 1_000_000, named: "cache.growth.million") }
        return figures
    }

    /// Whether files in a directory are read without a thread that may wait for the disk.
    private static func readsImmediately(in directory: URL) throws -> Bool {
        let file = directory.appendingPathComponent("immediate")
        try Data([1]).write(to: file)
        return reads_immediately(file.path)
    }

    /// The first scenario beside the second, which is the bare work.
    private static func beside(_ scenarios: [Scenario], count: Int) async throws -> [Figure] {
        let measured = try await Measurements.of(scenarios, count: count, rounds: 15)
        let ratio = measured.ratio(scenarios[0].name, to: scenarios[1].name)
        return scenarios.flatMap { measured.figures(of: $0.name) }
            + [Figure(name: "\(scenarios[0].name).ratio", value: ratio, unit: "x")]
    }

    /// What a hit takes among many entries over one among 100, and a look-up in dictionaries of the same sizes.
    private static func growth(to count: Int, named name: String) async throws -> [Figure] {
        let (small, large) = try await CacheScenarios.sizes(to: count)
        let measured = try await Measurements.of(small + large, count: 20_000, rounds: 15)
        return zip([name, "\(name).dictionary"], zip(large, small)).map { name, scenarios in
            let ratio = measured.ratio(scenarios.0.name, to: scenarios.1.name)
            return Figure(name: "\(name).ratio", value: ratio, unit: "x")
        }
    }

    /// A store with many entries: how long opening it takes, and a hit over one among 100.
    private static func manyEntries(
        _ count: Int,
        _ kind: CacheDiskScenarios.Kind,
        in directory: URL
    ) async throws -> [Figure] {
        let small = try await CacheDiskScenarios.Filled(kind, with: 100, in: directory)
        let large = try await CacheDiskScenarios.Filled(kind, with: count, in: directory)
        var opening: [Double] = []
        for _ in 0..<5 {
            let start = ContinuousClock.now
            try await large.open()
            opening.append(start.duration(to: .now).nanoseconds / 1e6)
        }
        let hits = [try small.hits(), try large.hits()]
        let measured = try await Measurements.of(hits, count: 2000, rounds: 9)
        let growth = measured.ratio(hits[1].name, to: hits[0].name)
        return [
            Figure(name: "cache.\(kind).open.\(count)", value: opening.min() ?? .nan, unit: "ms"),
            Figure(name: "cache.\(kind).growth.ratio", value: growth, unit: "x"),
        ]
    }

    /// How far memory grows while a body of 1 GB is stored, and read from the store.
    private static func longBody(_ kind: CacheDiskScenarios.Kind, in directory: URL) async throws -> [Figure] {
        let growth = try await ResidentMemory.growth(
            warmingUp: { try await CacheDiskScenarios.body(of: 1_000_000, kind, in: directory) },
            while: { try await CacheDiskScenarios.body(of: 1_000_000_000, kind, in: directory) }
        )
        return growth.map { [Figure(name: "cache.\(kind).1g.memory", value: $0, unit: "MiB")] } ?? []
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
