#if AllTests
import Foundation
import HTTPChainCache
import HTTPChainCore
import HTTPChainTesting
import HTTPTypes
import TestSupport
import Testing

@Suite("The store in memory", .seeded, .timeLimit(.minutes(10)))
struct MemoryStoreTests {
    private func metadata(_ variant: String? = nil, classification: String? = nil) -> CacheMetadata {
        CacheMetadata(
            head: HTTPResponse(status: .ok),
            variant: CacheVariant(variant.map { [CacheVariant.Field(name: "foo", value: $0)] } ?? []),
            requestTime: start,
            responseTime: start,
            classification: classification
        )
    }

    /// What an entry without fields costs beside its body.
    private func overhead(_ key: CacheKey, _ variant: String? = nil) -> Int64 {
        Int64(256 + key.url.utf8.count + (variant.map { "foo".utf8.count + $0.utf8.count + 64 } ?? 0))
    }

    @discardableResult
    private func put(
        _ store: MemoryCacheStore,
        _ key: CacheKey,
        _ length: Int,
        _ variant: String? = nil,
        classification: String? = nil
    ) async throws -> CacheCommit {
        let metadata = metadata(variant, classification: classification)
        let writer = try #require(await store.makeWriter(for: key, metadata, expecting: nil))
        _ = try await writer.write(Data(repeating: 1, count: length))
        return try await writer.commit()
    }

    private func key(_ name: some Any) -> CacheKey { CacheKey(url: "https://example.com/\(name)") }

    @Test("What was not used for longest goes first, whichever shard it is in", arguments: [1, 2, 16, 100])
    func leastRecentOfAll(shards: Int) async throws {
        let store = MemoryCacheStore(
            bounds: CacheBounds(totalBytes: .megabytes(10), entryCount: 20),
            shards: shards
        )
        var random = Numbers(Seed.numbers(3))
        var order: [Int] = []
        for step in 0..<3000 {
            let name = Int.random(in: 0..<40, using: &random)
            if let at = order.firstIndex(of: name) {
                #expect(try await store.bytes(storeKey(name)) != nil)
                order.append(order.remove(at: at))
            } else {
                let evicted = try await store.put(storeKey(name), content(step, 100)).evicted
                let oldest = order.count == 20 ? [storeKey(order.removeFirst())] : []
                #expect(evicted == oldest)
                order.append(name)
            }
        }
        #expect(try await store.keys() == Set(order.map { "\($0)" }))
    }

    @Test("An entry is there when it is committed, and not before or without")
    func commit() async throws {
        let store = MemoryCacheStore(bounds: CacheBounds(totalBytes: .megabytes(1)))
        let writer = try #require(await store.makeWriter(for: key(1), metadata(), expecting: 4))
        #expect(try await writer.write(Data("ab".utf8)))
        #expect(await store.variants(of: key(1)).isEmpty)
        #expect(try await writer.write(Data("cd".utf8)[0...]))
        let entry = try #require(try await writer.commit().entry)
        #expect(entry.response.bodyLength == 4 && entry.response.bodyChecksum == ContentChecksum(of: Data("abcd".utf8)))
        #expect(try await store.body(of: entry, range: nil)?.text() == "abcd")
        #expect(try await store.body(of: entry, range: 1..<3)?.text() == "bc")
        #expect(try await writer.commit().entry == nil, "once is all")
        let other = try #require(await store.makeWriter(for: key(2), metadata(), expecting: nil))
        _ = try await other.write(Data("x".utf8))
        await other.abandon()
        #expect(try await other.commit().entry == nil)
        #expect(await store.usage() == CacheUsage(bytes: overhead(key(1)) + 4, entries: 1))
    }

