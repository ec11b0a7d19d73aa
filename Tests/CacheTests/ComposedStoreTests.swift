#if AllTests
import Foundation
import HTTPChainCache
import HTTPChainCore
import HTTPChainInMemory
import HTTPTypes
import TestSupport
import Testing

@Suite("Stores made of stores", .timeLimit(.minutes(10)))
struct ComposedStoreTests {
    private let directory = ScratchDirectory()

    @Test("Each class has its store, and a response takes the place of one of another class")
    func divided() async throws {
        let personal = MemoryCacheStore(bounds: CacheBounds(totalBytes: .megabytes(1)))
        let others = MemoryCacheStore(bounds: CacheBounds(totalBytes: .megabytes(1)))
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

    @Test("A store that several classes share keeps the entries of each, whether it is given twice or opened twice")
    func sharedByClasses() async throws {
        let memory = MemoryCacheStore(bounds: CacheBounds(totalBytes: .megabytes(1)))
        let one = FileCacheStore(directory: directory.url, bounds: CacheBounds(totalBytes: .megabytes(1)))
        let other = FileCacheStore(
            directory: directory.url.appending(path: "../\(directory.url.lastPathComponent)/"),
            bounds: CacheBounds(totalBytes: .megabytes(1))
        )
        let pairs: [(any CacheStore, any CacheStore)] = [
            (memory, memory), (BuiltInCacheStore(memory), BuiltInCacheStore(memory)), (one, one),
            (BuiltInCacheStore(one), other),
        ]
        for (first, second) in pairs {
            for store in [
                DividedCacheStore(
                    ["a": first, "b": second],
                    others: MemoryCacheStore(bounds: CacheBounds(totalBytes: .megabytes(1)))
                ),
                DividedCacheStore(["a": first], others: second),
            ] {
                try await store.remove(.all)
                try await store.put(storeKey(1), content(1, 10), storeMetadata(classification: "a"))
                try await store.put(storeKey(2), content(2, 10), storeMetadata(classification: "b"))
                #expect(try await store.bytes(storeKey(1)) == content(1, 10))
                #expect(try await store.bytes(storeKey(2)) == content(2, 10))
                #expect(try await store.variants(of: storeKey(1)).count == 1)
                #expect(try await store.remove(.classification("a")) == 1)
                try await store.put(storeKey(3), content(3, 10), storeMetadata(classification: "e\u{301}"))
                #expect(try await store.remove(.classification("\u{E9}")) == 0)
                #expect(try await store.remove(.classification("e\u{301}")) == 1)
                #expect(try await store.bytes(storeKey(2)) == content(2, 10))
            }
        }
    }

    @Test(
        "§4.4: what a stage over one part makes invalid is not stored by a stage over the whole, and the other way round"
    )
    func dividedLog() async throws {
        let personal = MemoryCacheStore(bounds: CacheBounds(totalBytes: .megabytes(1)))
        let others = MemoryCacheStore(bounds: CacheBounds(totalBytes: .megabytes(1)))
        let whole = DividedCacheStore(
            [
                "personal": TieredCacheStore(
                    memory: MemoryCacheStore(bounds: CacheBounds(totalBytes: .megabytes(1))),
                    over: personal
                )
            ],
            others: others
        )
        let transport = InMemoryTransport { request in
            Response(
                .ok,
                headers: [.cacheControl: "max-age=60"],
                body: request.method == .get ? .chunks([Data("a".utf8)]) : .empty
            )
        }
        let stages = [
            CacheMiddleware(store: whole, partition: .shared), CacheMiddleware(store: personal, partition: .shared),
            CacheMiddleware(store: others, partition: .shared),
        ]
        let chains = try stages.map { try Chain([$0], transport: transport) }
        for reader in 0..<3 {
            for writer in 0..<3 where writer != reader {
                let response = try await chains[reader].send(.get(target))
                _ = try await chains[writer].send(.delete(target))
                #expect(try await response.body.text() == "a")
                #expect(try await whole.usage().entries == 0, "\(reader) \(writer)")
            }
        }
        let response = try await chains[0].send(.get(target))
        #expect(try await response.body.text() == "a")
        #expect(try await whole.usage().entries == 1)
    }

    @Test("Entries of the same number in two stores are told apart")
    func dividedNames() async throws {
        let store = DividedCacheStore(
            ["a": MemoryCacheStore(bounds: CacheBounds(totalBytes: .megabytes(1)))],
            others: MemoryCacheStore(bounds: CacheBounds(totalBytes: .megabytes(1)))
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
        let store = TieredCacheStore(
            memory: MemoryCacheStore(bounds: CacheBounds(totalBytes: .megabytes(1))),
            over: base
        )
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
        let base = MemoryCacheStore(bounds: CacheBounds(totalBytes: .megabytes(10)))
        let memory = MemoryCacheStore(bounds: CacheBounds(totalBytes: .megabytes(1)))
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

    @Test("A body that is a stream is copied while it is read to its end, and not where it is left before")
    func tieredStreams() async throws {
        let base = FileCacheStore(directory: directory.url, bounds: .ample)
        let memory = MemoryCacheStore(bounds: CacheBounds(totalBytes: .megabytes(4)))
        let store = TieredCacheStore(memory: memory, over: base)
        let bytes = content(1, 700_000)
        let entry = try #require(try await store.put(storeKey(1), bytes).entry)
        do {
            let body = try #require(try await store.body(of: entry, range: nil))
            #expect(body.bytes == nil, "it is a stream")
            var chunks = body.makeAsyncIterator()
            _ = try await chunks.next()
        }
        #expect(await memory.usage().entries == 0)
        let body = try #require(try await store.body(of: entry, range: nil))
        #expect(try await body.collect() == bytes)
        #expect(await memory.usage().entries == 1)
        #expect(try await body.collect() == bytes, "a second time")
        // Behind the store's back, so that it shows where an answer comes from.
        try await base.remove(.all)
        #expect(try await store.bytes(storeKey(1)) == bytes)
        // What changes while it is read is not copied.
        let old = try #require(try await store.put(storeKey(2), bytes).entry)
        let late = try #require(try await store.body(of: old, range: nil))
        var chunks = late.makeAsyncIterator()
        var read = try await chunks.next() ?? Data()
        try await store.put(storeKey(2), content(2, 10))
        while let chunk = try await chunks.next() { read += chunk }
        #expect(read == bytes)
        #expect(try await store.bytes(storeKey(2)) == content(2, 10))
        #expect(try await store.bytes(storeKey(2)) == content(2, 10))
        // Longer ones are answered from below.
        let large = content(3, 1_100_000)
        try await store.put(storeKey(3), large)
        for _ in 0..<2 { #expect(try await store.bytes(storeKey(3)) == large) }
        #expect(await memory.variants(of: storeKey(3)).isEmpty)
    }

    @Test("Uses of copies in memory count below")
    func tieredUses() async throws {
        let base = MemoryCacheStore(bounds: CacheBounds(totalBytes: .megabytes(10), entryCount: 3), shards: 1)
        let store = TieredCacheStore(
            memory: MemoryCacheStore(bounds: CacheBounds(totalBytes: .megabytes(4))),
            over: base
        )
        for name in 1...3 {
            try await store.put(storeKey(name), content(name, 10))
            _ = try await store.bytes(storeKey(name))
        }
        for name in [2, 1, 2] { #expect(try await store.bytes(storeKey(name)) == content(name, 10)) }
        #expect(try await store.put(storeKey(4), content(4, 10)).evicted == [storeKey(3)])
        #expect(try await store.put(storeKey(5), content(5, 10)).evicted == [storeKey(1)])
        #expect(try await base.keys() == ["2", "4", "5"])
        // Many are told below without an entry being stored.
        let wide = MemoryCacheStore(bounds: CacheBounds(totalBytes: .megabytes(10), entryCount: 100), shards: 1)
        let other = TieredCacheStore(
            memory: MemoryCacheStore(bounds: CacheBounds(totalBytes: .megabytes(4))),
            over: wide
        )
        for name in 0..<100 { try await other.put(storeKey(name), content(name, 10)) }
        for name in 0..<100 { _ = try await other.bytes(storeKey(name)) }
        for name in 0..<64 { _ = try await other.bytes(storeKey(name)) }
        try await wide.put(storeKey("x"), content(1, 10))
        #expect(try await wide.keys().contains("0"))
        #expect(try await !wide.keys().contains("64"))
    }

    @Test("Readers beside writers never see what was replaced before they began")
    func tieredRaces() async throws {
        let store = TieredCacheStore(
            memory: MemoryCacheStore(bounds: CacheBounds(totalBytes: .megabytes(1))),
            over: MemoryCacheStore(bounds: CacheBounds(totalBytes: .megabytes(10)))
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
#endif
