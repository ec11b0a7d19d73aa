#if AllTests
import Foundation
import HTTPChainCore
import HTTPChainInMemory
import HTTPTypes
import TestSupport
import Testing

@testable import HTTPChainCache

@Suite("Parts that continue what is stored in memory", .timeLimit(.minutes(10)))
struct MemoryAppendTests {
    private func metadata(_ range: Range<Int64>, of length: Int64? = nil) -> CacheMetadata {
        var metadata = storeMetadata(tag: "\"a\"")
        metadata.content = range.upperBound == length && range.lowerBound == 0 ? .complete : .part(range, of: length)
        return metadata
    }

    private func append(_ bytes: Data, to entry: CacheEntry, in store: MemoryCacheStore) async throws -> CacheEntry? {
        let length = entry.response.bodyLength + Int64(bytes.count)
        guard let writer = try await store.makeAppender(to: entry, metadata(0..<length), expecting: nil) else {
            return nil
        }
        #expect(try await writer.write(bytes))
        return try await writer.commit().entry
    }

    @Test("A response that is asked for in many ranges is written to memory once")
    func linear() async throws {
        let (count, size) = (40, 100_000)
        let all = content(7, count * size)
        let store = CountingStore(MemoryCacheStore(bounds: .ample))
        let transport = rangeServer(size, of: all.count) { all[$0..<($0 + size)] }
        let chain = try Chain([CacheMiddleware(store: store, partition: .shared)], transport: transport)
        for start in stride(from: 0, to: all.count, by: size) {
            let range = "Range: bytes=\(start)-\(start + size - 1)"
            let response = try await chain.send(.get(target, headers: fields([range])))
            #expect(try await response.body.collect() == all[start..<(start + size)])
        }
        #expect(store.written.withLock { $0 } == all.count)
        let whole = try await chain.send(.get(target))
        #expect(whole.status == .ok && whole.cacheStatus?.isHit == true)
        #expect(whole.headers[.contentLength] == "\(all.count)")
        #expect(try await whole.body.collect() == all)
        for range in [0..<1, 99_999..<100_001, 150_000..<160_000, 350_000..<3_999_999] {
            let field = "Range: bytes=\(range.lowerBound)-\(range.upperBound - 1)"
            let part = try await chain.send(.get(target, headers: fields([field])))
            #expect(part.cacheStatus?.isHit == true)
            #expect(try await part.body.collect() == all[range], "\(range)")
        }
        #expect(transport.requestCount == count)
    }

    @Test("A description that was read before a body was extended changes neither its range nor what its entry reads")
    func updateAfterAppending() async throws {
        let store = MemoryCacheStore(bounds: .ample)
        let all = content(1, 200_000)
        let first = try #require(try await store.put(storeKey(1), all.prefix(100_000), metadata(0..<100_000)).entry)
        _ = try #require(try await append(all.suffix(100_000), to: first, in: store))
        let updated = try #require(await store.update(first, to: metadata(0..<100_000)))
        #expect(updated.response.metadata.content == .part(0..<200_000, of: nil))
        #expect(updated.response.bodyLength == 200_000)
        let old = try #require(await store.body(of: first, range: nil))
        #expect(try await old.collect() == all.prefix(100_000))
        let whole = try #require(await store.body(of: updated, range: nil))
        #expect(try await whole.collect() == all)
    }

    @Test("An entry that outgrows its bound when it is validated is removed, and long keys count")
    func outgrown() async throws {
        let store = MemoryCacheStore(bounds: CacheBounds(totalBytes: .megabytes(1), entryBytes: .kibibytes(4)))
        let entry = try #require(try await store.put(storeKey(1), content(1, 10), metadata(0..<10)).entry)
        var large = entry.response.metadata
        large.head.headerFields[.server] = String(repeating: "x", count: 5000)
        #expect(await store.update(entry, to: large) == nil)
        #expect(await store.usage() == CacheUsage())
        let long = CacheKey(url: "https://example.com/" + String(repeating: "x", count: 5000))
        #expect(try await store.put(long, content(1, 10), metadata(0..<10)).entry == nil)
    }

    @Test("Who reads what was stored before reads it to its end, and what is stored has the right checksum")
    func readers() async throws {
        let store = MemoryCacheStore(bounds: .ample)
        let all = content(1, 400_000)
        let put = try await store.put(storeKey(1), all.prefix(100_000), metadata(0..<100_000))
        let first = try #require(put.entry)
        let before = try #require(await store.body(of: first, range: nil))
        let second = try #require(try await append(all[100_000..<300_000], to: first, in: store))
        #expect(second.id == first.id && second.response.bodyLength == 300_000)
        let between = try #require(await store.body(of: second, range: nil))
        var reader = between.makeAsyncIterator()
        var read = try await reader.next() ?? Data()
        let third = try #require(try await append(all[300_000...], to: second, in: store))
        while let chunk = try await reader.next() { read += chunk }
        #expect(read == all.prefix(300_000))
        #expect(try await before.collect() == all.prefix(100_000))
        #expect(third.response.bodyChecksum == ContentChecksum(of: all))
        let known = try #require(await store.variants(of: storeKey(1)).first)
        #expect(known.response === third.response)
        #expect(try await store.body(of: known, range: 299_999..<300_001)?.collect() == all[299_999..<300_001])
        #expect(try await store.body(of: known, range: 400_000..<400_000)?.collect() == Data())
        let bytes = MemoryShard.cost(of: third.response, at: third.key)
        #expect(await store.usage() == CacheUsage(bytes: bytes, entries: 1))
        #expect(await store.remove(.all) == 1)
        #expect(await store.usage() == CacheUsage())
    }