    @Test("Keys that are canonically equal and differ in their bytes are two: URLs, users, variants")
    func canonicallyEqual() async throws {
        let store = MemoryCacheStore(bounds: CacheBounds(totalBytes: .megabytes(1)))
        let (one, other) = ("caf\u{e9}", "cafe\u{301}")
        try await put(store, key(one), 1)
        #expect(await store.variants(of: key(other)).isEmpty)
        try await put(store, key(other), 2)
        #expect(await store.variants(of: key(one)).map(\.response.bodyLength) == [1])
        #expect(await store.variants(of: key(other)).map(\.response.bodyLength) == [2])
        #expect(CacheKey(url: "u", partition: one) != CacheKey(url: "u", partition: other))
        #expect(CacheKey(url: "u", identifier: one) != CacheKey(url: "u", identifier: other))
        #expect(CacheVariant.Field(name: "foo", value: one) != CacheVariant.Field(name: "foo", value: other))
        let log = InvalidationLog()
        log.note(.url(one))
        #expect(!log.isCurrent(one, since: 0) && log.isCurrent(other, since: 0))
    }

    @Test("A variant takes the place of the one before; a reader of that one goes on")
    func replacement() async throws {
        let store = MemoryCacheStore(bounds: CacheBounds(totalBytes: .megabytes(1)))
        let old = try #require(try await put(store, key(1), 10).entry)
        try await put(store, key(1), 20, "a")
        let body = try #require(await store.body(of: old, range: nil))
        try await put(store, key(1), 30)
        #expect(await store.variants(of: key(1)).map(\.response.bodyLength).sorted() == [20, 30])
        #expect(try await body.collect().count == 10)
        #expect(await store.body(of: old, range: nil) == nil)
        let bytes = overhead(key(1)) + overhead(key(1), "a") + 50
        #expect(await store.usage() == CacheUsage(bytes: bytes, entries: 2))
    }

