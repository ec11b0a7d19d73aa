#if AllTests
import Foundation
import HTTPChainCore
import HTTPChainInMemory
import HTTPTypes
import TestSupport
import Testing

@testable import HTTPChainCache
@testable import HTTPChainCacheEncrypted

@Suite("The encrypted store", .heavy, .seeded, .timeLimit(.minutes(10)))
struct EncryptedStoreTests {
    private let directory = ScratchDirectory()
    private let other = EncryptionKey(content(2, 32)) ?? .random()

    /// The stores beneath that can be encrypted.
    static let beneath: [StoreKind] = [.memory] + StoreKind.onDisk

    private static func metadata(_ tag: String, _ variant: String? = nil) -> CacheMetadata {
        var metadata = storeMetadata(variant, classification: "class-of-\(tag)", tag: "\"tag-\(tag)\"")
        metadata.head.headerFields[.cacheControl] = "max-age=60"
        return metadata
    }

    private static func key(_ name: some Any) -> CacheKey {
        CacheKey(
            url: "https://plants.example/garden/\(name)?token=oak",
            partition: "user-ann",
            identifier: "list/\(name)"
        )
    }

    // MARK: - Keys

    @Test("Another key finds nothing, and leaves what is there as it is", arguments: beneath)
    func wrongKey(kind: StoreKind) async throws {
        let base = kind.make(.ample, in: directory)
        let (right, wrong) = (EncryptedCacheStore(over: base, key: .test), EncryptedCacheStore(over: base, key: other))
        for (name, length) in [(1, 100), (2, 300_000)] {
            try await right.put(Self.key(name), content(name, length), Self.metadata("\(name)"))
        }
        try await right.put(storeKey(3), content(3, 10))
        for key in [Self.key(1), Self.key(2), storeKey(3)] {
            #expect(try await wrong.variants(of: key).isEmpty)
            #expect(try await wrong.remove(.key(key)) == 0)
            #expect(try await wrong.remove(.url(key.url)) == 0)
        }
        let selections: [CacheSelection] = [
            .all, .classification(nil), .classification("class-of-1"), .identifierPrefix(""), .identifier("list/1"),
            .partition("user-ann"), .partition(""), .origin(Origin("https://plants.example/")!),
        ]
        for selection in selections {
            #expect(try await wrong.keys(selection).isEmpty, "\(selection)")
            #expect(try await wrong.remove(selection) == 0, "\(selection)")
        }
        try await wrong.put(Self.key(1), content(9, 50_000), Self.metadata("9"))
        #expect(try await wrong.bytes(Self.key(1)) == content(9, 50_000))
        #expect(try await right.bytes(Self.key(1)) == content(1, 100))
        #expect(try await right.bytes(Self.key(2)) == content(2, 300_000))
        #expect(try await right.bytes(storeKey(3)) == content(3, 10))
        #expect(try await wrong.remove(.all) == 1)
        #expect(try await right.remove(.all) == 3)
        #expect(try await base.usage() == CacheUsage())
    }

