#if AllTests && SQLite
import DrillSupport
import Foundation
import GRDB
import HTTPChainCache
import HTTPChainCacheSQLite
import HTTPChainCore
import HTTPChainTesting
import HTTPTypes
import TestSupport
import Testing

#if canImport(Darwin)
import Darwin
#elseif canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

@Suite("A database that two processes use", .heavy, .timeLimit(.minutes(10)))
struct SQLiteProcessTests: SQLiteSuite {
    private static let length = 3_000_000
    private static let blocks = 46
    let directory = ScratchDirectory()

    private func store(entries: Int = 1000) -> SQLiteStore {
        SQLiteStore(file: file, bounds: CacheBounds(totalBytes: .megabytes(100), entryCount: entries))
    }

    private static let key = CacheKey(url: "https://example.com/1", identifier: "item-1")

    /// Stores what the other process reads.
    private func prepare(_ store: SQLiteStore) async throws {
        let bytes = DrillContent.entry(1, 7, Self.length)
        #expect(try await store.put(Self.key, bytes, storeMetadata(tag: "\"7\"")).entry != nil)
        #expect(try sql("SELECT count(*) FROM block") == Self.blocks)
    }

    /// A process that has begun to read an entry.
    private final class Neighbor: Sendable {
        private let process = Process()
        private let input = Pipe()
        private let output = Pipe()

        init(_ path: String) throws {
            let helper = try #require(Helper.url, "CacheKillDrill was not built")
            process.executableURL = helper
            process.arguments = ["sqlite", path, "100000000", "hold", "1"]
            process.standardInput = input
            process.standardOutput = output
            try process.run()
        }

        private func line() async throws -> String {
            try await offThePool { [output] in
                var line = Data()
                while let byte = try output.fileHandleForReading.read(upToCount: 1), byte.first != UInt8(ascii: "\n") {
                    guard !byte.isEmpty else { break }
                    line += byte
                }
                return String(decoding: line, as: UTF8.self)
            }
        }

        func untilReading() async throws { #expect(try await line() == "reading") }

        /// Lets it read to the end.
        func finish() async throws -> String {
            try input.fileHandleForWriting.write(contentsOf: Data("\n".utf8))
            let line = try await line()
            try await ended()
            return line
        }

        func kill() async throws {
            _ = signal()
            try await ended()
        }

        private func signal() -> Int32 {
            #if canImport(Darwin)
            Darwin.kill(process.processIdentifier, SIGKILL)
            #elseif canImport(Glibc)
            Glibc.kill(process.processIdentifier, SIGKILL)
            #elseif canImport(Musl)
            Musl.kill(process.processIdentifier, SIGKILL)
            #endif
        }

        private func ended() async throws {
            try await offThePool { [process] in process.waitUntilExit() }
        }
    }

    enum Change: CaseIterable {
        case replaced, removed, evicted, removedAndVacuumed
    }

    @Test(
        "A body that another process reads is there to its end, whatever becomes of the entry",
        arguments: Change.allCases
    )
    func readElsewhere(change: Change) async throws {
        let store = store(entries: change == .evicted ? 1 : 1000)
        try await prepare(store)
        let neighbor = try Neighbor(file.path)
        try await neighbor.untilReading()
        switch change {
        case .replaced: try await store.put(Self.key, content(1, 100))
        case .removed: #expect(try await store.remove(.all) == 1)
        case .evicted: #expect(try await store.put(storeKey(2), content(1, 100)).evicted == [Self.key])
        case .removedAndVacuumed:
            for name in 10..<50 { try await store.put(storeKey(name), content(name, 200_000)) }
            #expect(try await store.remove(.all) == 41)
            try await until("what is free to be given back") { (try? sql("PRAGMA freelist_count")) ?? 1000 <= 256 }
        }
        #expect(try await store.bytes(Self.key) == (change == .replaced ? content(1, 100) : nil))
        #expect(try sql("SELECT count(*) FROM block WHERE length(bytes) = 65536") == Self.blocks - 1)
        #expect(try await neighbor.finish() == "whole")
        // With the next change it is seen that nobody reads it any more.
        try await store.remove(.all)
        try await store.put(storeKey(3), content(1, 100))
        try await store.remove(.all)
        #expect(try sql("SELECT count(*) FROM block") == 0)
        #expect(try sql("SELECT count(*) FROM garbage") == 0)
        await store.close()
        #expect(directory.names == ["cache.sqlite", "cache.sqlite.lock"])
    }

