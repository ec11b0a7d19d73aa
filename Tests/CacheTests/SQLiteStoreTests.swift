#if AllTests && SQLite
import Dispatch
import Foundation
import GRDB
import HTTPChainCore
@testable import HTTPChainCacheSQLite
import HTTPTypes
import TestSupport
import Testing

@testable import HTTPChainCache

@Suite("The store in SQLite", .heavy, .seeded, .timeLimit(.minutes(10)))
struct SQLiteStoreTests: SQLiteSuite {
    let directory = ScratchDirectory()

    #if os(Linux)
    /// Whether this process has locks on the database, as the system tells.
    private func isLocked() throws -> Bool {
        let number = try FileManager.default.attributesOfItem(atPath: file.path)[.systemFileNumber] as? Int ?? -1
        return try String(contentsOfFile: "/proc/locks", encoding: .utf8).split(separator: "\n")
            .contains { $0.contains(" POSIX ") && $0.contains(":\(number) ") }
    }

    @Test("A second store on the same file leaves the locks of the first as they are")
    func locks() async throws {
        let first = store()
        try await first.put(storeKey(1), content(1, 1000))
        // Some systems do not tell.
        guard try isLocked() else { return }
        let second = store()
        #expect(try await second.usage().entries == 1)
        #expect(try isLocked(), "who closes a file takes away all locks of its process on it")
        #expect(try await first.usage().entries == 1)
    }
    #endif

    @Test("A hit on a small entry is one statement or none, and a description that is read again is not decoded again")
    func oneStatement() async throws {
        let statements = Locked<[String]>([])
        let store = SQLiteStore(file: file, bounds: .ample) { db in
            db.trace { event in statements.withLock { $0.append("\(event)") } }
        }
        for (name, length) in [(1, 0), (2, 10), (3, 60_000), (4, 65_536), (5, 300_000)] {
            try await store.put(storeKey(name), content(name, length))
            let first = try #require(try await store.variants(of: storeKey(name)).first)
            statements.withLock { $0 = [] }
            let entry = try #require(try await store.variants(of: storeKey(name)).first)
            #expect(entry.response === first.response)
            #expect(try await store.body(of: entry, range: nil)?.collect() == content(name, length))
            let count = statements.withLock { $0.count { $0.hasPrefix("SELECT") } }
            let least = length < 16_000 ? 0 : 1
            #expect(length < 65_000 ? count == least : count > 1, "\(length) bytes: \(count)")
        }
        let entry = try #require(try await store.variants(of: storeKey(3)).first)
        #expect(try await store.body(of: entry, range: 5..<9)?.collect() == content(3, 60_000)[5..<9])
        // The body of one of several would be read in vain.
        for variant in ["a", "b"] { try await store.put(storeKey(6), content(6, 100), storeMetadata(variant)) }
        let variants = try await store.variants(of: storeKey(6))
        #expect(variants.count == 2 && variants.allSatisfy { $0.content == nil })
        for variant in variants {
            #expect(try await store.body(of: variant, range: nil)?.collect() == content(6, 100))
        }
    }

    @Test(
        "Content that was read with the description is not given out once something was removed, or the store is closed"
    )
    func foundContent() async throws {
        let store = store()
        for name in 1...3 { try await store.put(storeKey(name), content(name, 100)) }
        func entry(_ name: Int) async throws -> CacheEntry {
            let entry = try #require(try await store.variants(of: storeKey(name)).first)
            #expect(entry.content?.bytes == content(name, 100))
            return entry
        }
        let (first, second) = (try await entry(1), try await entry(2))
        try await store.remove(.key(storeKey(1)))
        #expect(try await store.body(of: first, range: nil) == nil)
        #expect(try await store.body(of: second, range: nil)?.collect() == content(2, 100), "another one is there")
        let replaced = try await entry(3)
        try await store.put(storeKey(3), content(7, 100))
        #expect(try await store.body(of: replaced, range: nil) == nil)
        #expect(try await store.bytes(storeKey(3)) == content(7, 100))
        let last = try await entry(2)
        await store.suspend()
        await #expect(throws: CacheStoreFault(.suspended(file.path))) { try await store.body(of: last, range: nil) }
        try await self.store().remove(.key(storeKey(2)))
        store.resume()
        _ = try await store.usage()
        #expect(try await store.body(of: last, range: nil) == nil, "removed by another store meanwhile")
        await store.close()
        await #expect(throws: CacheStoreFault(.closed(file.path))) { try await store.body(of: last, range: nil) }
    }

