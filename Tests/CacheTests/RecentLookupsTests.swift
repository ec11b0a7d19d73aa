#if AllTests && SQLite
import Foundation
import GRDB
import HTTPChainCore
import HTTPTypes
import TestSupport
import Testing

@testable import HTTPChainCache
@testable import HTTPChainCacheSQLite

@Suite("What was found in a database before", .timeLimit(.minutes(10)))
struct RecentLookupsTests: SQLiteSuite {
    let directory = ScratchDirectory()
    private let statements = Locked(0)

    private func store() -> SQLiteStore {
        SQLiteStore(file: file, bounds: .ample) { [statements] db in
            db.trace { event in
                guard "\(event)".hasPrefix("SELECT id, head") else { return }
                statements.withLock { $0 += 1 }
            }
        }
    }

    /// - Returns: How many statements a look-up takes, which has to find this.
    private func lookup(_ name: Int, in store: SQLiteStore, finds bytes: Data?) async throws -> Int {
        statements.withLock { $0 = 0 }
        #expect(try await store.bytes(storeKey(name)) == bytes)
        return statements.withLock { $0 }
    }

    @Test("An entry is found again without a statement, until something is committed by this store or another")
    func commits() async throws {
        let (store, other) = (store(), SQLiteStore(file: file, bounds: .ample))
        for name in 1...2 { try await store.put(storeKey(name), content(name, 100)) }
        let changes: [() async throws -> Data?] = [
            { content(1, 100) },
            {
                try await store.put(storeKey(3), content(3, 100))
                return content(1, 100)
            },
            {
                try await other.put(storeKey(4), content(4, 100))
                return content(1, 100)
            },
            {
                try await other.put(storeKey(1), content(7, 100))
                return content(7, 100)
            },
            {
                let entry = try #require(try await other.variants(of: storeKey(1)).first)
                _ = try await other.update(entry, to: storeMetadata(tag: "\"new\""))
                return content(7, 100)
            },
            {
                try await other.remove(.key(storeKey(2)))
                return content(7, 100)
            },
            {
                try await other.remove(.key(storeKey(1)))
                return nil
            },
        ]
        for (number, change) in changes.enumerated() {
            let expected = try await change()
            #expect(try await lookup(1, in: store, finds: expected) == 1, "after change \(number)")
            for _ in 0..<3 {
                #expect(try await lookup(1, in: store, finds: expected) == (expected == nil ? 1 : 0), "again")
            }
        }
        for store in [store, other] { await store.close() }
    }

    @Test("An entry has the description that another store gave it")
    func describedAnew() async throws {
        let (store, other) = (store(), SQLiteStore(file: file, bounds: .ample))
        try await store.put(storeKey(1), content(1, 100), storeMetadata(tag: "\"old\""))
        for tag in ["old", "new", "newest"] {
            let entry = try #require(try await other.variants(of: storeKey(1)).first)
            _ = try await other.update(entry, to: storeMetadata(tag: "\"\(tag)\""))
            for _ in 0..<3 {
                let found = try #require(try await store.variants(of: storeKey(1)).first)
                #expect(found.response.metadata.head.headerFields[.eTag] == "\"\(tag)\"")
            }
        }
        for store in [store, other] { await store.close() }
    }

    @Test("An entry is not given out when the database was closed meanwhile, and another store has changed it")
    func suspended() async throws {
        let (store, other) = (store(), SQLiteStore(file: file, bounds: .ample))
        try await store.put(storeKey(1), content(1, 100))
        for _ in 0..<2 { #expect(try await store.bytes(storeKey(1)) != nil) }
        await store.suspend()
        await #expect(throws: CacheStoreFault(.suspended(file.path))) { try await store.variants(of: storeKey(1)) }
        try await other.put(storeKey(1), content(2, 100))
        store.resume()
        #expect(try await lookup(1, in: store, finds: content(2, 100)) == 1)
        // The other one clears away what it replaced, some time later.
        try await until("it to be found without a statement") {
            try await lookup(1, in: store, finds: content(2, 100)) == 0
        }
        await store.close()
        await #expect(throws: CacheStoreFault(.closed(file.path))) { try await store.variants(of: storeKey(1)) }
        await other.close()
    }

    @Test("The memory takes little: few entries are kept, and none that is large or one of several")
    func bounded() async throws {
        let store = store()
        for name in 1...200 { try await store.put(storeKey(name), content(name, 50)) }
        for name in 201...203 { try await store.put(storeKey(name), content(name, CacheLedger.longestLookup)) }
        for variant in ["a", "b"] { try await store.put(storeKey(204), content(204, 50), storeMetadata(variant)) }
        for name in 1...200 { #expect(try await store.bytes(storeKey(name)) == content(name, 50)) }
        let kept = store.database.recentLookupCount
        #expect(kept > 32 && kept <= 64)
        for _ in 0..<2 {
            for name in 201...203 {
                #expect(try await lookup(name, in: store, finds: content(name, CacheLedger.longestLookup)) == 1)
            }
            statements.withLock { $0 = 0 }
            #expect(try await store.variants(of: storeKey(204)).count == 2)
            #expect(statements.withLock { $0 } == 1)
        }
        try await store.remove(.key(storeKey(1)))
        #expect(store.database.recentLookupCount == 0, "what was removed is not kept in memory")
        await store.close()
    }
}
#endif
