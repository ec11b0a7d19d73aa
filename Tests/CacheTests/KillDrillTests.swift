import Foundation
import HTTPChainCore
import HTTPChainTesting
import HTTPTypes
import Testing

@testable import HTTPChainCache

@Suite("A process that is killed while it stores", .timeLimit(.minutes(5)))
struct KillDrillTests {
    private let directory = ScratchDirectory()
    private let bounds = CacheBounds(totalBytes: 4_000_000, entryCount: 64)

    /// The helper stands beside the tests.
    private var helper: URL? {
        let candidates = [CommandLine.arguments[0], Bundle.main.bundlePath, Bundle.main.executablePath ?? ""]
        for candidate in candidates {
            let url = URL(fileURLWithPath: candidate).deletingLastPathComponent()
                .appendingPathComponent("CacheKillDrill")
            if FileManager.default.isExecutableFile(atPath: url.path) { return url }
        }
        return nil
    }

    private let kills = Drill.isFull ? 300 : 20

    @Test("No wrong byte is found afterwards, the bounds are kept, and nothing is left over")
    func kills() async throws {
        let helper = try #require(helper, "CacheKillDrill was not built")
        var random = Numbers(seed: 5)
        var found = 0
        for round in 0..<kills {
            let delay = UInt32.random(in: 0..<60_000, using: &random)
            let ending = try await offThePool { try runAndKill(helper, round, after: delay) }
            #expect(ending == .uncaughtSignal, "it ended by itself")
            found += try await inspect(round)
        }
        #expect(found > kills * 5, "there was something to look at")
    }

    /// Runs the helper until it stores, and kills it some microseconds later.
    private func runAndKill(_ helper: URL, _ round: Int, after delay: UInt32) throws -> Process.TerminationReason {
        let process = Process()
        process.executableURL = helper
        process.arguments = [directory.path, "\(bounds.totalBytes.bytes)", "\(round)"]
        let output = Pipe()
        process.standardOutput = output
        try process.run()
        _ = output.fileHandleForReading.readData(ofLength: 6)
        usleep(delay)
        kill(process.processIdentifier, SIGKILL)
        process.waitUntilExit()
        return process.terminationReason
    }

    /// Does what blocks its thread where no other test waits for one.
    private func offThePool<Value: Sendable>(_ work: @escaping @Sendable () throws -> Value) async throws -> Value {
        try await withCheckedThrowingContinuation { continuation in
            Thread.detachNewThread { continuation.resume(with: Result(catching: work)) }
        }
    }

    private func inspect(_ round: Int) async throws -> Int {
        let store = FileCacheStore(directory: directory.url, bounds: bounds)
        let usage = try await store.usage()
        #expect(usage.bytes <= bounds.totalBytes.bytes && usage.entries <= bounds.entryCount)
        var names: Set<String> = ["lock", "index"]
        var entries: [CacheEntry] = []
        try await store.visit(.all) { entry in
            entries.append(entry)
            let digits = String(entry.id.rawValue, radix: 16)
            let stem = String(repeating: "0", count: 16 - digits.count) + digits
            names.insert(stem + ".entry")
            if entry.response.bodyLength > 65_536 { names.insert(stem + ".body") }
            return true
        }
        #expect(entries.count == usage.entries, "round \(round)")
        #expect(Set(directory.names) == names, "round \(round)")
        for entry in entries {
            let number = try #require(Int(entry.key.url.dropFirst("https://example.com/".count)))
            let tag = try #require(entry.response.metadata.head.headerFields[.eTag])
            let generation = try #require(Int(tag.dropFirst().dropLast()))
            let bytes = try await store.body(of: entry, range: nil)?.collect()
            #expect(bytes == written(number, generation, Int(entry.response.bodyLength)), "round \(round)")
            #expect(try await store.variants(of: entry.key).map(\.id) == [entry.id])
        }
        return entries.count
    }

    /// What the helper stores.
    private func written(_ number: Int, _ generation: Int, _ length: Int) -> Data {
        var state = UInt64(truncatingIfNeeded: number) &* 0x9E37_79B9_7F4A_7C15 ^ UInt64(truncatingIfNeeded: generation)
        var bytes = Data(capacity: length + 8)
        while bytes.count < length {
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            withUnsafeBytes(of: state) { bytes.append(contentsOf: $0) }
        }
        return bytes.prefix(length)
    }
}