    @Test("What an old key encrypted is found, and what is stored is encrypted with the new one", arguments: beneath)
    func rotation(kind: StoreKind) async throws {
        let base = kind.make(.ample, in: directory)
        let old = EncryptedCacheStore(over: base, key: other)
        for name in 1...3 { try await old.put(Self.key(name), content(name, name * 40_000), Self.metadata("\(name)")) }
        let both = EncryptedCacheStore(over: base, key: .test, oldKeys: [other, other, .test])
        let new = EncryptedCacheStore(over: base, key: .test)
        #expect(try await both.keys().count == 3)
        for name in 1...3 { #expect(try await both.bytes(Self.key(name)) == content(name, name * 40_000)) }
        // Stored anew.
        try await both.put(Self.key(1), content(11, 70_000), Self.metadata("1"))
        #expect(try await both.variants(of: Self.key(1)).count == 1)
        #expect(try await new.bytes(Self.key(1)) == content(11, 70_000))
        #expect(try await old.variants(of: Self.key(1)).isEmpty)
        // Validated: its content stays as it is.
        let entry = try #require(try await both.variants(of: Self.key(2)).first)
        let updated = try #require(try await both.update(entry, to: Self.metadata("changed")))
        #expect(updated.response.metadata == Self.metadata("changed"))
        #expect(try await both.variants(of: Self.key(2)).map(\.response.metadata) == [Self.metadata("changed")])
        #expect(try await both.bytes(Self.key(2)) == content(2, 80_000))
        #expect(try await both.remove(.classification("class-of-3")) == 1)
        #expect(try await both.remove(.identifierPrefix("list/")) == 2)
        #expect(try await base.usage() == CacheUsage())
    }

    @Test("Of old keys no more than a few are used")
    func oldKeyLimit() async throws {
        let base = MemoryCacheStore(bounds: .ample)
        let keys = (0..<10).map { EncryptionKey(content($0 + 100, 32))! }
        for (name, key) in keys.enumerated() {
            try await EncryptedCacheStore(over: base, key: key).put(storeKey(name), content(name, 10))
        }
        let store = EncryptedCacheStore(over: base, key: .test, oldKeys: keys)
        #expect(EncryptedCacheStore.oldKeyLimit == 8)
        #expect(try await store.keys() == Set((0..<8).map { "\($0)" }))
    }

    @Test("A key does not show itself, has 32 bytes, and comes back from its text")
    func redacted() throws {
        let key = EncryptionKey.random()
        #expect(key != .random())
        var dumped = ""
        dump(key, to: &dumped)
        dump(EncryptedCacheStore(over: .memory(limit: .megabytes(1)), key: .test).summary, to: &dumped)
        for text in ["\(key)", String(reflecting: key), dumped, "\([key])"] {
            #expect(!text.contains(key.base64.revealed))
            #expect(text.contains("<secret>") || text == dumped)
        }
        #expect(Mirror(reflecting: key).children.isEmpty)
        #expect("\(key.base64)" == "<secret>")
        #expect(EncryptionKey(base64: key.base64) == key)
        #expect(EncryptionKey(base64: "short") == nil)
        #expect(EncryptionKey(base64: "not base64!") == nil)
        for count in [0, 16, 31, 33] { #expect(EncryptionKey(Data(count: count)) == nil) }
    }

    // MARK: - What is on the disk

    @Test(
        "Nothing of URLs, fields, content, partitions, identifiers or classes is in the files",
        arguments: StoreKind.onDisk
    )
    func scan(kind: StoreKind) async throws {
        let words = [
            "plants.example", "garden", "token=oak", "user-ann", "list/", "class-of", "tag-", "max-age", "etag",
            "cache-control", "french", "ROSE", "accept-language",
        ]
        func write(_ store: any CacheStore) async throws {
            for (name, length) in [(1, 1000), (2, 20_000), (3, 400_000)] {
                let bytes = Data(String(repeating: "ROSE and oak ", count: length / 13).utf8)
                var metadata = Self.metadata("\(name)")
                metadata.variant = CacheVariant([.init(name: "accept-language", value: "french")])
                let entry = try #require(try await store.put(Self.key(name), bytes, metadata).entry)
                metadata.head.headerFields[.age] = "7"
                _ = try await store.update(entry, to: metadata)
                #expect(try await store.bytes(Self.key(name)) == bytes)
            }
        }
        func found(in directory: ScratchDirectory) throws -> Set<String> {
            var found: Set<String> = []
            let files = try #require(FileManager.default.enumerator(atPath: directory.path)?.allObjects as? [String])
            #expect(files.count > 1)
            for file in files {
                guard let bytes = try? Data(contentsOf: directory.file(file)) else { continue }
                for word in words where bytes.range(of: Data(word.utf8)) != nil { found.insert(word) }
                for word in words where file.contains(word) { found.insert(word) }
            }
            return found
        }
        try await write(EncryptedCacheStore(over: kind.make(.ample, in: directory), key: .test))
        #expect(try found(in: directory).isEmpty)
        let plain = ScratchDirectory()
        try await write(kind.make(.ample, in: plain))
        #expect(try found(in: plain).count > 8, "the words are found where nothing is encrypted")
    }

    @Test("A byte that is flipped anywhere on the disk is a miss, and never wrong content", arguments: StoreKind.onDisk)
    func flippedOnDisk(kind: StoreKind) async throws {
        let lengths = [1: 100, 2: 40_000, 3: 300_000]
        let sound = kind.make(.ample, in: directory)
        let store = EncryptedCacheStore(over: sound, key: .test)
        for (name, length) in lengths { try await store.put(Self.key(name), content(name, length), Self.metadata("1")) }
        await sound.shut()
        var random = Numbers(Seed.numbers(5))
        var hits = 0
        var misses = 0
        for round in 0..<(Drill.isFull ? 400 : 40) {
            let copy = ScratchDirectory()
            try FileManager.default.copyItem(at: directory.url, to: copy.url)
            let files = copy.names.filter { ((try? copy.content(of: $0)) ?? Data()).count > 0 }
            let file = try #require(files.randomElement(using: &random))
            var bytes = try copy.content(of: file)
            let index = Int.random(in: 0..<bytes.count, using: &random)
            bytes[index] ^= 1 << UInt8.random(in: 0..<8, using: &random)
            try copy.file(file, bytes)
            let base = kind.make(.ample, in: copy)
            let store = EncryptedCacheStore(over: base, key: .test)
            for (name, length) in lengths {
                do {
                    guard let entry = try await store.variants(of: Self.key(name)).first,
                        let body = try await store.body(of: entry, range: nil)
                    else {
                        misses += 1
                        continue
                    }
                    #expect(entry.response.metadata == Self.metadata("1"))
                    #expect(try await body.collect() == content(name, length), "round \(round): \(file) \(index)")
                    hits += 1
                } catch {
                    #expect(error is CacheStoreFault, "round \(round): \(file) \(index)")
                    misses += 1
                }
            }
            await base.shut()
        }
        #expect(hits > 0 && misses > 0)
    }

    // MARK: - What another changes

    /// A store of which somebody changes what it gives back.
    private final class ChangedStore: WrappedStore {
        let base = MemoryCacheStore(bounds: .ample, shards: 1)
        let changeBody = Locked<@Sendable (Data) -> Data>({ $0 })
        let changeEntry = Locked<@Sendable (CacheEntry) -> CacheEntry>({ $0 })
        let ranges = Locked<[Range<Int64>?]>([])

        func variants(of key: CacheKey) async throws -> [CacheEntry] {
            let change = changeEntry.withLock { $0 }
            return await base.variants(of: key).map(change)
        }

        func body(of entry: CacheEntry, range: Range<Int64>?) async throws -> HTTPBody? {
            ranges.withLock { $0.append(range) }
            let change = changeBody.withLock { $0 }
            guard let bytes = await base.body(of: entry, range: nil)?.bytes else { return nil }
            let changed = change(bytes)
            guard let range else { return HTTPBody(changed) }
            return HTTPBody(changed.dropFirst(Int(range.lowerBound)).prefix(range.count))
        }
    }

    private static let sealedBlock = ContentCipher.payload + ContentCipher.overhead

    /// Changes to what is encrypted of a body of five blocks.
    private static let bodyChanges: [(String, @Sendable (Data) -> Data)] = [
        ("the first byte", { flip($0, 0) }), ("the last byte", { flip($0, $0.count - 1) }),
        ("a byte of a tag", { flip($0, sealedBlock - 1) }), ("a byte in the middle", { flip($0, $0.count / 2) }),
        ("the end cut off", { $0.dropLast(1) }), ("a block cut off", { $0.prefix(sealedBlock * 4) }),
        ("all cut off", { _ in Data() }), ("more at the end", { $0 + [0] }),
        (
            "two blocks exchanged",
            { $0[sealedBlock..<(2 * sealedBlock)] + $0[..<sealedBlock] + $0[(2 * sealedBlock)...] }
        ),
        ("a block twice", { $0[..<sealedBlock] + $0[..<sealedBlock] + $0[(2 * sealedBlock)...] }),
    ]

    private static func flip(_ data: Data, _ index: Int) -> Data {
        var data = Data(data)
        data[index] ^= 1
        return data
    }

    @Test("Content that is changed, moved or cut off is damage, and is removed", arguments: bodyChanges.indices)
    func changedContent(index: Int) async throws {
        let (name, change) = Self.bodyChanges[index]
        for length in [ContentCipher.payload * 4 + 100, 600_000] {
            let base = ChangedStore()
            let store = EncryptedCacheStore(over: base, key: .test)
            let bytes = content(1, length)
            let entry = try #require(try await store.put(Self.key(1), bytes).entry)
            base.changeBody.withLock { $0 = change }
            var read = Data()
            do {
                if let body = try await store.body(of: entry, range: nil) {
                    for try await chunk in body { read += chunk }
                }
                // Bytes behind the end are nobody's.
                #expect(name == "more at the end" && read == bytes, "\(name)")
            } catch {
                #expect(error as? CacheStoreFault == CacheStoreFault(.damaged("a stored body")), "\(name)")
                #expect(bytes.starts(with: read) && read.count < bytes.count, "\(name)")
                #expect(await base.base.usage() == CacheUsage(), "\(name)")
            }
        }
    }

    @Test("A description that is changed, or in another's place, is a miss, and is removed")
    func changedDescription() async throws {
        for round in 0..<6 {
            let base = ChangedStore()
            let store = EncryptedCacheStore(over: base, key: .test)
            try await store.put(Self.key(1), content(1, 100), Self.metadata("1"))
            try await store.put(Self.key(2), content(2, 100), Self.metadata("2"))
            let second = try #require(try await store.variants(of: Self.key(2)).first)
            let stolen = try #require(second.response.attachment as? SealedEntry).inner.response
            base.changeEntry.withLock { change in
                change = { entry in
                    var metadata = entry.response.metadata
                    let field = SealedHead.field
                    var bytes = Data(base64Encoded: metadata.head.headerFields[field] ?? "") ?? Data()
                    switch round {
                    case 0: bytes[bytes.count - 1] ^= 1
                    case 1: bytes[9] ^= 0x80
                    case 2: bytes = bytes.prefix(20)
                    case 3: metadata.variant = CacheVariant([.init(name: "variant", value: "x")])
                    case 4: metadata.classification = nil
                    default:
                        bytes = Data(base64Encoded: stolen.metadata.head.headerFields[field] ?? "") ?? Data()
                    }
                    metadata.head.headerFields[field] = bytes.base64EncodedString()
                    return CacheEntry(id: entry.id, key: entry.key, response: entry.response.with(metadata))
                }
            }
            await #expect(throws: CacheStoreFault(.damaged("a stored response")), "round \(round)") {
                try await store.variants(of: Self.key(1))
            }
            #expect(await base.base.usage().entries == 1, "round \(round)")
        }
    }

    @Test("Content in another entry's place is damage, whatever its length")
    func exchangedContent() async throws {
        let base = ChangedStore()
        let store = EncryptedCacheStore(over: base, key: .test)
        let one = try #require(try await store.put(Self.key(1), content(1, 100)).entry)
        try await store.put(Self.key(2), content(1, 100))
        let two = try #require(try await store.variants(of: Self.key(2)).first?.response.attachment as? SealedEntry)
        let bytes = try #require(await base.base.body(of: two.inner, range: nil)?.bytes)
        base.changeBody.withLock { $0 = { _ in bytes } }
        await #expect(throws: CacheStoreFault(.damaged("a stored body"))) { try await store.body(of: one, range: nil) }
    }

    // MARK: - Ranges, bounds and steps

    @Test("Of a range only its blocks are read")
    func ranges() async throws {
        let base = ChangedStore()
        let store = EncryptedCacheStore(over: base, key: .test)
        let bytes = content(1, 1_000_000)
        let entry = try #require(try await store.put(Self.key(1), bytes).entry)
        let (payload, sealed) = (ContentCipher.payload, Int64(Self.sealedBlock))
        let rows: [(Range<Int>, Range<Int64>)] = [
            (0..<1, 0..<sealed), (payload - 1..<payload + 1, 0..<2 * sealed),
            (3 * payload..<4 * payload, 3 * sealed..<4 * sealed), (999_999..<1_000_000, 61 * sealed..<1_000_992),
        ]
        for (range, expected) in rows {
            base.ranges.withLock { $0 = [] }
            let body = try await store.body(of: entry, range: Int64(range.lowerBound)..<Int64(range.upperBound))
            #expect(try await body?.collect() == bytes[range])
            #expect(base.ranges.withLock { $0 } == [expected], "\(range)")
        }
    }

    @Test(
        "Lengths that no store has room for are refused, and nothing traps",
        arguments: [Int64.max, Int64.max - 1, Int64(1 << 60)]
    )
    func lengths(length: Int64) async throws {
        let store = EncryptedCacheStore(over: .memory(limit: .megabytes(1)), key: .test)
        #expect(try await store.makeWriter(for: storeKey(1), storeMetadata(), expecting: length) == nil)
        #expect(try await store.makeWriter(for: storeKey(1), storeMetadata(), expecting: -length) != nil)
    }

    @Test("An entry that is described once only is not found, and not removed while it is being stored")
    func incomplete() async throws {
        let base = ChangedStore()
        let store = EncryptedCacheStore(over: base, key: .test)
        let entry = try #require(try await store.put(Self.key(1), content(1, 50_000), Self.metadata("1")).entry)
        let sealed = try #require(entry.response.attachment as? SealedEntry)
        let head = SealedHead(entry.key, entry.response, sealed.layout, isComplete: false)
        _ = await base.base.update(sealed.inner, to: try sealed.cipher.seal(head, as: sealed.inner.key))
        #expect(try await store.variants(of: Self.key(1)).isEmpty)
        #expect(try await store.keys().isEmpty)
        #expect(await base.base.usage().entries == 1)
        #expect(try await store.remove(.all) == 1)
    }

    @Test("Names come back with the key that made them, and with no other")
    func names() throws {
        let (one, two) = (EntryCipher(.test), EntryCipher(other))
        let keys = [
            Self.key(1), CacheKey(url: "urn:no-origin", method: .post), CacheKey(url: ""),
            CacheKey(url: String(repeating: "https://example.com/ü", count: 40), partition: "\u{80}", identifier: ""),
        ]
        for key in keys {
            let inner = try one.key(key)
            #expect(try one.key(key) == inner)
            #expect(one.original(inner) == key)
            #expect(two.original(inner) == nil)
            #expect(try two.key(key) != inner)
            #expect(Origin(inner.url) != nil || key.origin == nil)
            var damaged = inner.url
            damaged.removeLast()
            #expect(one.original(CacheKey(url: damaged, method: inner.method, partition: inner.partition)) == nil)
        }
        #expect(one.original(CacheKey(url: "https://example.com/a")) == nil)
        #expect(one.classification(nil) != one.classification(""))
        for length in 0..<70 {
            let bytes = Array(content(length, length))
            #expect(Base64URL.decode(Base64URL.encode(bytes)) == bytes)
        }
        #expect(Base64URL.decode("a b") == nil)
    }

    @Test("A chain over an encrypted store answers from it, also in the next run")
    func chain() async throws {
        let transport = InMemoryTransport { _ in
            Response(.ok, headers: [.cacheControl: "max-age=60", .eTag: "\"1\""], body: "whole")
        }
        for _ in 1...2 {
            let cache = CacheMiddleware(
                store: .encrypted(.files(in: directory.url, limit: .megabytes(1)), key: .test),
                partition: .shared
            )
            let chain = try Chain([cache], transport: transport)
            for _ in 1...2 { #expect(try await chain.send(.get(target)).body.text() == "whole") }
        }
        #expect(transport.requestCount == 1)
    }
}
#endif
