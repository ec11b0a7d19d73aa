#if AllTests
import DrillSupport
import Foundation
import HTTPChainCore
import HTTPChainTesting
import HTTPTypes
import TestSupport
import Testing

@testable import HTTPChainCache

#if SQLite
import GRDB
#endif

@Suite("A process that is killed while it stores", .heavy, .timeLimit(.minutes(10)))
struct KillDrillTests {
    private let directory = ScratchDirectory()
    private let bounds = CacheBounds(totalBytes: 4_000_000, entryCount: 64)
    private let kills = Drill.isFull ? 300 : 20

    @Test(
        "Of two that share a store no wrong byte is found afterwards, nothing that they removed, and nothing left over",
        .seeded,
        arguments: StoreKind.onDisk
    )
    func kills(kind: StoreKind) async throws {
        let helper = try #require(Helper.url, "CacheKillDrill was not built")
        let path = kind.path(in: directory)
        let journals = ScratchDirectory()
        try FileManager.default.createDirectory(at: journals.url, withIntermediateDirectories: true)
        let random = Seed.numbers()
        var book = Book()
        var (found, killed) = (0, 0)
        for round in 0..<kills {
            try await withThrowingTaskGroup(of: Process.TerminationReason.self) { group in
                for parity in 0...1 {
                    let steps = random.index(below: 30)
                    let delay = UInt32(random.index(below: 10_000))
                    let arguments = [
                        kind.rawValue, path, "\(bounds.totalBytes.bytes)", "\(random.next() >> 1)",
                        journals.file("\(parity)").path, "\(parity)",
                    ]
                    group.addTask { try await offThePool { try runAndKill(helper, arguments, after: steps, delay) } }
                }
                for try await ending in group { #expect(ending == .uncaughtSignal, "it ended by itself") }
            }
            killed += 1
            for parity in 0...1 { book.read(String(decoding: try journals.content(of: "\(parity)"), as: UTF8.self)) }
            found += try await inspect(kind, round, book)
        }
        #expect(found > kills * (Drill.isFull ? 5 : 2), "there was something to look at")
        #expect(book.removals > kills, "there was something to remove")
        Drill.report("cache-kills-\(kind.rawValue)", killed)
    }

    @Test("What is being read from files is read to its end, whatever a process beside does before it is killed")
    func readersSurvive() async throws {
        let helper = try #require(Helper.url, "CacheKillDrill was not built")
        let ample = CacheBounds(totalBytes: .megabytes(100), entryCount: 64)
        let journals = ScratchDirectory()
        try FileManager.default.createDirectory(at: journals.url, withIntermediateDirectories: true)
        let length = 400_000
        for round in 0..<(Drill.isFull ? 40 : 3) {
            let store = FileCacheStore(directory: directory.url, bounds: ample)
            var readers: [Int: HTTPBody.AsyncIterator] = [:]
            var read: [Int: Data] = [:]
            // The keys that the other one stores and removes, too.
            for number in stride(from: 0, to: 100, by: 2).prefix(40) {
                let key = CacheKey(url: "https://example.com/\(number)", identifier: "item-\(number)")
                let bytes = DrillContent.entry(number, round, length)
                let entry = try #require(try await store.put(key, bytes, storeMetadata(tag: "\"\(round)\"")).entry)
                let body = try #require(try await store.body(of: entry, range: nil))
                var reader = body.makeAsyncIterator()
                read[number] = try await reader.next()
                readers[number] = reader
            }
            let arguments = [
                "files", directory.path, "\(bounds.totalBytes.bytes)", "\(round + 1)", journals.file("0").path, "0",
            ]
            let ending = try await offThePool { try runAndKill(helper, arguments, after: 60, UInt32(round * 100)) }
            #expect(ending == .uncaughtSignal, "it ended by itself")
            #expect(try await store.usage().bytes <= bounds.totalBytes.bytes + 1_000_000, "it has evicted most of them")
            // Replaced, removed and written anew by this one as well.
            try await store.put(CacheKey(url: "https://example.com/0", identifier: "item-0"), content(1, 10))
            store.state.withLock { $0.compact() }
            if round % 2 == 0 { try await store.remove(.all) }
            for number in readers.keys.sorted() {
                while let chunk = try await readers[number]?.next() { read[number, default: Data()] += chunk }
                #expect(read[number] == DrillContent.entry(number, round, length), "round \(round), \(number)")
            }
            // Puts in order what the other one has left.
            let next = FileCacheStore(directory: directory.url, bounds: ample)
            #expect(try await next.usage().entries <= 64)
            try await next.remove(.all)
            #expect(try await store.usage().entries == 0)
            #expect(Set(directory.names) == ["lock", "index"], "round \(round)")
        }
    }

    /// What the processes say that they have done, in the order of each key.
    private struct Book {
        /// The generations of each key that may be found.
        var candidates: [Int: Set<Int>] = [:]
        var removals = 0

        mutating func read(_ journal: String) {
            for line in journal.split(separator: "\n") {
                let words = line.split(separator: " ")
                guard let number = words.dropFirst().first.flatMap({ Int($0) }) else { continue }
                let generation = words.last.flatMap { Int($0) } ?? 0
                switch words[0] {
                case "storing": candidates[number, default: []].insert(generation)
                case "stored": candidates[number] = [generation]
                case "removed":
                    if candidates.updateValue([], forKey: number)?.isEmpty == false { removals += 1 }
                default: Issue.record("\(line)")
                }
            }
        }
    }

    private func inspect(_ kind: StoreKind, _ round: Int, _ book: Book) async throws -> Int {
        let store = kind.make(bounds, in: directory)
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
            #expect(
                book.candidates[number]?.contains(generation) == true,
                "round \(round): what was removed or replaced is found again"
            )
            let bytes = try await store.body(of: entry, range: nil)?.collect()
            #expect(bytes == DrillContent.entry(number, generation, Int(entry.response.bodyLength)), "round \(round)")
            #expect(try await store.variants(of: entry.key).map(\.id) == [entry.id])
        }
        await store.shut()
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
        let queue = try DatabaseQueue.patient(path: StoreKind.sqlite.path(in: directory))
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
#endif