    @Test("Entries are there in the next run, and so is the order of use")
    func reopened() async throws {
        let bounds = CacheBounds(totalBytes: .megabytes(10), entryCount: 4)
        var store = store(bounds)
        for name in 1...4 { try await store.put(storeKey(name), content(name, name * 100_000)) }
        #expect(try await store.bytes(storeKey(1)) != nil)
        let usage = try await store.usage()
        await store.close()
        store = self.store(bounds)
        #expect(try await store.usage() == usage)
        for name in [2, 4, 1] { #expect(try await store.bytes(storeKey(name)) == content(name, name * 100_000)) }
        await store.close()
        store = self.store(bounds)
        #expect(try await store.put(storeKey(5), content(5, 10)).evicted == [storeKey(3)])
        await store.close()
        store = self.store(CacheBounds(totalBytes: .megabytes(10), entryCount: 1))
        #expect(try await store.keys() == ["5"], "new bounds are kept from the beginning")
    }

    @Test("The blocks of what is gone go when nobody reads them any more, or when the database is opened")
    func garbage() async throws {
        var store = store()
        let entry = try #require(try await store.put(storeKey(1), content(1, 500_000)).entry)
        do {
            let body = try #require(try await store.body(of: entry, range: nil))
            try await store.remove(.all)
            #expect(try sql("SELECT count(*) FROM block") == 8)
            #expect(try await body.collect() == content(1, 500_000))
        }
        try await until("the blocks to go") { (try? sql("SELECT count(*) FROM block")) == 0 }
        #expect(try sql("SELECT count(*) FROM garbage") == 0)
        let writer = try #require(await store.makeWriter(for: storeKey(1), storeMetadata(), expecting: nil))
        _ = try await writer.write(content(1, 500_000))
        let second = self.store()
        #expect(try await second.usage().entries == 0)
        #expect(try sql("SELECT count(*) FROM block") == 7, "the first store is still writing")
        #expect(try await writer.commit().entry != nil)
        #expect(try await second.bytes(storeKey(1)) == content(1, 500_000))
        _ = try sql("INSERT INTO garbage (id) VALUES (7) RETURNING 1")
        _ = try sql("INSERT INTO block (id, sum, bytes) VALUES (7 << 24, 0, x'00') RETURNING 1")
        await second.close()
        await store.close()
        store = self.store()
        #expect(try await store.bytes(storeKey(1)) == content(1, 500_000))
        #expect(try sql("SELECT count(*) FROM block") == 8)
    }

    @Test("What is damaged in a row is a miss, and is dropped")
    func damagedRows() async throws {
        let store = store()
        try await store.put(storeKey(1), content(1, 100))
        try await store.put(storeKey(2), content(2, 100_000))
        try await store.put(storeKey(3), content(3, 1_000_000))
        #expect(try sql("UPDATE entry SET head = zeroblob(length(head)) WHERE bytes < 1000 RETURNING 1") == 1)
        await #expect(throws: CacheStoreFault.self) { try await store.variants(of: storeKey(1)) }
        #expect(try await store.variants(of: storeKey(1)).isEmpty)
        _ = try sql("UPDATE block SET bytes = zeroblob(length(bytes)) WHERE id & 0xffffff = 1 RETURNING 1")
        await #expect(throws: CacheStoreFault(.damaged("a stored body"))) { try await store.bytes(storeKey(2)) }
        let entry = try #require(try await store.variants(of: storeKey(3)).first)
        let body = try #require(try await store.body(of: entry, range: nil))
        var read = Data()
        await #expect(throws: CacheStoreFault(.damaged("a stored body"))) {
            for try await chunk in body { read += chunk }
        }
        #expect(read == content(3, 65_536))
        #expect(try await store.usage() == CacheUsage())
    }

    @Test("A database that is damaged, or is none, is made anew")
    func damagedFile() async throws {
        var random = Numbers(Seed.numbers(3))
        var found = 0
        for round in 0..<40 {
            let sound = self.store()
            let path = file.path
            // While it is made anew calls may fail, and on a busy machine all of them.
            try await until("round \(round) to begin with a database") {
                for name in 1...4 {
                    _ = try? await sound.put(storeKey(name), content(name, 30_000), storeMetadata(tag: "1"))
                }
                return FileManager.default.fileExists(atPath: path)
            }
            await sound.close()
            var bytes = try Data(contentsOf: file)
            switch round {
            case 0: bytes = Data("This is no database, but it is long enough to be looked at. ".utf8)
            case 1: bytes = bytes.prefix(bytes.count / 2)
            case 2: bytes = Data()
            default:
                for _ in 0..<(1 + round % 20) {
                    let index = Int.random(in: 0..<bytes.count, using: &random)
                    // Another number of the version is no damage: it says that the file is a later program's.
                    if !(60..<64).contains(index) { bytes[index] ^= 4 }
                }
            }
            try bytes.write(to: file)
            let store = self.store()
            for name in 1...4 {
                guard let entry = try? await store.variants(of: storeKey(name)).first else { continue }
                #expect(entry.response.metadata == storeMetadata(tag: "1"))
                guard let body = try? await store.body(of: entry, range: nil) else { continue }
                guard let bytes = try? await body.collect() else { continue }
                #expect(bytes == content(name, 30_000))
                found += 1
            }
            // A call may find the damage, and others that come while the database is closed for it.
            try await until("round \(round) to end with a database that works") {
                _ = try? await store.put(storeKey(9), content(9, 10))
                return (try? await store.bytes(storeKey(9))) == content(9, 10)
            }
            await store.close()
        }
        #expect(found > 0, "damage in a few places spares an entry")
    }

