#if AllTests
import Foundation
import HTTPChainCore
import HTTPChainInMemory
import HTTPChainSupport
import HTTPChainTesting
import HTTPTypes
import TestSupport
import Testing

@testable import HTTPChainCache
@testable import HTTPChainCacheEncrypted
@testable import HTTPChainCacheSQLite
@testable import HTTPChainCacheValkey

#if SQLite
import GRDB
#endif
#if Valkey
import HTTPChainValkey
import ValkeyServer
#endif

@Suite("Entries that somebody else has written", .heavy, .seeded, .timeLimit(.minutes(10)))
struct ForgedEntryTests {
    /// A store that somebody else can write to.
    enum Place: String, CaseIterable, CustomTestStringConvertible {
        case files, encrypted
        #if SQLite
        case sqlite
        #endif
        #if Valkey
        case valkey
        #endif
        /// The planted fault.
        case trusting

        static let real = allCases.filter { $0 != .trusting }

        var testDescription: String { rawValue }
    }

    private static let key = CacheKey(url: target)
    /// In one piece with the description, of one block, and of several.
    private static let sizes = [0, 5, 1000, 70_000, 300_000]
    private static let origin = Data("origin".utf8)

    /// A store in which a forged entry is the only one, and what it lives in.
    private func store(
        _ place: Place,
        _ entry: ForgedEntry,
        _ clock: VirtualClock
    ) async throws -> (store: any CacheStore, home: any Sendable) {
        let scratch = try ScratchDirectory.created()
        switch place {
        case .trusting: return (TrustingStore(entry: entry), scratch)
        case .files:
            let store = FileCacheStore(directory: scratch.url, bounds: .ample)
            let stored = try await store.put(Self.key, entry.body, entry.metadata).entry
            let id = try #require(stored?.id.rawValue)
            try forgeFile(scratch.file("\(id.hexadecimal).entry"), entry)
            return (FileCacheStore(directory: scratch.url, bounds: .ample), scratch)
        case .encrypted:
            let cipher = EntryCipher(.test)
            let key = try cipher.key(Self.key)
            let salt = SealedHead.makeSalt()
            let description = salt + Data([1]) + Data(entry.head)
            let base = MemoryCacheStore(bounds: .ample)
            var sealed = Data()
            var rest = entry.body
            var number: Int64 = 0
            while !rest.isEmpty {
                let block = Data(rest.prefix(ContentCipher.payload))
                rest = Data(rest.dropFirst(block.count))
                sealed += try cipher.content(salt).seal(block, number: number, isLast: rest.isEmpty)
                number += 1
            }
            try await base.put(key, sealed, try cipher.seal(description, of: entry.metadata, as: key))
            return (EncryptedCacheStore(over: base, key: .test), scratch)
        #if SQLite
        case .sqlite:
            let file = scratch.file("cache.sqlite")
            let store = SQLiteStore(file: file, bounds: .ample)
            try await store.put(Self.key, entry.body, entry.metadata)
            let head = Data(entry.head)
            try await DatabaseQueue.patient(path: file.path).write { db in
                try db.execute(
                    sql: "UPDATE entry SET head = ?, sum = ?",
                    arguments: [head, StoredHead.checksum(of: Array(head))]
                )
            }
            return (store, scratch)
        #endif
        #if Valkey
        case .valkey:
            let server = try await ForgingServer.started(entry)
            let client = ValkeyClient(server.settings)
            return (ValkeyCacheStore(client, bounds: .ample, time: clock), server)
        #endif
        }
    }

    /// Puts a forged description into the file of an entry, with the checksums that belong to it.
    private func forgeFile(_ file: URL, _ entry: ForgedEntry) throws {
        var bytes = [UInt8](try Data(contentsOf: file))
        func put(_ number: some FixedWidthInteger, at offset: Int) {
            withUnsafeBytes(of: number.littleEndian) { bytes.replaceSubrange(offset..<(offset + $0.count), with: $0) }
        }
        let old = Int(bytes[24..<28].reversed().reduce(UInt32(0)) { $0 << 8 | UInt32($1) })
        let body = bytes[(EntryFile.prologueSize + old)...]
        put(UInt32(entry.head.count), at: 24)
        put(ContentChecksum(of: entry.head).value, at: 32)
        put(ContentChecksum(of: bytes[..<56]).value, at: 56)
        try Data(bytes[..<EntryFile.prologueSize] + entry.head + body).write(to: file)
    }

    /// What is wrong with how a store deals with forged entries, and how many there were of which kind.
    private func findings(_ place: Place, _ count: Int) async throws -> (found: [String], refused: Int, served: Int) {
        let forger = Forger(numbers: Seed.numbers())
        let clock = VirtualClock(start: start.addingTimeInterval(1))
        var found: [String] = []
        var (refused, served) = (0, 0)
        for _ in 0..<count {
            let entry = forger.entry(Self.key, sizes: Self.sizes)
            let (store, home) = try await store(place, entry, clock)
            defer { withExtendedLifetime(home) {} }
            let events = Events<CacheEvent>()
            let transport = InMemoryTransport { _ in
                Response(.ok, headers: [.cacheControl: "no-store"], body: HTTPBody(Self.origin))
            }
            let chain = try Chain(
                [CacheMiddleware(store: store, partition: .shared) { events.add($0) }],
                transport: transport,
                environment: .virtual(clock)
            )
            var isReported = false
            for round in 0..<2 {
                var request = Request.get(target)
                let range = forger.range()
                if let range { request.headers[.range] = range }
                let response = try await chain.send(request)
                let isHit = response.cacheStatus?.isHit == true
                let head = response.head
                let body: Data?
                do {
                    body = try await response.body.collect(upTo: .mebibytes(64))
                } catch is CacheStoreFault {
                    // A body of several blocks may be damaged behind what was read.
                    body = nil
                }
                isReported = isReported || events.all.contains { if case .storeFailure = $0 { true } else { false } }
                let what = "\(place): \(range ?? "all") of \(entry.description)"
                if isHit {
                    served += 1
                    if !entry.isPlausible { found.append("\(what) is a hit") }
                    if let body, body != entry.content(of: head) { found.append("\(what) has a wrong body") }
                } else {
                    refused += 1
                    if body != Self.origin { found.append("\(what) is neither a hit nor of the origin") }
                    if round == 0, !entry.isPlausible, !isReported { found.append("\(what) is no event") }
                }
            }
            #if SQLite
            await (store.unwrapped as? SQLiteStore)?.close()
            #endif
        }
        return (found, refused, served)
    }

