#if AllTests
import Foundation
import HTTPChainCore
import HTTPChainInMemory
import HTTPTypes
import TestSupport
import Testing

@testable import HTTPChainCache
@testable import HTTPChainCacheEncrypted

@Suite("Parts that continue what is stored, encrypted", .heavy, .seeded, .timeLimit(.minutes(10)))
struct EncryptedAppendTests {
    private let directory = ScratchDirectory()
    private let other = EncryptionKey(content(2, 32)) ?? .random()
    private static let block = ContentCipher.payload
    /// Segments that end within a block, with a block, and after a byte of one.
    private static let lengths = [100_000, 4 * block, 2 * block + 1, 40_000]

    private func metadata(_ length: Int) -> CacheMetadata {
        var metadata = storeMetadata(tag: "\"a\"")
        metadata.content = .part(0..<Int64(length), of: nil)
        return metadata
    }

    /// Puts bytes behind an entry.
    private func append(
        _ bytes: Data,
        to entry: CacheEntry,
        in store: EncryptedCacheStore
    ) async throws -> CacheEntry? {
        let length = Int(entry.response.bodyLength) + bytes.count
        guard let writer = try await store.makeAppender(to: entry, metadata(length), expecting: nil) else { return nil }
        var rest = bytes
        while !rest.isEmpty {
            #expect(try await writer.write(rest.prefix(30_000)))
            rest = rest.dropFirst(30_000)
        }
        return try await writer.commit().entry
    }

    /// Stores content in several segments.
    private func store(
        _ bytes: Data,
        _ lengths: [Int] = Self.lengths,
        in store: EncryptedCacheStore
    ) async throws -> CacheEntry {
        let first = try await store.put(storeKey(1), bytes.prefix(lengths[0]), metadata(lengths[0]))
        var entry = try #require(first.entry)
        for length in lengths.dropFirst() {
            let rest = bytes.dropFirst(Int(entry.response.bodyLength)).prefix(length)
            entry = try #require(try await append(rest, to: entry, in: store))
        }
        #expect(Int(entry.response.bodyLength) == bytes.count)
        return entry
    }

    private static var all: Data { content(1, lengths.reduce(0, +)) }

    @Test("A response that is asked for in many ranges, one after the other, is written once")
    func linear() async throws {
        let (count, size) = (40, 100_000)
        let all = content(7, count * size)
        let written = Locked(0)
        let files = HookedFiles { operation, _ in
            if case .write(let count) = operation { written.withLock { $0 += count } }
        }
        let base = FileCacheStore(path: directory.path, bounds: .ample, files: files)
        let transport = rangeServer(size, of: all.count) { all[$0..<($0 + size)] }
        let cache = CacheMiddleware(store: EncryptedCacheStore(over: base, key: .test), partition: .shared)
        let chain = try Chain([cache], transport: transport)
        for start in stride(from: 0, to: all.count, by: size) {
            let range = "Range: bytes=\(start)-\(start + size - 1)"
            let response = try await chain.send(.get(target, headers: fields([range])))
            #expect(try await response.body.collect() == all[start..<(start + size)])
        }
        let total = written.withLock { $0 }
        #expect(total < all.count + all.count / 20, "\(total) bytes were written for \(all.count)")
        let whole = try await chain.send(.get(target))
        #expect(whole.status == .ok && whole.cacheStatus?.isHit == true)
        #expect(try await whole.body.collect() == all)
        #expect(transport.requestCount == count)
    }

    @Test("Any range of what was stored in parts is found, in the next run too", arguments: [StoreKind.memory, .files])
    func ranges(kind: StoreKind) async throws {
        let base = kind.make(.ample, in: directory)
        let all = Self.all
        let stored = try await store(all, in: EncryptedCacheStore(over: base, key: .test))
        #expect(stored.response.bodyChecksum == ContentChecksum(of: all))
        let again = kind == .memory ? base : kind.make(.ample, in: directory)
        let next = EncryptedCacheStore(over: again, key: .test)
        let entry = try #require(try await next.variants(of: storeKey(1)).first)
        #expect(entry.response.metadata == metadata(all.count))
        var places = Set([0, all.count])
        var end = 0
        for length in Self.lengths {
            for start in stride(from: end, through: end + length, by: Self.block) {
                places.formUnion([start - 1, start, start + 1])
            }
            end += length
            places.formUnion([end - 1, end, end + 1])
        }
        let bounds = places.filter { (0...all.count).contains($0) }.sorted()
        for (number, lower) in bounds.enumerated() {
            for upper in bounds[number...].prefix(4) + [all.count] {
                let body = try await next.body(of: entry, range: Int64(lower)..<Int64(upper))
                #expect(try await body?.collect() == all[lower..<upper], "\(lower)..<\(upper)")
            }
        }
        var described = metadata(all.count)
        described.head.headerFields[.age] = "7"
        #expect(try await next.update(entry, to: described) != nil)
        #expect(try await next.bytes(storeKey(1)) == all, "with another description")
    }