    @Test("A bit that is flipped in the header or in the tables' definitions ends with a database that works")
    func damagedSchema() async throws {
        let first = store()
        try await first.put(storeKey(1), content(1, 100))
        await first.close()
        let sound = try Data(contentsOf: file)
        var hopeless: [Int] = []
        for index in stride(from: 0, to: 4096, by: Drill.isFull ? 1 : 29) where !(60..<64).contains(index) {
            let own = try ScratchDirectory.created()
            var bytes = sound
            bytes[index] ^= 1 << (index % 8)
            try own.file("cache.sqlite", bytes)
            let store = SQLiteStore(file: own.file("cache.sqlite"), bounds: .ample)
            var works = false
            for attempt in 0..<5 where !works {
                _ = try? await store.put(storeKey(attempt), content(attempt, 10))
                works = (try? await store.bytes(storeKey(attempt))) == content(attempt, 10)
            }
            await store.close()
            if !works { hopeless.append(index) }
        }
        #expect(hopeless.isEmpty)
    }

    @Test("A database of a later version is neither used nor touched")
    func laterVersion() async throws {
        let first = store()
        try await first.put(storeKey(1), content(1, 10))
        await first.close()
        _ = try sql("PRAGMA user_version = 9")
        let store = store()
        await #expect(throws: CacheStoreFault(.newerFormat(file.path))) { try await store.variants(of: storeKey(1)) }
        await #expect(throws: CacheStoreFault(.newerFormat(file.path))) { try await store.put(storeKey(1), Data()) }
        await #expect(throws: CacheStoreFault.self) { try await store.remove(.all) }
        #expect(try sql("SELECT count(*) FROM entry") == 1)
    }

    @Test("Of two keys that have the same hash, only the variants of one's own are surplus")
    func sameHash() async throws {
        var bounds = CacheBounds.ample
        bounds.variantsPerKey = 2
        let store = store(bounds)
        for variant in ["1", "2"] { try await store.put(storeKey("a"), content(1, 10), storeMetadata(variant)) }
        _ = try sql("UPDATE entry SET key = \(StoredHead.hash(of: storeKey("b"))) RETURNING 1")
        for variant in ["3", "4"] {
            #expect(try await store.put(storeKey("b"), content(2, 10), storeMetadata(variant)).evicted.isEmpty)
        }
        let commit = try await store.put(storeKey("b"), content(2, 10), storeMetadata("5"))
        #expect(commit.entry != nil && commit.evicted == [storeKey("b")])
        #expect(try await store.variants(of: storeKey("b")).count == 2)
        #expect(try sql("SELECT count(*) FROM entry") == 4, "those of the other key are still there")
    }

