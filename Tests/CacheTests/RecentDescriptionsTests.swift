#if AllTests
import Foundation
import HTTPChainCore
import HTTPTypes
import TestSupport
import Testing

@testable import HTTPChainCache

@Suite("Descriptions that were decoded before", .timeLimit(.minutes(10)))
struct RecentDescriptionsTests {
    private let directory = ScratchDirectory()

    private func store() -> FileCacheStore { FileCacheStore(directory: directory.url, bounds: .ample) }

    private func entry(_ key: CacheKey, in store: some CacheStore) async throws -> CacheEntry {
        try #require(try await store.variants(of: key).first)
    }

    private func path(of entry: CacheEntry, in store: FileCacheStore) -> URL {
        URL(fileURLWithPath: store.directory.entry(entry.id.rawValue))
    }

    @Test("A description that is looked up again is not decoded again", arguments: [10, 12_000, 300_000])
    func once(length: Int) async throws {
        let store = store()
        try await store.put(storeKey(1), content(1, length), storeMetadata(tag: "\"a\""))
        let first = try await entry(storeKey(1), in: store)
        for _ in 0..<3 {
            let again = try await entry(storeKey(1), in: store)
            #expect(again.response === first.response)
            #expect(try await store.body(of: again, range: nil)?.collect() == content(1, length))
        }
    }

    @Test("A description that this store or another one has changed is decoded again", arguments: [true, false])
    func changed(byAnother: Bool) async throws {
        let store = store()
        try await store.put(storeKey(1), content(1, 100), storeMetadata(tag: "\"a\""))
        let first = try await entry(storeKey(1), in: store)
        let changer = byAnother ? self.store() : store
        // As long as before, and an entry of the same name.
        _ = try await changer.update(first, to: storeMetadata(tag: "\"b\""))
        let second = try await entry(storeKey(1), in: store)
        #expect(second.id == first.id && second.response.metadata.head.headerFields[.eTag] == "\"b\"")
        #expect(try await entry(storeKey(1), in: store).response === second.response)
        try await changer.put(storeKey(1), content(2, 100), storeMetadata(tag: "\"c\""))
        let third = try await entry(storeKey(1), in: store)
        #expect(third.response.metadata.head.headerFields[.eTag] == "\"c\"")
        #expect(try await store.body(of: third, range: nil)?.collect() == content(2, 100))
    }

