#if AllTests && SQLite
import Foundation
import GRDB
import HTTPChainCore
import HTTPChainInMemory
import HTTPTypes
import TestSupport
import Testing

@testable import HTTPChainCache
@testable import HTTPChainCacheSQLite

@Suite("A store in SQLite whose database fails", .heavy, .seeded, .timeLimit(.minutes(10)))
struct SQLiteFaultTests {
    private func file(in directory: ScratchDirectory) -> URL {
        URL(fileURLWithPath: StoreKind.sqlite.path(in: directory))
    }

    private func script(
        in directory: ScratchDirectory,
        isSound: Bool = false,
        _ prepare: @escaping @Sendable (Database) throws -> Void
    ) async throws -> FaultScript {
        let file = file(in: directory)
        var script = FaultScript(isSound: isSound) {
            SQLiteStore(file: file, bounds: FaultScript.bounds, prepare: prepare)
        }
        try await script.run()
        return script
    }

    /// A sound process finds a database in order, and can work with it.
    private func inspect(_ directory: ScratchDirectory, _ script: FaultScript) async throws {
        #expect(!directory.names.contains { $0.hasSuffix("-wal") }, "who closes the database removes its journal")
        let store = StoreKind.sqlite.make(FaultScript.bounds, in: directory)
        try await script.verify(store, isSameProcess: false, finding: FaultScript.left)
        let usage = try await store.usage()
        #expect(usage.bytes <= FaultScript.bounds.totalBytes.bytes)
        #expect(usage.entries <= FaultScript.bounds.entryCount)
        var blocks = 0
        try await store.visit(.all) { entry in
            blocks += Int(entry.response.bodyLength + 65_535) / 65_536
            return true
        }
        let queue = try DatabaseQueue.patient(path: file(in: directory).path)
        let (verdict, kept) = try await queue.read { db in
            let verdict = try String.fetchOne(db, sql: "PRAGMA integrity_check")
            return (verdict, try Int.fetchOne(db, sql: "SELECT count(*) FROM block"))
        }
        #expect(verdict == "ok" && kept == blocks, "nothing is left over")
        try await store.put(storeKey(9), content(9, 100))
        #expect(try await store.bytes(storeKey(9)) == content(9, 100))
        await store.shut()
    }

    @Test("Every transaction of a script fails in turn: nothing wrong is ever found", arguments: [true, false])
    func everyTransaction(goesOn: Bool) async throws {
        let clean = ScratchDirectory()
        let sound = FailingCommits()
        try await inspect(clean, try await script(in: clean, isSound: true) { sound.watch($0) })
        let count = sound.count
        #expect(count > 15)
        var unreached = 0
        for number in 0..<count {
            // Other tests want their turn.
            await Task.yield()
            let directory = ScratchDirectory()
            let commits = FailingCommits(from: number, goesOn: goesOn)
            try await inspect(directory, try await script(in: directory) { commits.watch($0) })
            if commits.count <= number { unreached += 1 }
        }
        #expect(unreached == 0, "the transaction that fails was reached")
    }

    @Test("The disk is full after any number of pages: nothing wrong is ever found, and nothing is left over")
    func fullDisk() async throws {
        var failed: [Int] = []
        let most = 109
        for pages in stride(from: 1, through: most, by: Drill.isFull ? 1 : 6) {
            await Task.yield()
            let directory = ScratchDirectory()
            let script = try await script(in: directory) { db in
                try db.execute(sql: "PRAGMA max_page_count = \(pages)")
            }
            try await inspect(directory, script)
            if script.failures > 0 { failed.append(pages) }
        }
        #expect(failed.count > 5 && failed.contains(1), "where there is no room something fails")
        #expect(!failed.contains(most), "where there is enough nothing does")
    }

    @Test("On a disk that is full from now on what is there is still read, and removals hold")
    func fullAfterwards() async throws {
        let directory = ScratchDirectory()
        let first = StoreKind.sqlite.make(.ample, in: directory)
        for name in 1...3 { try await first.put(storeKey(name), content(name, 100_000)) }
        await first.shut()
        // What is being written when the process ends, which the next has to clear away.
        try await DatabaseQueue.patient(path: file(in: directory).path).write { db in
            try db.execute(sql: "INSERT INTO garbage (id) VALUES (7)")
        }
        let store = SQLiteStore(file: file(in: directory), bounds: .ample) { db in
            try db.execute(sql: "PRAGMA query_only = 1")
        }
        for name in 1...3 { #expect(try await store.bytes(storeKey(name)) == content(name, 100_000)) }
        await #expect(throws: CacheStoreFault.self) { try await store.put(storeKey(4), content(4, 10)) }
        await #expect(throws: CacheStoreFault.self) { try await store.remove(.key(storeKey(1))) }
        #expect(try await store.variants(of: storeKey(1)).isEmpty)
        let entry = try #require(try await store.variants(of: storeKey(2)).first)
        await #expect(throws: CacheStoreFault.self) {
            try await store.update(entry, to: storeMetadata(tag: "changed"))
        }
        #expect(try await store.variants(of: storeKey(2)).isEmpty, "not as it was described before")
        #expect(try await store.bytes(storeKey(3)) == content(3, 100_000))
        await store.close()
        let next = StoreKind.sqlite.make(.ample, in: directory)
        #expect(try await next.keys().isEmpty, "what could not be removed is not found by another process")
        try await next.put(storeKey(1), content(5, 10))
        #expect(try await StoreKind.sqlite.make(.ample, in: directory).bytes(storeKey(1)) == content(5, 10))
    }