    @Test("A body that is small, gone, not any more what the caller knows, or being continued is written anew")
    func refused() async throws {
        let store = MemoryCacheStore(bounds: .ample)
        func appender(_ entry: CacheEntry, _ length: Int64? = nil) async throws -> (any CacheWriter)? {
            try await store.makeAppender(to: entry, metadata(0..<400_000), expecting: length)
        }
        let small = try #require(try await store.put(storeKey(1), content(1, 65_536)).entry)
        #expect(try await appender(small) == nil)
        let large = try #require(try await store.put(storeKey(2), content(2, 100_000)).entry)
        #expect(try await appender(large, 1_000_000_000) == nil, "it would become too large")
        do {
            let writer = try await appender(large)
            #expect(writer != nil)
            #expect(try await appender(large) == nil, "one at a time")
            await writer?.abandon()
        }
        do {
            let dropped = try await appender(large)
            #expect(try await dropped?.write(content(3, 10)) == true)
        }
        #expect(try await store.bytes(storeKey(2)) == content(2, 100_000))
        let longer = try #require(try await append(content(3, 1000), to: large, in: store))
        #expect(try await appender(large) == nil, "it has grown since")
        let writer = try #require(try await appender(longer))
        #expect(try await writer.write(content(4, 1000)))
        #expect(await store.remove(.key(storeKey(2))) == 1)
        #expect(try await writer.commit().entry == nil, "it was removed meanwhile")
        #expect(await store.variants(of: storeKey(2)).isEmpty)
        #expect(try await appender(longer) == nil)
        #expect(await store.usage().entries == 1)
        var other = metadata(0..<400_000)
        other.variant = CacheVariant([CacheVariant.Field(name: "foo", value: "other")])
        let third = try #require(try await store.put(storeKey(3), content(3, 100_000)).entry)
        #expect(try await store.makeAppender(to: third, other, expecting: nil) == nil, "another variant")
    }

    @Test("What continues a body makes room as any other does, and not with the body itself")
    func bounds() async throws {
        let bounds = CacheBounds(totalBytes: .kilobytes(400), entryBytes: .kilobytes(300))
        let store = MemoryCacheStore(bounds: bounds, shards: 1)
        let first = try #require(try await store.put(storeKey(1), content(1, 100_000)).entry)
        for name in 2...3 { #expect(try await store.put(storeKey(name), content(name, 120_000)).entry != nil) }
        let writer = try #require(try await store.makeAppender(to: first, metadata(0..<200_000), expecting: nil))
        #expect(try await writer.write(content(4, 100_000)))
        let commit = try await writer.commit()
        #expect(commit.entry?.response.bodyLength == 200_000 && commit.evicted == [storeKey(2)])
        #expect(await store.usage().bytes <= 400_000)
        let again = try #require(commit.entry)
        let much = try #require(try await store.makeAppender(to: again, metadata(0..<300_000), expecting: nil))
        #expect(try await !much.write(content(4, 100_000)), "it has become too large")
        #expect(try await much.commit().entry == nil)
        #expect(try await store.bytes(storeKey(1)) == content(1, 100_000) + content(4, 100_000))
    }

    @Test("A body of too many segments is written anew")
    func segments() async throws {
        let store = MemoryCacheStore(bounds: .ample)
        var entry = try #require(try await store.put(storeKey(1), content(1, 70_000)).entry)
        for _ in 1..<MemoryBody.maximumCount { entry = try #require(try await append(Data([1]), to: entry, in: store)) }
        #expect(try await append(Data([1]), to: entry, in: store) == nil)
        let expected = content(1, 70_000) + Data(repeating: 1, count: MemoryBody.maximumCount - 1)
        #expect(try await store.bytes(storeKey(1)) == expected)
    }
}

/// Counts the bytes that a store is given.
private final class CountingStore: WrappedStore, BodyAppending {
    let written = Locked(0)
    let base: MemoryCacheStore

    init(_ base: MemoryCacheStore) { self.base = base }

    func makeWriter(
        for key: CacheKey,
        _ metadata: CacheMetadata,
        expecting length: Int64?
    ) async throws -> (any CacheWriter)? {
        counted(await base.makeWriter(for: key, metadata, expecting: length))
    }

    func makeAppender(
        to entry: CacheEntry,
        _ metadata: CacheMetadata,
        expecting length: Int64?
    ) async throws -> (any CacheWriter)? {
        counted(try await base.makeAppender(to: entry, metadata, expecting: length))
    }

    private func counted(_ writer: (any CacheWriter)?) -> (any CacheWriter)? {
        writer.map { CountingWriter($0) { [written] count in written.withLock { $0 += count } } }
    }
}

private final class CountingWriter: CacheWriter {
    private let base: any CacheWriter
    private let count: @Sendable (Int) -> Void

    init(_ base: any CacheWriter, count: @escaping @Sendable (Int) -> Void) {
        self.base = base
        self.count = count
    }

    func write(_ chunk: Data) async throws -> Bool {
        count(chunk.count)
        return try await base.write(chunk)
    }

    func commit() async throws -> CacheCommit { try await base.commit() }

    func abandon() async { await base.abandon() }
}
#endif