    @Test("Each bit of an entry may turn over after its description was decoded: it is found to be damaged")
    func damaged() async throws {
        let store = store()
        let key = storeKey(1)
        var length = Int.max
        var offset = 0
        while offset < length {
            try await store.put(key, content(1, 40), storeMetadata(tag: "\"a\""))
            let known = try await entry(key, in: store)
            var bytes = try Data(contentsOf: path(of: known, in: store))
            length = bytes.count
            bytes[offset] ^= 1 << UInt8(offset % 8)
            try bytes.write(to: path(of: known, in: store))
            if let found = try? await store.variants(of: key).first {
                // The content is looked at when it is asked for.
                #expect(offset >= length - 40 && found.response === known.response, "\(offset)")
                await #expect(throws: CacheStoreFault(.damaged("a stored body")), "\(offset)") {
                    try await store.body(of: found, range: nil)
                }
            }
            let left = try? await store.variants(of: key)
            #expect(left?.isEmpty ?? true, "\(offset)")
            offset += 1
        }
    }

    @Test("What another entry's file has is not taken for the one that was decoded")
    func exchanged() async throws {
        let store = store()
        try await store.put(storeKey(1), content(1, 100))
        try await store.put(storeKey(2), content(2, 100))
        let (one, two) = try await (entry(storeKey(1), in: store), entry(storeKey(2), in: store))
        try Data(contentsOf: path(of: two, in: store)).write(to: path(of: one, in: store))
        await #expect(throws: CacheStoreFault(.damaged("an entry"))) { try await store.variants(of: storeKey(1)) }
        #expect(try await store.bytes(storeKey(2)) == content(2, 100))
    }

    @Test("What is removed, by this store or another one, is forgotten")
    func forgotten() async throws {
        let (store, other) = (store(), store())
        for name in 1...4 {
            try await store.put(storeKey(name), content(name, 100))
            #expect(try await store.bytes(storeKey(name)) != nil)
        }
        #expect(store.view.recent.usage.count == 4)
        try await store.remove(.key(storeKey(1)))
        #expect(store.view.recent.usage.count == 3)
        try await other.remove(.key(storeKey(2)))
        #expect(try await store.variants(of: storeKey(2)).isEmpty)
        #expect(store.view.recent.usage.count == 2)
        try await store.remove(.all)
        #expect(store.view.recent.usage == (0, 0))
    }

    private func head(_ name: UInt64, _ length: Int) -> StoredHead {
        var metadata = storeMetadata()
        metadata.head.headerFields[.eTag] = String(repeating: "a", count: length)
        return StoredHead(
            storeKey(name),
            StoredResponse(metadata, bodyLength: 0, bodyChecksum: ContentChecksum())
        )
    }

    /// - Returns: Whether the description was decoded.
    @discardableResult
    private func look(_ name: UInt64, _ head: StoredHead, in table: RecentDescriptions) throws -> Bool {
        var isDecoded = false
        let found = try head.encoded.withUnsafeBytes { bytes in
            try table.head(of: name, bytes) { () throws(CacheStoreFault) in
                isDecoded = true
                return try StoredHead(decoding: bytes)
            }
        }
        #expect(found.key == head.key && found.response.metadata == head.response.metadata)
        return isDecoded
    }

    @Test("The table is bounded in descriptions and in bytes, and has what was used last")
    func bounds() throws {
        for length in [10, 300, 3000, 15_000] {
            let table = RecentDescriptions()
            for name in 0..<UInt64(5000) { try look(name &* 7919, head(name &* 7919, length), in: table) }
            let (count, bytes) = table.usage
            #expect(count <= RecentDescriptions.countLimit && bytes <= RecentDescriptions.byteLimit)
            #expect(count > 30, "of \(length) bytes")
            let last = UInt64(4999) &* 7919
            #expect(try !look(last, head(last, length), in: table))
        }
        let table = RecentDescriptions()
        let large = head(1, RecentDescriptions.lengthLimit)
        #expect(try look(1, large, in: table))
        #expect(try look(1, large, in: table), "too large to be kept")
        #expect(table.usage == (0, 0))
    }

    @Test("Of entries that share a place, the one that was used last stays")
    func order() throws {
        let table = RecentDescriptions()
        let step = UInt64(RecentDescriptions.countLimit / 2)
        let names = [step, step * 2, step * 3]
        try look(names[0], head(names[0], 10), in: table)
        try look(names[1], head(names[1], 10), in: table)
        #expect(try !look(names[0], head(names[0], 10), in: table), "and is the one used last now")
        #expect(try look(names[2], head(names[2], 10), in: table))
        #expect(try !look(names[0], head(names[0], 10), in: table))
        #expect(try look(names[1], head(names[1], 10), in: table))
        // The same entry with other bytes takes one place.
        #expect(try look(names[1], head(names[1], 20), in: table))
        #expect(table.usage.count == 2)
    }

    @Test("What cannot be decoded is not kept")
    func malformed() throws {
        let table = RecentDescriptions()
        let bytes: [UInt8] = [1, 0, 3]
        for _ in 0..<2 {
            #expect(throws: CacheStoreFault(.damaged("a stored response"))) {
                try bytes.withUnsafeBytes { bytes in
                    try table.head(of: 1, bytes) { () throws(CacheStoreFault) in try StoredHead(decoding: bytes) }
                }
            }
        }
        #expect(table.usage == (0, 0))
    }
}
#endif