    @Test("The variant that was stored last is the last one, also where it takes the place of another")
    func order() async throws {
        let store = MemoryCacheStore(bounds: CacheBounds(totalBytes: .megabytes(1)))
        for name in ["a", "b", "c", "a"] { try await put(store, key(1), 10, name) }
        #expect(
            await store.variants(of: key(1)).map { $0.response.metadata.variant.fields[0].value } == ["b", "c", "a"]
        )
    }

    @Test("A new description keeps the body and counts its size")
    func update() async throws {
        let store = MemoryCacheStore(bounds: CacheBounds(totalBytes: .megabytes(1)))
        let entry = try #require(try await put(store, key(1), 10).entry)
        var changed = entry.response.metadata
        changed.head.headerFields[.eTag] = "\"a\""
        let updated = try #require(await store.update(entry, to: changed))
        #expect(updated.id == entry.id && updated.response.metadata.head.headerFields[.eTag] == "\"a\"")
        #expect(await store.variants(of: key(1)).first?.response === updated.response)
        #expect(await store.usage().bytes == updated.response.headSize + 10 + Int64(key(1).url.utf8.count))
        await store.remove(.all)
        #expect(await store.update(entry, to: changed) == nil)
    }

    @Test("What was not used for longest goes first")
    func leastRecent() async throws {
        let bounds = CacheBounds(totalBytes: .bytes(3 * (overhead(key(1)) + 100)), entryBytes: 1000)
        let store = MemoryCacheStore(bounds: bounds, shards: 1)
        for name in 1...3 { try await put(store, key(name), 100) }
        let first = try #require(await store.variants(of: key(1)).first)
        _ = await store.body(of: first, range: nil)
        _ = await store.variants(of: key(2))
        #expect(try await put(store, key(4), 100).evicted == [key(2)])
        #expect(try await put(store, key(5), 400).evicted == [key(3), key(1)])
    }

    @Test("Bounds on one entry, on the number, and on all are kept")
    func bounds() async throws {
        let small = MemoryCacheStore(bounds: CacheBounds(totalBytes: 10_000, entryBytes: 1000, entryCount: 2))
        #expect(await small.makeWriter(for: key(1), metadata(), expecting: 1000) == nil)
        let writer = try #require(await small.makeWriter(for: key(1), metadata(), expecting: nil))
        #expect(try await writer.write(Data(repeating: 0, count: 1000)) == false)
        #expect(try await writer.commit().entry == nil)
        for name in 1...5 { try await put(small, key(name), 10) }
        #expect(await small.usage().entries == 2)
        let none = MemoryCacheStore(bounds: CacheBounds(totalBytes: 0))
        #expect(await none.makeWriter(for: key(1), metadata(), expecting: 0) == nil)
    }

    @Test(
        "Entries are picked by what they are",
        arguments: [
            (.all, 6), (.key(CacheKey(url: "https://a.example/1")), 2), (.url("https://a.example/1"), 4),
            (.identifier("x/1"), 1), (.identifierPrefix("x/"), 1), (.identifierPrefix("y"), 0),
            (.classification("c"), 1),
            (.classification(nil), 5), (.origin(Origin("https://a.example")!), 5), (.partition("ada"), 1),
            (.origin(Origin("http://a.example")!), 0),
        ] as [(CacheSelection, Int)]
    )
    func selections(selection: CacheSelection, count: Int) async throws {
        let store = MemoryCacheStore(bounds: CacheBounds(totalBytes: .megabytes(1)))
        let url = "https://a.example/1"
        try await put(store, CacheKey(url: url), 1)
        try await put(store, CacheKey(url: url), 1, "a")
        try await put(store, CacheKey(url: url, partition: "ada"), 1)
        try await put(store, CacheKey(url: url, identifier: "x/1"), 1)
        try await put(store, CacheKey(url: "https://a.example/2"), 1, classification: "c")
        try await put(store, CacheKey(url: "https://b.example/1"), 1)
        var shown = 0
        await store.visit(selection) { _ in
            shown += 1
            return true
        }
        #expect(shown == count)
        #expect(await store.remove(selection) == count)
        #expect(await store.usage().entries == 6 - count)
        var left = 0
        await store.visit(.all) { _ in
            left += 1
            return left < 2
        }
        #expect(left == min(2, 6 - count))
    }

    @Test("Random steps: the store holds what a plain list holds, in order of use, within its bounds")
    func random() async throws {
        let random = Seed.numbers(7)
        let limit: Int64 = 20 * (overhead(key(1)) + 50)
        let store = MemoryCacheStore(
            bounds: CacheBounds(totalBytes: .bytes(limit), entryBytes: 400, entryCount: 30),
            shards: 1
        )
        func cost(_ entry: (key: CacheKey, variant: String?, length: Int)) -> Int64 {
            overhead(entry.key, entry.variant) + Int64(entry.length)
        }
        // The least recent first.
        var list: [(key: CacheKey, variant: String?, length: Int)] = []
        for _ in 0..<20_000 {
            let key = key(random.next() % 20)
            let variant = random.next() % 3 == 0 ? "a" : nil
            let position = list.firstIndex { $0.key == key && $0.variant == variant }
            switch random.next() % 4 {
            case 0:
                let length = Int(random.next() % 200)
                let fits = overhead(key, variant) + Int64(length) <= 400
                // What does not fit leaves the variant before it alone.
                if fits, let position { list.remove(at: position) }
                let evicted = try await put(store, key, length, variant).evicted
                if fits {
                    var expected: [CacheKey] = []
                    let new = cost((key, variant, length))
                    while list.reduce(new, { $0 + cost($1) }) > limit || list.count + 1 > 30 {
                        expected.append(list.removeFirst().key)
                    }
                    list.append((key, variant, length))
                    #expect(evicted == expected)
                }
            case 1:
                let removed = await store.remove(.key(key))
                #expect(removed == list.count { $0.key == key })
                list.removeAll { $0.key == key }
            default:
                let wanted = variant.map { [CacheVariant.Field(name: "foo", value: $0)] } ?? []
                let entry = await store.variants(of: key).first { $0.response.metadata.variant.fields == wanted }
                #expect((entry == nil) == (position == nil))
                guard let entry, let position else { continue }
                #expect(await store.body(of: entry, range: nil)?.length == Int64(list[position].length))
                list.append(list.remove(at: position))
            }
            let bytes = list.reduce(Int64(0)) { $0 + cost($1) }
            #expect(await store.usage() == CacheUsage(bytes: bytes, entries: list.count))
        }
    }

    @Test("Many tasks at once: no bound is broken, and what is counted is what is there")
    func concurrency() async throws {
        let limit: Int64 = 50_000
        let store = MemoryCacheStore(bounds: CacheBounds(totalBytes: .bytes(limit), entryBytes: 5000, entryCount: 60))
        try await withThrowingTaskGroup(of: Void.self) { group in
            for task in 0..<8 {
                group.addTask {
                    let random = Seed.numbers(UInt64(task))
                    for _ in 0..<2000 {
                        let key = key(random.next() % 100)
                        switch random.next() % 4 {
                        case 0: try await put(store, key, Int(random.next() % 3000))
                        case 1: await store.remove(random.next() % 50 == 0 ? .all : .key(key))
                        default:
                            if let entry = await store.variants(of: key).first {
                                let body = await store.body(of: entry, range: nil)
                                #expect(body.map { $0.length == entry.response.bodyLength } ?? true)
                            }
                        }
                        let usage = await store.usage()
                        #expect(usage.bytes <= limit && usage.entries <= 60)
                    }
                }
            }
            try await group.waitForAll()
        }
        var bytes: Int64 = 0
        var count = 0
        await store.visit(.all) { entry in
            bytes += entry.response.headSize + entry.response.bodyLength + Int64(entry.key.url.utf8.count)
            count += 1
            return true
        }
        #expect(await store.usage() == CacheUsage(bytes: bytes, entries: count))
        await store.remove(.all)
        #expect(await store.usage() == CacheUsage())
    }

    @Test("A store that fails costs an event and nothing else", arguments: FailingStore.Point.allCases)
    func failingStore(point: FailingStore.Point) async throws {
        let events = Locked<[String]>([])
        let cache = CacheMiddleware(store: FailingStore(point: point)) { event in
            events.withLock { $0.append(event.word) }
        }
        let clock = VirtualClock()
        let chain = try Chain([cache], transport: Plain(), environment: .virtual(clock))
        for _ in 1...2 {
            #expect(try await chain.send(.get(target)).body.text() == "0123456789")
            clock.advance(by: .seconds(61))
            #expect(try await chain.send(.get(target)).body.text() == "0123456789")
        }
        #expect(try await chain.send(.put(target)).status == .ok)
        #expect(events.withLock { $0.contains("store failure") })
    }
}