    @Test("An entry that was found again and again is not found once another process has removed it")
    func removedElsewhere() async throws {
        let helper = try #require(Helper.url, "CacheKillDrill was not built")
        let store = store()
        for name in 1...2 {
            let key = CacheKey(url: "https://example.com/\(name)", identifier: "item-\(name)")
            try await store.put(key, content(name, 100))
        }
        for _ in 0..<5 { #expect(try await store.bytes(Self.key) == content(1, 100)) }
        let arguments = ["sqlite", file.path, "100000000", "remove", "1"]
        let status = try await offThePool {
            let process = try Process.run(helper, arguments: arguments)
            process.waitUntilExit()
            return process.terminationStatus
        }
        #expect(status == 0)
        #expect(try await store.bytes(Self.key) == nil)
        #expect(try await store.keys().count == 1)
        await store.close()
    }

    @Test("What a process read that was killed is removed with the next change, and readers here go on")
    func killedReader() async throws {
        let store = store()
        try await prepare(store)
        let neighbor = try Neighbor(file.path)
        try await neighbor.untilReading()
        do {
            let entry = try #require(try await store.variants(of: Self.key).first)
            let body = try #require(try await store.body(of: entry, range: nil))
            var chunks = body.makeAsyncIterator()
            var read = try await chunks.next() ?? Data()
            try await store.remove(.all)
            try await neighbor.kill()
            try await store.put(storeKey(2), content(1, 100))
            try await store.remove(.all)
            while let chunk = try await chunks.next() { read += chunk }
            #expect(read == DrillContent.entry(1, 7, Self.length))
        }
        try await until("the blocks to go") { (try? sql("SELECT count(*) FROM block")) == 0 }
        await store.close()
        #expect(directory.names == ["cache.sqlite", "cache.sqlite.lock"])
    }

    @Test("A reader goes on while others write, remove and are killed", .seeded)
    func killedWriters() async throws {
        let helper = try #require(Helper.url, "CacheKillDrill was not built")
        let store = store()
        try await prepare(store)
        let entry = try #require(try await store.variants(of: Self.key).first)
        let body = try #require(try await store.body(of: entry, range: nil))
        var chunks = body.makeAsyncIterator()
        var read = try await chunks.next() ?? Data()
        let random = Seed.numbers()
        let journal = try ScratchDirectory.created()
        for round in 0..<(Drill.isFull ? 40 : 8) {
            // Of so few bytes that the writer has to make room at once, with our entry.
            let arguments = [
                "sqlite", file.path, "2000000", "\(random.next() >> 1)", journal.file("\(round)").path, "\(round % 2)",
            ]
            _ = try await offThePool { try runAndKill(helper, arguments, after: 5, 0) }
            if let chunk = try await chunks.next() { read += chunk }
        }
        while let chunk = try await chunks.next() { read += chunk }
        #expect(read == DrillContent.entry(1, 7, Self.length))
        // A writer may have stored another under its key.
        let left = try await store.variants(of: Self.key).map(\.id)
        #expect(!left.contains(entry.id), "it was evicted meanwhile")
        await store.close()
    }

    @Test("A database that another process has open is not unlinked, damaged or not")
    func damagedElsewhere() async throws {
        let store = store()
        try await prepare(store)
        let neighbor = try Neighbor(file.path)
        try await neighbor.untilReading()
        func number() throws -> Int? {
            try FileManager.default.attributesOfItem(atPath: file.path)[.systemFileNumber] as? Int
        }
        let before = try number()
        try await DatabaseQueue.patient(path: file.path).write { db in try db.execute(sql: "DROP TABLE block") }
        await #expect(throws: CacheStoreFault(.damaged(file.path))) { try await store.bytes(Self.key) }
        #expect(try await store.keys().isEmpty)
        try await store.put(storeKey(2), content(2, 200_000))
        #expect(try number() == before)
        #expect(try await neighbor.finish() == "fault", "and no wrong byte")
        #expect(try await store.bytes(storeKey(2)) == content(2, 200_000))
        await store.close()
    }
}
#endif
