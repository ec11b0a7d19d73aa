#if AllTests
import Foundation
import HTTPChainCore
import HTTPTypes
import TestSupport
import Testing

@testable import HTTPChainCache

@Suite("A store of files whose machine loses power", .heavy, .seeded, .timeLimit(.minutes(10)))
struct FileStorePowerTests {
    private let directory = ScratchDirectory()
    private let executor = FileExecutor(limit: 4)
    private let bounds = CacheBounds(totalBytes: 400_000, entryBytes: 200_000, entryCount: 4)
    private let names = 1...6

    private enum Action: Sendable {
        case put(Int, Int, isStored: Bool, evicted: [Int])
        case update(Int)
        case remove(Int)
    }

    private typealias Steps = [DiskStep<Action>]

    private func disk() -> MemoryDisk {
        MemoryDisk(directories: [directory.url.deletingLastPathComponent().path])
    }

    private func store(_ files: any FileSystem, _ durability: FileCacheDurability = .power) -> FileCacheStore {
        FileCacheStore(
            path: directory.path,
            bounds: bounds,
            durability: durability,
            files: files,
            executor: executor
        )
    }

    private func length(_ seed: Int) -> Int { seed % 3 == 0 ? 70_000 : seed * 300 }

    /// Stores, replaces, updates, evicts, removes and opens again; every second content is in a file of its own.
    private func script(_ disk: MemoryDisk, _ durability: FileCacheDurability) async throws -> Steps {
        var steps: Steps = []
        var store = store(disk, durability)
        func step(_ work: () async throws -> Action) async throws {
            let start = disk.count
            let action = try await work()
            steps.append(DiskStep(action, start..<disk.count))
        }
        func put(_ name: Int, _ seed: Int) async throws {
            try await step {
                let metadata = storeMetadata(tag: "\(seed)")
                let commit = try await store.put(storeKey(name), content(seed, length(seed)), metadata)
                let evicted = names.filter { commit.evicted.contains(storeKey($0)) }
                return .put(name, seed, isStored: commit.entry != nil, evicted: evicted)
            }
        }
        func remove(_ name: Int) async throws {
            try await step {
                let count = try await store.remove(.key(storeKey(name)))
                #expect(count == 1)
                return .remove(name)
            }
        }
        func update(_ name: Int) async throws {
            try await step {
                let entries = try await store.variants(of: storeKey(name))
                let entry = try #require(entries.first)
                var changed = entry.response.metadata
                changed.head.headerFields[.age] = "1"
                let updated = try await store.update(entry, to: changed)
                #expect(updated != nil)
                return .update(name)
            }
        }
        try await put(1, 1)
        try await put(2, 3)
        try await update(1)
        try await put(1, 6)
        try await update(1)
        try await remove(2)
        try await put(2, 9)
        store.state.withLock { $0.compact() }
        try await put(3, 4)
        try await remove(1)
        store = self.store(disk, durability)
        for name in 4...6 { try await put(name, name + 2) }
        try await remove(5)
        return steps
    }

    /// Which contents a key may have when the power has failed after so many operations; `nil` stands for none.
    private func allowed(_ steps: Steps, after count: Int) -> [Int: Set<Int?>] {
        var allowed: [Int: Set<Int?>] = Dictionary(uniqueKeysWithValues: names.map { ($0, [nil]) })
        for step in steps where step.hasBegun(after: count) || step.isReported(after: count) {
            let isReported = step.isReported(after: count)
            switch step.fact {
            case .put(let name, let seed, true, let evicted):
                for other in evicted { allowed[other]?.insert(nil) }
                if isReported { allowed[name] = [seed] } else { allowed[name]?.formUnion([seed, nil]) }
            case .put: break
            // What is described anew is the old entry or the new one.
            case .update: break
            case .remove(let name): if isReported { allowed[name] = [nil] } else { allowed[name]?.insert(nil) }
            }
        }
        return allowed
    }

    /// Every content that a key ever had.
    private func ever(_ steps: Steps, after count: Int) -> [Int: Set<Int?>] {
        var ever: [Int: Set<Int?>] = Dictionary(uniqueKeysWithValues: names.map { ($0, [nil]) })
        for step in steps where step.hasBegun(after: count) {
            if case .put(let name, let seed, _, _) = step.fact { ever[name]?.insert(seed) }
        }
        return ever
    }

    /// What is wrong with what a store finds.
    private func problem(_ store: FileCacheStore, _ allowed: [Int: Set<Int?>]) async -> String? {
        for name in names {
            let allowed = allowed[name] ?? []
            let entries = (try? await store.variants(of: storeKey(name))) ?? []
            if entries.count > 1 { return "key \(name) has \(entries.count) entries" }
            guard let entry = entries.first,
                let bytes = try? await store.body(of: entry, range: nil)?.collect()
            else {
                if allowed.contains(nil) { continue }
                return "key \(name) is lost"
            }
            let seed = entry.response.metadata.head.headerFields[.eTag].flatMap { Int($0) }
            if seed.map({ content($0, length($0)) }) != bytes { return "key \(name) has another content" }
            if !allowed.contains(seed) { return "key \(name) has \(seed ?? -1), and not one of \(allowed)" }
        }
        return nil
    }