/// Answers every request in the same way.
private struct Plain: Transport {
    var capabilities: TransportCapabilities { [] }

    func send(_ request: consuming Request) async throws -> Response {
        if request.head.headerFields[.ifNoneMatch] == "\"a\"" {
            return Response(.notModified, headers: [.eTag: "\"a\""])
        }
        return Response(
            .ok,
            headers: [.cacheControl: "max-age=60", .eTag: "\"a\""],
            body: .chunks(["01234", "56789"])
        )
    }
}

/// A store in memory of which one function fails.
struct FailingStore: WrappedStore {
    enum Point: Sendable, CaseIterable { case variants, body, makeWriter, write, commit, update, remove }
    struct Fault: Error {}

    let point: Point
    let base = MemoryCacheStore(bounds: CacheBounds(totalBytes: .megabytes(1)))
    var summary: String { "failing" }

    private func fail(at here: Point) throws { if here == point { throw Fault() } }

    func variants(of key: CacheKey) async throws -> [CacheEntry] {
        try fail(at: .variants)
        return await base.variants(of: key)
    }

    func body(of entry: CacheEntry, range: Range<Int64>?) async throws -> HTTPBody? {
        try fail(at: .body)
        return await base.body(of: entry, range: range)
    }

    func makeWriter(
        for key: CacheKey,
        _ metadata: CacheMetadata,
        expecting length: Int64?
    ) async throws -> (any CacheWriter)? {
        try fail(at: .makeWriter)
        return await base.makeWriter(for: key, metadata, expecting: length).map { Writer(point: point, writer: $0) }
    }

    func update(_ entry: CacheEntry, to metadata: CacheMetadata) async throws -> CacheEntry? {
        try fail(at: .update)
        return await base.update(entry, to: metadata)
    }

    func remove(_ selection: CacheSelection) async throws -> Int {
        try fail(at: .remove)
        return await base.remove(selection)
    }

    private final class Writer: CacheWriter {
        let point: Point
        let writer: any CacheWriter

        init(point: Point, writer: any CacheWriter) {
            self.point = point
            self.writer = writer
        }

        func write(_ chunk: Data) async throws -> Bool {
            if point == .write { throw Fault() }
            return try await writer.write(chunk)
        }

        func commit() async throws -> CacheCommit {
            if point == .commit { throw Fault() }
            return try await writer.commit()
        }

        func abandon() async { await writer.abandon() }
    }
}
#endif