    @Test(
        "Where there can be no database each use of the store is a fault, and calls succeed",
        arguments: [true, false]
    )
    func noDatabase(isFileAbove: Bool) async throws {
        let directory = ScratchDirectory()
        let place = directory.url.appendingPathComponent("place")
        try FileManager.default.createDirectory(at: directory.url, withIntermediateDirectories: true)
        if isFileAbove {
            try Data("a file".utf8).write(to: place)
        } else {
            try FileManager.default.createDirectory(at: place, withIntermediateDirectories: true)
        }
        let store = SQLiteStore(file: isFileAbove ? place.appendingPathComponent("db") : place, bounds: .ample)
        await #expect(throws: CacheStoreFault.self) { try await store.variants(of: storeKey(1)) }
        await #expect(throws: CacheStoreFault.self) { try await store.put(storeKey(1), content(1, 200_000)) }
        await #expect(throws: CacheStoreFault.self) { try await store.remove(.all) }
        await #expect(throws: CacheStoreFault.self) { try await store.usage() }
        let cache = CacheMiddleware(store: store)
        let transport = InMemoryTransport { _ in Response(.ok, headers: [.cacheControl: "max-age=60"], body: "whole") }
        let chain = try Chain([cache], transport: transport)
        for _ in 1...2 { #expect(try await chain.send(.get(target)).body.text() == "whole") }
        #expect(transport.requestCount == 2)
        #expect(cache.metrics.storeFailures >= 2 && cache.metrics.misses == 2)
        // What stood in the way is gone.
        try FileManager.default.removeItem(at: place)
        for _ in 1...2 { #expect(try await chain.send(.get(target)).body.text() == "whole") }
        #expect(transport.requestCount == 3 && cache.metrics.hits == 1)
    }

    @Test("A database that is damaged while it is open: what is found is right, and it is made anew")
    func damagedWhileOpen() async throws {
        var random = Numbers(Seed.numbers(7))
        for round in 0..<(Drill.isFull ? 60 : 12) {
            await Task.yield()
            let directory = ScratchDirectory()
            let store = StoreKind.sqlite.make(.ample, in: directory)
            for name in 1...4 {
                try await store.put(storeKey(name), content(name, 90_000), storeMetadata(tag: "1"))
            }
            let path = file(in: directory).path + (round % 3 == 0 ? "-wal" : "")
            let handle = try FileHandle(forUpdating: URL(fileURLWithPath: path))
            let size = try handle.seekToEnd()
            if round % 4 == 3 {
                try handle.truncate(atOffset: size / 2)
            } else {
                for _ in 0..<40 {
                    try handle.seek(toOffset: UInt64.random(in: 0..<size, using: &random))
                    try handle.write(contentsOf: [UInt8.random(in: 0...255, using: &random)])
                }
            }
            try handle.close()
            for name in 1...4 {
                guard let entry = try? await store.variants(of: storeKey(name)).first else { continue }
                #expect(entry.response.metadata == storeMetadata(tag: "1"))
                guard let bytes = try? await store.body(of: entry, range: nil)?.collect() else { continue }
                #expect(bytes == content(name, 90_000))
            }
            var isSound = false
            for _ in 0..<8 where !isSound {
                _ = try? await store.put(storeKey(9), content(9, 10))
                isSound = (try? await store.bytes(storeKey(9))) == content(9, 10)
            }
            #expect(isSound, "round \(round)")
        }
    }
}

/// Transactions that fail when they are about to be committed.
private final class FailingCommits: TransactionObserver, Sendable {
    private let from: Int
    private let goesOn: Bool
    private let commits = Locked(0)

    /// - Parameters:
    ///   - from: Which fails, counted from 0; none by default.
    ///   - goesOn: Whether all after it fail too.
    init(from: Int = .max, goesOn: Bool = false) {
        self.from = from
        self.goesOn = goesOn
    }

    var count: Int { commits.withLock { $0 } }

    func watch(_ db: Database) { db.add(transactionObserver: self, extent: .databaseLifetime) }

    func observes(eventsOfKind eventKind: DatabaseEventKind) -> Bool { false }

    func databaseDidChange(with event: DatabaseEvent) {}

    func databaseWillCommit() throws {
        let number = commits.withLock { commits in
            commits += 1
            return commits - 1
        }
        guard number == from || goesOn && number > from else { return }
        throw DatabaseError(resultCode: .SQLITE_IOERR, message: "injected")
    }

    func databaseDidCommit(_ db: Database) {}

    func databaseDidRollback(_ db: Database) {}
}
#endif