    /// What is wrong with a disk, also when the power fails once more as the store puts it in order.
    private func problem(
        _ disk: MemoryDisk,
        _ durability: FileCacheDurability,
        _ allowed: [Int: Set<Int?>]
    ) async throws -> String? {
        do {
            let store = store(disk, durability)
            if let problem = await problem(store, allowed) { return problem }
            let usage = try await store.usage()
            if usage.bytes > bounds.totalBytes.bytes || usage.entries > bounds.entryCount { return "too much" }
        }
        let again = disk.history.afterPowerLoss(Seed.numbers())
        if let problem = await problem(store(again, durability), allowed) { return problem + " the second time" }
        let store = store(disk, durability)
        try await store.put(storeKey(9), content(9, 100))
        return try await store.bytes(storeKey(9)) == content(9, 100) ? nil : "the store does not work any more"
    }

    @Test("With durability for a loss of power, what was reported stored is there whole, and what was removed is not")
    func power() async throws {
        let disk = disk()
        let steps = try await script(disk, .power)
        let images = Drill.isFull ? 60 : 6
        let problem = try await disk.history.firstProblem(images: images, Seed.numbers()) { left, count in
            try await self.problem(left, .power, allowed(steps, after: count))
        }
        #expect(problem == nil)
    }

    @Test("Without durability for a loss of power, what is there is whole")
    func process() async throws {
        let disk = disk()
        let steps = try await script(disk, .process)
        #expect(disk.history.waits.isEmpty, "nothing waits for the disk")
        let images = Drill.isFull ? 60 : 6
        let problem = try await disk.history.firstProblem(images: images, Seed.numbers()) { left, count in
            try await self.problem(left, .process, ever(steps, after: count))
        }
        #expect(problem == nil)
    }

    /// The places where the store waits for the disk.
    enum Wait: String, CaseIterable, Sendable {
        case entry, body, journal, directory, directoryAbove

        func contains(_ wait: DiskWait, _ directory: ScratchDirectory) -> Bool {
            switch self {
            case .entry: wait.lastName.hasSuffix(".entry")
            case .body: wait.lastName.hasSuffix(".body")
            case .journal: wait.name == "index"
            case .directory: wait.lastName == directory.url.lastPathComponent
            case .directoryAbove: wait.isForDirectory && wait.lastName != directory.url.lastPathComponent
            }
        }
    }

    @Test(
        "Were one wait for the disk left out, something that was reported stored would be lost",
        arguments: Wait.allCases
    )
    func needed(_ wait: Wait) async throws {
        let disk = disk()
        let steps = try await script(disk, .power)
        let careless = disk.history.without { wait.contains($0, directory) }
        #expect(careless.waits.count < disk.history.waits.count)
        let problem = try await careless.firstProblem(images: 20, Seed.numbers()) { left, count in
            await self.problem(store(left), allowed(steps, after: count))
        }
        #expect(problem != nil)
    }

    @Test("Were the waits of removals left out, something that was reported removed would come back")
    func neededByRemovals() async throws {
        let disk = disk()
        let steps = try await script(disk, .power)
        let removals = steps.compactMap { step in if case .remove = step.fact { step.operations } else { nil } }
        #expect(removals.count == 3)
        let careless = disk.history.without { wait in removals.contains { $0.contains(wait.position) } }
        let problem = try await careless.firstProblem(images: 20, Seed.numbers()) { left, count in
            await self.problem(store(left), allowed(steps, after: count))
        }
        #expect(problem != nil)
    }

    @Test(
        "A removal that was reported holds also where the disk had failed while an entry was replaced before",
        arguments: [FaultyFiles.Fault.once, .late, .burst]
    )
    func removedAfterFailure(fault: FaultyFiles.Fault) async throws {
        for operation in 0..<60 {
            let disk = disk()
            let files = FaultyFiles(disk)
            let store = store(files)
            try await store.put(storeKey(1), content(1, 300), storeMetadata(tag: "1"))
            files.fail(at: operation, fault)
            _ = try? await store.put(storeKey(1), content(3, 70_000), storeMetadata(tag: "3"))
            let didFail = files.count > operation
            files.fail(at: nil, fault)
            guard (try? await store.remove(.key(storeKey(1)))) != nil else { continue }
            let end = disk.count
            let problem = try await disk.history.firstProblem(
                images: 20,
                Seed.numbers(UInt64(operation)),
                positions: end..<(end + 1)
            ) { left, _ in await self.problem(self.store(left), [1: [nil]].merging(rest) { first, _ in first }) }
            #expect(problem == nil, "operation \(operation)")
            if !didFail { return }
        }
    }

    private var rest: [Int: Set<Int?>] { Dictionary(uniqueKeysWithValues: names.map { ($0, [nil]) }) }
}
#endif