    @Test(
        "A forged entry with right checksums is a miss and an event: never a wrong body, never the end of the process",
        arguments: Place.real
    )
    func forged(place: Place) async throws {
        let count = Drill.isFull ? 5000 : 400
        let (found, refused, served) = try await findings(place, count)
        #expect(found.isEmpty, "\(found.prefix(5))")
        // Those that nobody changed are hits, so that the others were near to it.
        #expect(refused > count / 4 && served > count / 10, "\(refused) \(served)")
        Drill.report("forged-entries-\(place)", count)
    }

    #if SQLite
    @Test("Forged counts of a database are damage, and it is made anew", arguments: [Int64.min, -1, .max])
    func counts(number: Int64) async throws {
        for change in ["total SET bytes", "total SET entries", "entry SET used", "entry SET bytes"] {
            let scratch = try ScratchDirectory.created()
            let file = scratch.file("cache.sqlite")
            let first = SQLiteStore(file: file, bounds: .ample)
            try await first.put(storeKey(1), content(1, 1000))
            await first.close()
            try await DatabaseQueue.patient(path: file.path).write { db in
                try db.execute(sql: "UPDATE \(change) = ?", arguments: [number])
            }
            let store = SQLiteStore(file: file, bounds: .ample)
            _ = try? await store.usage()
            _ = try? await store.put(storeKey(2), content(2, 1000))
            try await store.put(storeKey(3), content(3, 1000))
            #expect(try await store.bytes(storeKey(3)) == content(3, 1000), "\(change)")
            #expect(try await (0...1_000_000).contains(store.usage().bytes), "\(change)")
            await store.close()
        }
    }
    #endif

    @Test("A part that is longer than its body is a miss and an event, also from a store of somebody else")
    func otherStore() async throws {
        var entry = ForgedEntry(Self.key, body: content(1, 5), isPart: true)
        entry.forge(.length, 1000)
        let events = Events<CacheEvent>()
        let cache = CacheMiddleware(store: TrustingStore(entry: entry, believesLength: false), partition: .shared) {
            events.add($0)
        }
        let transport = InMemoryTransport { _ in Response(.ok, body: HTTPBody(Self.origin)) }
        let chain = try Chain(
            [cache],
            transport: transport,
            environment: .virtual(VirtualClock(start: start.addingTimeInterval(1)))
        )
        var request = Request.get(target)
        request.headers[.range] = "bytes=1000100-1000900"
        #expect(try await chain.send(request).body.collect() == Self.origin)
        #expect(events.all.contains { if case .storeFailure = $0 { true } else { false } })
        request.headers[.range] = "bytes=1000003-1000007"
        #expect(try await chain.send(request).body.collect() == entry.body)
    }

    @Test("The generator finds a store that believes what a description says")
    func planted() async throws {
        let (found, _, _) = try await findings(.trusting, 200)
        #expect(found.contains { $0.contains("wrong body") })
        #expect(found.contains { $0.contains("is a hit") })
    }
}

/// A store that takes the numbers of a description for true.
private struct TrustingStore: CacheStore {
    let entry: ForgedEntry
    /// Whether the body is as long as the description says; otherwise as long as it is.
    var believesLength = true

    var summary: String { "trusting" }

    func variants(of key: CacheKey) async throws -> [CacheEntry] {
        var metadata = entry.metadata
        let length = entry.changes[.length] ?? Int64(entry.body.count)
        // More would end the process, as it did.
        guard (0...1 << 30).contains(length) else { return [] }
        if case .part(let range, let whole) = metadata.content {
            metadata.content = .part(range.lowerBound..<(range.lowerBound + length), of: whole)
        }
        let bodyLength = believesLength ? length : Int64(entry.body.count)
        let response = StoredResponse(metadata, bodyLength: bodyLength, bodyChecksum: ContentChecksum())
        return [CacheEntry(id: CacheEntryID(rawValue: 1), key: key, response: response)]
    }

    func body(of entry: CacheEntry, range: Range<Int64>?) async throws -> HTTPBody? {
        let bytes = self.entry.body
        let wanted = (range ?? 0..<entry.response.bodyLength).clamped(to: 0..<Int64(bytes.count))
        return HTTPBody(bytes[Int(wanted.lowerBound)..<Int(wanted.upperBound)])
    }

    func makeWriter(for: CacheKey, _: CacheMetadata, expecting: Int64?) async throws -> (any CacheWriter)? { nil }
    func update(_ entry: CacheEntry, to metadata: CacheMetadata) async throws -> CacheEntry? { nil }
    func remove(_ selection: CacheSelection) async throws -> Int { 0 }
    func visit(_ selection: CacheSelection, _ visit: (CacheEntry) throws -> Bool) async throws {}
    func usage() async throws -> CacheUsage { CacheUsage() }
}
#endif
