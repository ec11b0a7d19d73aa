import Foundation
import HTTPChainCore
import HTTPTypes
import TestSupport
import Testing

@testable import HTTPChainCache

@Suite("Stores made of stores", .timeLimit(.minutes(10)))
struct ComposedStoreTests {
    private let directory = ScratchDirectory()

    @Test("Each class has its store, and a response takes the place of one of another class")
    func divided() async throws {
        let personal = MemoryCacheStore.memory(limit: .megabytes(1))
        let others = MemoryCacheStore.memory(limit: .megabytes(1))
        let store = DividedCacheStore(["personal": personal], others: others)
        #expect(store.summary == "personal: memory, up to 1 MB; others: memory, up to 1 MB")
        try await store.put(storeKey(1), content(1, 10), storeMetadata(classification: "personal"))
        try await store.put(storeKey(2), content(2, 10), storeMetadata(classification: "x"))
        try await store.put(storeKey(3), content(3, 10))
        #expect(await personal.usage().entries == 1)
        #expect(await others.usage().entries == 2)
        #expect(try await store.bytes(storeKey(1)) == content(1, 10))
        try await store.put(storeKey(1), content(4, 10))
        #expect(await personal.usage().entries == 0)
        #expect(try await store.bytes(storeKey(1)) == content(4, 10))
        let entry = try #require(try await store.variants(of: storeKey(1)).first)
        #expect(try await store.update(entry, to: storeMetadata(classification: "personal")) == nil)
        #expect(try await store.variants(of: storeKey(1)).isEmpty, "its class has changed")
    }

    @Test("Entries of the same number in two stores are told apart")
    func dividedNames() async throws {
        let store = DividedCacheStore(
            ["a": MemoryCacheStore.memory(limit: .megabytes(1))],
            others: MemoryCacheStore.memory(limit: .megabytes(1))
        )
        let first = try #require(
            try await store.put(storeKey(1), content(1, 10), storeMetadata(classification: "a")).entry
        )
        let second = try #require(try await store.put(storeKey(2), content(2, 10)).entry)
        #expect(first.id != second.id)
        #expect(try await store.remove(.entry(first.id)) == 1)
        #expect(try await store.keys() == ["2"])
        #expect(try await store.keys(.entry(second.id)) == ["2"])
    }

    @Test("The second use of an entry comes from memory; what changes below is seen")
    func tiered() async throws {
        let base = FileCacheStore(directory: directory.url, bounds: .ample)
        let store = TieredCacheStore(memory: .memory(limit: .megabytes(1)), over: base)
        try await store.put(storeKey(1), content(1, 1000), storeMetadata(tag: "\"1\""))
        #expect(try await store.bytes(storeKey(1)) == content(1, 1000))
        // Behind the store's back, so that it shows where an answer comes from.
        try await base.remove(.all)
        #expect(try await store.bytes(storeKey(1)) == content(1, 1000))
        try await store.put(storeKey(1), content(2, 1000))
        #expect(try await store.bytes(storeKey(1)) == content(2, 1000))
        let entry = try #require(try await store.variants(of: storeKey(1)).first)
        let updated = try #require(try await store.update(entry, to: storeMetadata(tag: "\"2\"")))
        #expect(try await store.variants(of: storeKey(1)).map(\.response.metadata) == [updated.response.metadata])
        #expect(try await store.bytes(storeKey(1)) == content(2, 1000))
        let copy = try #require(try await store.variants(of: storeKey(1)).first)
        #expect(try await store.keys(.entry(copy.id)) == ["1"])
        #expect(try await store.remove(.entry(copy.id)) == 1)
        #expect(try await store.variants(of: storeKey(1)).isEmpty)
        #expect(try await base.usage().entries == 0)
    }

    @Test("Large bodies and keys with several variants are answered from below")
    func tieredPassing() async throws {
        let base = MemoryCacheStore.memory(limit: .megabytes(10))
        let memory = MemoryCacheStore.memory(limit: .megabytes(1))
        let store = TieredCacheStore(memory: memory, over: base, copyingUpTo: .bytes(100))
        try await store.put(storeKey(1), content(1, 101))
        try await store.put(storeKey(2), content(2, 10), storeMetadata("a"))
        try await store.put(storeKey(2), content(3, 10), storeMetadata("b"))
        try await store.put(storeKey(3), content(4, 100))
        for name in 1...3 {
            for entry in try await store.variants(of: storeKey(name)) {
                _ = try await store.body(of: entry, range: nil)?.collect()
            }
        }
        #expect(await memory.usage().entries == 1)
        #expect(try await store.variants(of: storeKey(2)).count == 2)
        let copy = try #require(try await store.variants(of: storeKey(3)).first)
        await memory.remove(.all)
        #expect(try await store.body(of: copy, range: 1..<3)?.collect() == content(4, 100)[1..<3])
    }

    @Test("Readers beside writers never see what was replaced before they began")
    func tieredRaces() async throws {
        let store = TieredCacheStore(
            memory: .memory(limit: .megabytes(1)),
            over: MemoryCacheStore.memory(limit: .megabytes(10))
        )
        let committed = Locked(0)
        let found = Counter()
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask {
                for generation in 1...500 {
                    try await store.put(storeKey(1), content(generation, 100), storeMetadata(tag: "\(generation)"))
                    committed.withLock { $0 = generation }
                    if generation == 250 { try await until("a reader to have found an entry") { found.value > 0 } }
                }
            }
            for _ in 0..<3 {
                group.addTask {
                    while committed.withLock({ $0 }) < 500 {
                        let least = committed.withLock { $0 }
                        guard let entry = try await store.variants(of: storeKey(1)).first else { continue }
                        let tag = try #require(Int(entry.response.metadata.head.headerFields[.eTag] ?? ""))
                        #expect(tag >= least)
                        guard let body = try await store.body(of: entry, range: nil) else { continue }
                        #expect(try await body.collect() == content(tag, 100))
                        found.add()
                        await Task.yield()
                    }
                }
            }
            try await group.waitForAll()
        }
        #expect(try await store.bytes(storeKey(1)) == content(500, 100))
        #expect(found.value > 0)
    }
}