    @Test("What is free in the file is given back when nobody uses the store")
    func vacuum() async throws {
        let store = store()
        for name in 0..<40 { try await store.put(storeKey(name), content(name, 200_000)) }
        let names = directory.names
        #expect(try await store.remove(.all) == 40)
        let path = file.path
        try await until("the file to shrink") {
            let size = try FileManager.default.attributesOfItem(atPath: path)[.size] as? Int ?? 0
            return size > 0 && size < 2_500_000 && (try? sql("PRAGMA page_count")) ?? 0 < 600
        }
        #expect(try sql("PRAGMA auto_vacuum") == 2)
        for name in 0..<3 { try await store.put(storeKey(name), content(name, 200_000)) }
        for name in 0..<3 { #expect(try await store.bytes(storeKey(name)) == content(name, 200_000)) }
        #expect(directory.names == names)
        await store.close()
    }

    @Test("What is removed is overwritten where that was chosen", arguments: [true, false])
    func overwritten(isChosen: Bool) async throws {
        var options = SQLiteCacheOptions()
        options.overwritesWhatIsRemoved = isChosen
        let store = SQLiteStore(file: file, bounds: .ample, options: options)
        let word = Data("ROSE and oak ".utf8)
        try await store.put(storeKey(1), Data(String(repeating: "ROSE and oak ", count: 20_000).utf8))
        try await store.put(storeKey(2), Data(String(repeating: "ROSE and oak ", count: 10).utf8))
        func isFound() throws -> Bool {
            try directory.names.contains { try directory.content(of: $0).range(of: word) != nil }
        }
        #expect(try isFound())
        #expect(try await store.remove(.all) == 2)
        #expect(try isFound() == !isChosen)
        await store.close()
    }

    @Test("A hit asks for no lock that another process may hold, also where it opens the database")
    func openedWithoutLock() async throws {
        let first = store()
        try await first.put(storeKey(1), content(1, 300_000))
        let begun = Locked(0)
        let second = SQLiteStore(file: file, bounds: .ample) { db in
            db.trace { event in
                if "\(event)".contains("BEGIN IMMEDIATE") { begun.withLock { $0 += 1 } }
            }
        }
        #expect(try await second.bytes(storeKey(1)) == content(1, 300_000))
        #expect(begun.withLock { $0 } == 0)
        try await second.put(storeKey(2), content(2, 10))
        #expect(begun.withLock { $0 } > 0, "a change does")
        await second.close()
        await first.close()
    }

    @Test("Whoever reads more bodies than can be named keeps all of them, and otherwise those alone")
    func manyReaders() throws {
        try FileManager.default.createDirectory(at: directory.url, withIntermediateDirectories: true)
        let path = directory.file("readers").path
        let (one, two) = (CacheReaders(directory: path), CacheReaders(directory: path))
        #expect(two.unread([1, 2]) == [1, 2])
        for id in 1...Int64(CacheReaders.limit + 88) { one.begin(id) }
        #expect(two.unread([7, 9000]).isEmpty)
        for id in 3...Int64(CacheReaders.limit + 88) { one.end(id) }
        #expect(two.unread([1, 2, 3, 9000]) == [3, 9000])
        one.begin(1)
        one.end(1)
        two.begin(3)
        #expect(one.unread([1, 2, 3]) == [1, 2], "what it reads itself it knows")
        #expect(two.unread([1, 2, 3]) == [3])
        one.removeFile()
        #expect(two.unread([1, 2, 3]) == [1, 2, 3])
        one.resume()
        #expect(two.unread([1, 2, 3]) == [3], "what is still being read is named again")
        two.removeFile()
        one.removeFile()
        #expect(!FileManager.default.fileExists(atPath: path))
    }

    @Test("Hits do not wait for changes that wait for a lock")
    func lockedOut() async throws {
        let gate = CommitGate()
        let store = SQLiteStore(file: file, bounds: .ample) { gate.watch($0) }
        for name in 0..<3 { try await store.put(storeKey(name), content(name, 300_000)) }
        gate.close()
        try await withThrowingTaskGroup(of: Void.self) { group in
            for name in 10..<30 {
                group.addTask { try await store.put(storeKey(name), content(name, 100)) }
            }
            try await until("a change waits") { gate.isWaitedFor }
            for round in 0..<30 {
                #expect(try await store.bytes(storeKey(round % 3)) == content(round % 3, 300_000))
            }
            #expect(gate.isWaitedFor)
            gate.open()
            try await group.waitForAll()
        }
        #expect(try await store.usage().entries == 23)
        await store.close()
    }

    @Test("Two stores of one database see what the other does")
    func shared() async throws {
        let bounds = CacheBounds(totalBytes: .megabytes(1), entryCount: 5)
        let (one, two) = (store(bounds), store(bounds))
        for step in 0..<200 {
            let store = step % 2 == 0 ? one : two
            try await store.put(storeKey(step % 9), content(step, 10))
            #expect(try await (step % 3 == 0 ? one : two).bytes(storeKey(step % 9)) == content(step, 10))
        }
        #expect(try await one.usage().entries == 5)
        try await two.remove(.all)
        #expect(try await one.keys().isEmpty)
    }
}

/// Keeps transactions from being committed, as the lock of another process does.
private final class CommitGate: TransactionObserver, Sendable {
    private let state = Locked((isClosed: false, isWaitedFor: false))
    private let opened = DispatchSemaphore(value: 0)

    var isWaitedFor: Bool { state.withLock { $0.isWaitedFor } }

    func close() { state.withLock { $0.isClosed = true } }

    func open() {
        state.withLock { $0 = (false, false) }
        opened.signal()
    }

    func watch(_ db: Database) { db.add(transactionObserver: self, extent: .databaseLifetime) }

    func observes(eventsOfKind eventKind: DatabaseEventKind) -> Bool { false }

    func databaseDidChange(with event: DatabaseEvent) {}

    func databaseWillCommit() throws {
        let isClosed = state.withLock { state in
            if state.isClosed { state.isWaitedFor = true }
            return state.isClosed
        }
        if isClosed { opened.wait() }
    }

    func databaseDidCommit(_ db: Database) {}

    func databaseDidRollback(_ db: Database) {}
}
#endif
