#if AllTests && SQLite
import Foundation
import GRDB
import HTTPChainCache
import HTTPChainCacheSQLite
import HTTPChainCore
import HTTPChainInMemory
import HTTPTypes
import TestSupport
import Testing

@Suite("A store in SQLite that is closed, suspended, or shared while it is damaged", .timeLimit(.minutes(10)))
struct SQLiteClosingTests: SQLiteSuite {
    let directory = ScratchDirectory()

    /// Which file has the database's name.
    private func fileNumber() throws -> Int? {
        try FileManager.default.attributesOfItem(atPath: file.path)[.systemFileNumber] as? Int
    }

    /// Every use is refused for a reason.
    private func expectRefusals(
        _ problem: CacheStoreFault.Problem,
        by store: SQLiteStore,
        _ entry: CacheEntry
    ) async {
        let fault = CacheStoreFault(problem)
        await #expect(throws: fault) { try await store.variants(of: storeKey(1)) }
        await #expect(throws: fault) { try await store.body(of: entry, range: nil) }
        await #expect(throws: fault) { try await store.makeWriter(for: storeKey(2), storeMetadata(), expecting: nil) }
        await #expect(throws: fault) { try await store.update(entry, to: storeMetadata(tag: "changed")) }
        await #expect(throws: fault) { try await store.visit(.all) { _ in true } }
        await #expect(throws: fault) { try await store.usage() }
    }

    #if os(Linux)
    /// Whether this process has a file of the database open.
    private var isOpen: Bool {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd")) ?? []
        return names.contains { name in
            let link = try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/fd/\(name)")
            return link?.contains(directory.url.lastPathComponent) ?? false
        }
    }
    #endif

    @Test("A store that is closed leaves a database without a journal, holds no file, and refuses every use")
    func closed() async throws {
        let store = store()
        let entry = try #require(try await store.put(storeKey(1), content(1, 500_000)).entry)
        #expect(try await store.bytes(storeKey(1)) == content(1, 500_000))
        #expect(directory.names.contains("cache.sqlite-wal"))
        await store.close()
        #expect(directory.names == ["cache.sqlite", "cache.sqlite.lock"])
        #if os(Linux)
        #expect(!isOpen)
        #endif
        await expectRefusals(.closed(file.path), by: store, entry)
        await store.close()
        store.resume()
        await expectRefusals(.closed(file.path), by: store, entry)
        let next = self.store()
        #expect(try await next.bytes(storeKey(1)) == content(1, 500_000))
        await next.close()
    }

    @Test("A store that was never used is closed without a trace")
    func unused() async {
        let store = store()
        await store.close()
        await #expect(throws: CacheStoreFault(.closed(file.path))) { try await store.remove(.all) }
        #expect(directory.names.isEmpty)
    }