    @Test("Another key finds nothing of it, and what an old key encrypted is not continued")
    func keys() async throws {
        let base = MemoryCacheStore(bounds: .ample)
        let entry = try await store(Self.all, in: EncryptedCacheStore(over: base, key: other))
        #expect(try await EncryptedCacheStore(over: base, key: .test).variants(of: storeKey(1)).isEmpty)
        let both = EncryptedCacheStore(over: base, key: .test, oldKeys: [other])
        let found = try #require(try await both.variants(of: storeKey(1)).first)
        #expect(found.response.bodyLength == entry.response.bodyLength)
        #expect(try await append(content(2, 10), to: found, in: both) == nil)
        #expect(try await both.bytes(storeKey(1)) == Self.all)
    }

    @Test("What is stored without parts reads as before, and parts make no sense where their lengths do not add up")
    func layouts() throws {
        let salt = Data(repeating: 7, count: 16)
        func segment(_ length: Int64) -> SealedLayout.Segment { .init(salt: salt, length: length) }
        let response = StoredResponse(metadata(30), bodyLength: 30, bodyChecksum: ContentChecksum(of: content(1, 30)))
        let one = SealedHead(storeKey(1), response, SealedLayout(salt: salt, length: 30), isComplete: true)
        #expect(one.encoded == salt + [1] + StoredHead(storeKey(1), response).encoded)
        let several = try #require(SealedLayout(salt: salt, [segment(5), segment(6)], length: 30))
        #expect(several.segments.map(\.length) == [19, 5, 6])
        let head = SealedHead(storeKey(1), response, several, isComplete: true)
        #expect(SealedHead(decoding: head.encoded)?.layout == several)
        for count in 0..<head.encoded.count { #expect(SealedHead(decoding: head.encoded.prefix(count)) == nil) }
        for lengths: [Int64] in [[30], [31], [0], [-1], [10, 20], [.max], [.max, 2]] {
            #expect(SealedLayout(salt: salt, lengths.map(segment), length: 30) == nil, "\(lengths)")
        }
        let largest = try #require(SealedLayout(salt: salt, [segment(.max - 1)], length: .max))
        #expect(largest.sealedLength == .max && largest.block(at: .max) == nil)
    }

    // MARK: - What another changes

    /// A store of which somebody changes what it gives back of a body.
    private final class ChangedStore: WrappedStore, BodyAppending {
        let base = MemoryCacheStore(bounds: .ample, shards: 1)
        let change = Locked<@Sendable (Data) -> Data>({ $0 })

        func body(of entry: CacheEntry, range: Range<Int64>?) async throws -> HTTPBody? {
            let change = change.withLock { $0 }
            guard let body = await base.body(of: entry, range: nil) else { return nil }
            let changed = change(try await body.collect())
            guard let range else { return HTTPBody(changed) }
            return HTTPBody(changed.dropFirst(Int(range.lowerBound)).prefix(range.count))
        }

        func makeAppender(
            to entry: CacheEntry,
            _ metadata: CacheMetadata,
            expecting length: Int64?
        ) async throws -> (any CacheWriter)? {
            try await base.makeAppender(to: entry, metadata, expecting: length)
        }
    }

    /// Where each block begins in what is encrypted, and the end.
    private static var blocks: [Int] {
        var starts = [0]
        for length in lengths {
            var rest = length
            while rest > 0 {
                starts.append(starts[starts.count - 1] + min(rest, block) + ContentCipher.overhead)
                rest -= min(rest, block)
            }
        }
        return starts
    }

    private func expectDamage(_ name: String, _ change: @escaping @Sendable (Data) -> Data) async throws {
        let base = ChangedStore()
        let all = Self.all
        let store = EncryptedCacheStore(over: base, key: .test)
        let entry = try await self.store(all, in: store)
        base.change.withLock { $0 = change }
        var read = Data()
        do {
            let body = try #require(try await store.body(of: entry, range: nil))
            for try await chunk in body { read += chunk }
            Issue.record("\(name) is not found")
        } catch {
            #expect(error as? CacheStoreFault == CacheStoreFault(.damaged("a stored body")), "\(name)")
            #expect(all.starts(with: read) && read.count < all.count, "\(name)")
            #expect(await base.base.usage() == CacheUsage(), "\(name)")
        }
    }

    @Test("Content that ends with any of its blocks, or a byte before, is damage, and is removed")
    func truncated() async throws {
        for end in Self.blocks.dropLast() {
            try await expectDamage("the end at \(end)") { $0.prefix(end) }
            if end > 0 { try await expectDamage("the end before \(end)") { $0.prefix(end - 1) } }
        }
    }

    @Test("Blocks that are exchanged, within a part or between two, and a block with a bit flipped are damage")
    func exchanged() async throws {
        let blocks = Self.blocks
        let places = blocks.indices.dropLast()
        for (one, two) in places.flatMap({ one in places.map { (one, $0) } }) where one < two {
            let (first, second) = (blocks[one]..<blocks[one + 1], blocks[two]..<blocks[two + 1])
            guard first.count == second.count, two < one + 3 || one % 4 == two % 4 else { continue }
            try await expectDamage("\(one) and \(two) exchanged") { sealed in
                var changed = Data(sealed)
                changed.replaceSubrange(first, with: sealed[second])
                changed.replaceSubrange(second, with: sealed[first])
                return changed
            }
            try await expectDamage("\(one) twice") { sealed in
                var changed = Data(sealed)
                changed.replaceSubrange(second, with: sealed[first])
                return changed
            }
        }
        for place in places {
            try await expectDamage("a bit of \(place)") { sealed in
                var changed = Data(sealed)
                changed[(blocks[place] + blocks[place + 1]) / 2] ^= 1
                return changed
            }
        }
    }

    // MARK: - A part that is not finished

    @Test("A process that is killed anywhere while it puts a part behind leaves what was there, or all of it")
    func killed() async throws {
        let all = content(3, 200_000)
        var outcomes: Set<Int> = []
        var operation = 0
        while true {
            let directory = ScratchDirectory()
            let files = FaultyFiles()
            let store = EncryptedCacheStore(
                over: FileCacheStore(path: directory.path, bounds: .ample, files: files),
                key: .test
            )
            let put = try await store.put(storeKey(1), all.prefix(100_000), metadata(100_000))
            let entry = try #require(put.entry)
            files.fail(at: operation, .dead)
            _ = try? await append(all.dropFirst(100_000), to: entry, in: store)
            let isDone = files.count <= operation
            let next = EncryptedCacheStore(
                over: FileCacheStore(path: directory.path, bounds: .ample, files: SystemFiles()),
                key: .test
            )
            let bytes = try #require(try await next.bytes(storeKey(1)), "it is lost at \(operation)")
            #expect(bytes == all.prefix(bytes.count) && [100_000, 200_000].contains(bytes.count), "at \(operation)")
            outcomes.insert(bytes.count)
            // Whatever was left behind it, what comes next is right.
            let found = try #require(try await next.variants(of: storeKey(1)).first)
            if try await append(all.dropFirst(bytes.count) + [1], to: found, in: next) != nil {
                #expect(try await next.bytes(storeKey(1)) == all + [1], "at \(operation)")
            } else {
                #expect(try await next.bytes(storeKey(1)) == bytes, "at \(operation)")
            }
            if isDone { break }
            operation += 1
        }
        #expect(outcomes == [100_000, 200_000] && operation > 5)
    }

    @Test("Whoever reads what was stored before reads it to its end, and what is too large for the bounds is refused")
    func readers() async throws {
        let bounds = CacheBounds(totalBytes: .megabytes(4), entryBytes: ByteCount(700_000))
        let store = EncryptedCacheStore(over: FileCacheStore(path: directory.path, bounds: bounds), key: .test)
        let all = content(1, 600_000)
        let first = try #require(try await store.put(storeKey(1), all.prefix(300_000), metadata(300_000)).entry)
        let body = try #require(try await store.body(of: first, range: nil))
        var reader = body.makeAsyncIterator()
        var read = try await reader.next() ?? Data()
        let second = try #require(try await append(all[300_000...], to: first, in: store))
        #expect(second.id == first.id)
        while let chunk = try await reader.next() { read += chunk }
        #expect(read == all.prefix(300_000))
        #expect(try await store.body(of: first, range: nil)?.collect() == all.prefix(300_000), "by what it was")
        for length: Int64 in [100_000, .max, .max - 20] {
            #expect(try await store.makeAppender(to: second, metadata(700_000), expecting: length) == nil)
        }
        let writer = try #require(try await store.makeAppender(to: second, metadata(700_000), expecting: nil))
        #expect(try await writer.write(content(2, 100_000)) == false)
        #expect(try await writer.commit().entry == nil)
        #expect(try await store.bytes(storeKey(1)) == all)
    }
}
#endif
