import Foundation
import HTTPChainCore
import HTTPChainTesting
import HTTPTypes
import Testing

@testable import HTTPChainCache

#if SQLite
import GRDB
#endif

@Suite("A process that is killed while it stores", .timeLimit(.minutes(5)))
struct KillDrillTests {
    private let directory = ScratchDirectory()
    private let bounds = CacheBounds(totalBytes: 4_000_000, entryCount: 64)
    private let kills = Drill.isFull ? 300 : 20

    @Test(
        "No wrong byte is found afterwards, the bounds are kept, and nothing is left over",
        arguments: StoreKind.onDisk
    )
    func kills(kind: StoreKind) async throws {
        let helper = try #require(Helper.url, "CacheKillDrill was not built")
        let path = kind.path(in: directory)
        var random = Numbers(seed: 5)
        var found = 0
        for round in 0..<kills {
            let delay = UInt32.random(in: 0..<60_000, using: &random)
            let arguments = [kind.rawValue, path, "\(bounds.totalBytes.bytes)", "\(round)"]
            let ending = try await Helper.offThePool { try runAndKill(helper, arguments, after: delay) }
            #expect(ending == .uncaughtSignal, "it ended by itself")
            found += try await inspect(kind, round)
        }
        #expect(found > kills * (Drill.isFull ? 5 : 2), "there was something to look at")
    }

    /// Runs the helper until it stores, and kills it some microseconds later.
    private func runAndKill(
        _ helper: URL,
        _ arguments: [String],
        after delay: UInt32
    ) throws -> Process.TerminationReason {
        let process = Process()
        process.executableURL = helper
        process.arguments = arguments
        let output = Pipe()
        process.standardOutput = output
        try process.run()
        _ = output.fileHandleForReading.readData(ofLength: 6)
        usleep(delay)
        kill(process.processIdentifier, SIGKILL)
        process.waitUntilExit()
        return process.terminationReason
    }

    private func inspect(_ kind: StoreKind, _ round: Int) async throws -> Int {
        let store = try await kind.settled(bounds, in: directory)
        let usage = try await store.usage()
        #expect(usage.bytes <= bounds.totalBytes.bytes && usage.entries <= bounds.entryCount)
        var entries: [CacheEntry] = []
        try await store.visit(.all) { entry in
            entries.append(entry)
            return true
        }
        #expect(entries.count == usage.entries, "round \(round)")
        switch kind {
        #if SQLite
        case .sqlite: try expectNothingLeftOver(inDatabaseOf: entries, round)
        #endif
        default: #expect(Set(directory.names) == names(of: entries), "round \(round)")
        }
        for entry in entries {
            let number = try #require(Int(entry.key.url.dropFirst("https://example.com/".count)))
            let tag = try #require(entry.response.metadata.head.headerFields[.eTag])
            let generation = try #require(Int(tag.dropFirst().dropLast()))
            let bytes = try await store.body(of: entry, range: nil)?.collect()
            #expect(bytes == Helper.content(number, generation, Int(entry.response.bodyLength)), "round \(round)")
            #expect(try await store.variants(of: entry.key).map(\.id) == [entry.id])
        }
        return entries.count
    }

    /// The files that there must be.
    private func names(of entries: [CacheEntry]) -> Set<String> {
        var names: Set<String> = ["lock", "index"]
        for entry in entries {
            let digits = String(entry.id.rawValue, radix: 16)
            let stem = String(repeating: "0", count: 16 - digits.count) + digits
            names.insert(stem + ".entry")
            if entry.response.bodyLength > 65_536 { names.insert(stem + ".body") }
        }
        return names
    }

    #if SQLite
    /// The database is sound, and has the blocks of its entries and no others.
    private func expectNothingLeftOver(inDatabaseOf entries: [CacheEntry], _ round: Int) throws {
        let queue = try DatabaseQueue(path: StoreKind.sqlite.path(in: directory))
        try queue.read { db in
            #expect(try String.fetchAll(db, sql: "PRAGMA integrity_check") == ["ok"], "round \(round)")
            let blocks = entries.reduce(0) { $0 + Int($1.response.bodyLength + 65_535) / 65_536 }
            #expect(try Int.fetchOne(db, sql: "SELECT count(*) FROM block") == blocks, "round \(round)")
            #expect(try Int.fetchOne(db, sql: "SELECT count(*) FROM garbage") == 0, "round \(round)")
            let counted = try GRDB.Row.fetchOne(db, sql: "SELECT count(*), ifnull(sum(bytes), 0) FROM entry")
            let total = try GRDB.Row.fetchOne(db, sql: "SELECT entries, bytes FROM total")
            #expect(counted?[0] as Int? == total?[0] && counted?[1] as Int? == total?[1], "round \(round)")
        }
    }
    #endif
}