    @Test("To close a store waits for what it is doing, and any number may close it at a time")
    func inFlight() async throws {
        for round in 0..<10 {
            let store = store()
            let stored = try await withThrowingTaskGroup(of: Int?.self) { group in
                for name in 1...8 {
                    group.addTask {
                        do {
                            return try await store.put(storeKey(name), content(name, 200_000)).entry.map { _ in name }
                        } catch let fault as CacheStoreFault {
                            guard case .closed = fault.problem else { throw fault }
                            return nil
                        }
                    }
                }
                for _ in 0..<3 {
                    group.addTask {
                        if round > 0 { try await until("something is stored") { directory.names.count > 2 } }
                        await store.close()
                        return nil
                    }
                }
                var stored: Set<Int> = []
                for try await name in group { if let name { stored.insert(name) } }
                return stored
            }
            #expect(!directory.names.contains("cache.sqlite-wal"), "round \(round)")
            let next = self.store()
            for name in stored { #expect(try await next.bytes(storeKey(name)) == content(name, 200_000)) }
            try await next.remove(.all)
            await next.close()
            #expect(try sql("SELECT count(*) FROM block") == 0, "round \(round): nothing is left over")
        }
    }

    @Test("What was used last is written down when the store is closed")
    func uses() async throws {
        let bounds = CacheBounds(totalBytes: .megabytes(10), entryCount: 3)
        for name in 1...3 {
            var store = store(bounds)
            for name in 1...3 { try await store.put(storeKey(name), content(name, 10)) }
            #expect(try await store.bytes(storeKey(name)) != nil)
            await store.close()
            store = self.store(bounds)
            let evicted = try await store.put(storeKey(4), content(4, 10)).evicted
            #expect(evicted == [storeKey(name == 1 ? 2 : 1)])
            try await store.remove(.all)
            await store.close()
        }
    }

    @Test(
        "What is to be removed while the store is closed or suspended is not found afterwards",
        arguments: [true, false]
    )
    func removals(isForGood: Bool) async throws {
        let store = store()
        for name in 1...2 { try await store.put(storeKey(name), content(name, 10)) }
        if isForGood { await store.close() } else { await store.suspend() }
        await #expect(throws: CacheStoreFault.self) { try await store.remove(.key(storeKey(1))) }
        store.resume()
        let next = isForGood ? self.store() : store
        #expect(try await next.variants(of: storeKey(1)).isEmpty)
        try await next.put(storeKey(1), content(3, 10))
        #expect(try await next.bytes(storeKey(1)) == content(3, 10))
        await next.close()
        let last = self.store()
        #expect(try await last.bytes(storeKey(1)) == content(3, 10), "it was removed once")
        await last.close()
    }

    @Test("A store that is suspended holds no file and refuses every use until it is resumed")
    func suspended() async throws {
        let store = store()
        let entry = try #require(try await store.put(storeKey(1), content(1, 500_000)).entry)
        let body = try #require(try await store.body(of: entry, range: nil))
        var reader = body.makeAsyncIterator()
        #expect(try await reader.next() == content(1, 65_536))
        await store.suspend()
        #expect(directory.names == ["cache.sqlite", "cache.sqlite.lock"])
        #if os(Linux)
        #expect(!isOpen)
        #endif
        await expectRefusals(.suspended(file.path), by: store, entry)
        await #expect(throws: CacheStoreFault(.suspended(file.path))) { _ = try await reader.next() }
        store.resume()
        #expect(try await store.bytes(storeKey(1)) == content(1, 500_000))
        await store.close()
    }

    @Test("A body that is being written while the store is suspended is stored whole, or not where another cleared it")
    func suspendedWriter() async throws {
        let store = store()
        for isCleared in [false, true] {
            let writer = try #require(try await store.makeWriter(for: storeKey(1), storeMetadata(), expecting: nil))
            #expect(try await writer.write(content(1, 500_000)))
            await store.suspend()
            if isCleared {
                let other = self.store()
                _ = try await other.usage()
                await other.close()
            }
            store.resume()
            let commit = try await writer.commit()
            #expect((commit.entry == nil) == isCleared)
            if !isCleared { #expect(try await store.bytes(storeKey(1)) == content(1, 500_000)) }
            try await store.remove(.all)
            #expect(try sql("SELECT count(*) FROM block") == 0)
        }
        let writer = try #require(try await store.makeWriter(for: storeKey(1), storeMetadata(), expecting: nil))
        #expect(try await writer.write(content(1, 100_000)))
        await store.suspend()
        let other = self.store()
        _ = try await other.usage()
        await other.close()
        store.resume()
        #expect(try await !writer.write(content(1, 100_000)), "nothing more need be written")
        await writer.abandon()
        #expect(try sql("SELECT count(*) FROM block") == 0)
        await store.close()
    }

    @Test("Calls go to the server while the store is closed")
    func calls() async throws {
        let store = store()
        let cache = CacheMiddleware(store: store)
        let transport = InMemoryTransport { _ in Response(.ok, headers: [.cacheControl: "max-age=60"], body: "whole") }
        let chain = try Chain([cache], transport: transport)
        for _ in 1...2 { #expect(try await chain.send(.get(target)).body.text() == "whole") }
        #expect(transport.requestCount == 1)
        await store.suspend()
        #expect(try await chain.send(.get(target)).body.text() == "whole")
        #expect(transport.requestCount == 2 && cache.metrics.storeFailures > 0)
        store.resume()
        #expect(try await chain.send(.get(target)).body.text() == "whole")
        #expect(transport.requestCount == 2)
        await store.close()
        #expect(try await chain.send(.get(target)).body.text() == "whole")
        #expect(transport.requestCount == 3)
    }

    @Test("A damaged database that another store has open is emptied in its place, and both go on with it")
    func damagedWhileShared() async throws {
        let (one, two) = (store(), store())
        try await one.put(storeKey(1), content(1, 200_000))
        #expect(try await two.bytes(storeKey(1)) == content(1, 200_000))
        let number = try fileNumber()
        try await DatabaseQueue.patient(path: file.path).write { db in try db.execute(sql: "DROP TABLE block") }
        await #expect(throws: CacheStoreFault(.damaged(file.path))) { try await two.bytes(storeKey(1)) }
        #expect(try await two.keys().isEmpty)
        #expect(try fileNumber() == number, "it is not unlinked")
        try await two.put(storeKey(2), content(2, 200_000))
        #expect(try await one.bytes(storeKey(2)) == content(2, 200_000))
        try await one.put(storeKey(3), content(3, 10))
        #expect(try await two.bytes(storeKey(3)) == content(3, 10))
        await one.close()
        // Alone, it has it removed.
        try await DatabaseQueue.patient(path: file.path).write { db in try db.execute(sql: "DROP TABLE block") }
        await #expect(throws: CacheStoreFault(.damaged(file.path))) { try await two.bytes(storeKey(2)) }
        try await two.put(storeKey(4), content(4, 200_000))
        #expect(try await two.bytes(storeKey(4)) == content(4, 200_000))
        #expect(try await two.keys() == ["4"])
        await two.close()
    }

    @Test("A database out of which something could not be removed is emptied in its place where another has it open")
    func outdatedWhileShared() async throws {
        let one = store()
        try await one.put(storeKey(1), content(1, 200_000))
        let number = try fileNumber()
        let two = store()
        await two.suspend()
        await #expect(throws: CacheStoreFault(.suspended(file.path))) { try await two.remove(.key(storeKey(1))) }
        two.resume()
        #expect(try await two.keys().isEmpty)
        #expect(try await one.keys().isEmpty)
        #expect(try fileNumber() == number, "it is not unlinked")
        try await one.put(storeKey(2), content(2, 200_000))
        #expect(try await two.bytes(storeKey(2)) == content(2, 200_000))
        #expect(directory.names.allSatisfy { !$0.hasSuffix(".outdated") })
        await one.close()
        await two.close()
    }
}
#endif
