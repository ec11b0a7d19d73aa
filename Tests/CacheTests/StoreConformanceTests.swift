#if AllTests
import Foundation
import HTTPChainCache
import HTTPChainCore
import HTTPChainTesting
import HTTPTypes
import TestSupport
import Testing

@Suite("Every store", .heavy, .seeded, .timeLimit(.minutes(10)))
struct StoreConformanceTests {
    private let directory = ScratchDirectory()

    @Test("An entry is there when it is committed, and not before or without", arguments: StoreKind.available)
    func commit(kind: StoreKind) async throws {
        let store = kind.make(.ample, in: directory)
        let writer = try #require(await store.makeWriter(for: storeKey(1), storeMetadata(), expecting: 4))
        #expect(try await writer.write(Data("ab".utf8)))
        #expect(try await store.variants(of: storeKey(1)).isEmpty)
        #expect(try await writer.write(Data("xcd".utf8)[1...]))
        let entry = try #require(try await writer.commit().entry)
        #expect(entry.key == storeKey(1) && entry.response.bodyLength == 4)
        #expect(entry.response.bodyChecksum == ContentChecksum(of: Data("abcd".utf8)))
        #expect(try await store.body(of: entry, range: nil)?.text() == "abcd")
        #expect(try await store.body(of: entry, range: 1..<3)?.text() == "bc")
        #expect(try await store.variants(of: storeKey(1)).map(\.id) == [entry.id] || kind == .tiered)
        #expect(try await writer.commit().entry == nil, "once is all")
        #expect(try await store.variants(of: CacheKey(url: storeKey(1).url, partition: "a")).isEmpty)
        #expect(try await store.usage().entries == 1)
    }

    @Test("What is abandoned or dropped leaves nothing behind", arguments: StoreKind.available)
    func abandon(kind: StoreKind) async throws {
        let store = kind.make(.ample, in: directory)
        for length in [10, 200_000] {
            let writer = try #require(await store.makeWriter(for: storeKey(length), storeMetadata(), expecting: nil))
            _ = try await writer.write(content(1, length))
            await writer.abandon()
            #expect(try await writer.commit().entry == nil)
            do {
                let dropped = try #require(
                    await store.makeWriter(for: storeKey(length), storeMetadata(), expecting: nil)
                )
                _ = try await dropped.write(content(1, length))
            }
        }
        #expect(try await store.usage() == CacheUsage())
        #expect(try await store.keys().isEmpty)
        try await until("the files of what was dropped to be deleted") {
            !directory.names.contains { $0.hasSuffix(".tmp") || $0.hasSuffix(".body") }
        }
    }

    @Test("Everything that is known of a response is known afterwards", arguments: StoreKind.available)
    func metadata(kind: StoreKind) async throws {
        let store = kind.make(.ample, in: directory)
        var head = HTTPResponse(status: .init(code: 299, reasonPhrase: "Miscellaneous"))
        head.headerFields = fields(["ETag: \"a\"", "Set-Cookie: a=1", "Set-Cookie: b=2", "X-Mixed-Case: ü", "Empty:"])
        let lifetimes: [CacheLifetime] = [
            .server, .atMost(.milliseconds(1500)), .whenUnspecified(.seconds(-3)), .exactly(.seconds(1 << 31)),
        ]
        let contents: [CacheContent] = [.complete, .part(3..<10, of: nil), .part(0..<7, of: 1 << 40), .complete]
        for index in 0..<4 {
            let key = CacheKey(
                url: "https://example.com/ü?\(index)",
                method: .post,
                partition: "user \(index)",
                identifier: index == 1 ? "" : index == 2 ? "id" : nil
            )
            let metadata = CacheMetadata(
                head: head,
                variant: CacheVariant([
                    .init(name: "a", value: nil), .init(name: "b", value: ""), .init(name: "c", value: "ü"),
                ]),
                requestTime: Date(timeIntervalSince1970: -1.125),
                responseTime: Date(timeIntervalSince1970: 1e9 + 1 / 3),
                content: contents[index],
                classification: index == 3 ? nil : "class",
                lifetime: lifetimes[index],
                originalContentFields: index == 0 ? [.contentEncoding: "gzip", .contentLength: "70"] : [:],
                isInvalidated: index == 2
            )
            try await store.put(key, content(index, 7), metadata)
            let entry = try #require(try await store.variants(of: key).first)
            #expect(entry.key == key && entry.response.metadata == metadata)
            #expect(
                entry.response.metadata.head.headerFields.map(\.name.rawName) == head.headerFields.map(\.name.rawName)
            )
            #expect(entry.response.bodyLength == 7)
            #expect(entry.response.bodyChecksum == ContentChecksum(of: content(index, 7)))
        }
    }

    @Test("Bodies of every size come back, whole and in ranges", arguments: StoreKind.available)
    func sizes(kind: StoreKind) async throws {
        let store = kind.make(.ample, in: directory)
        let sizes = [
            0, 1, 7, 65_535, 65_536, 65_537, 131_071, 131_072, 131_073, 262_144, 262_145, 1_000_000, 4_000_001,
        ]
        for (index, size) in sizes.enumerated() {
            let bytes = content(index, size)
            let chunk = [1000, 65_536, 100_000, 10_000_000][index % 4]
            let entry = try #require(try await store.put(storeKey(size), bytes, chunk: chunk).entry)
            let body = try #require(try await store.body(of: entry, range: nil))
            #expect(body.length == Int64(size))
            #expect(try await body.collect() == bytes, "\(size)")
            #expect(try await body.collect() == bytes, "a second time")
            for range in [0..<size / 2, size / 3..<size, size / 2..<size / 2 + min(1, size - size / 2), size..<size] {
                let part = try await store.body(of: entry, range: Int64(range.lowerBound)..<Int64(range.upperBound))
                #expect(try await part?.collect() == bytes.dropFirst(range.lowerBound).prefix(range.count))
            }
        }
    }

    @Test("Variants of a key are told apart", arguments: StoreKind.available)
    func variants(kind: StoreKind) async throws {
        let store = kind.make(.ample, in: directory)
        for round in 0..<2 {
            for name in 0..<30 {
                try await store.put(storeKey("v"), content(name + round * 100, 50), storeMetadata("\(name)"))
            }
        }
        let entries = try await store.variants(of: storeKey("v"))
        #expect(entries.count == 30)
        for entry in entries {
            let name = try #require(Int(entry.response.metadata.variant.fields[0].value ?? ""))
            #expect(try await store.body(of: entry, range: nil)?.collect() == content(name + 100, 50))
        }
    }

    @Test(
        "Of more variants than a key may have, those go that were not used for longest",
        arguments: StoreKind.available
    )
    func variantBound(kind: StoreKind) async throws {
        var bounds = CacheBounds.ample
        bounds.variantsPerKey = 4
        let store = kind.make(bounds, in: directory)
        func names() async throws -> Set<String> {
            Set(try await store.variants(of: storeKey("v")).compactMap { $0.response.metadata.variant.fields[0].value })
        }
        for name in 0..<4 { try await store.put(storeKey("v"), content(name, 50), storeMetadata("\(name)")) }
        try await store.put(storeKey("other"), content(9, 50), storeMetadata("9"))
        let first = try #require(
            try await store.variants(of: storeKey("v")).first { $0.response.metadata.variant.fields[0].value == "0" }
        )
        _ = try await store.body(of: first, range: nil)?.collect()
        let commit = try await store.put(storeKey("v"), content(4, 50), storeMetadata("4"))
        #expect(commit.entry != nil && commit.evicted == [storeKey("v")])
        #expect(try await names() == ["0", "2", "3", "4"])
        try await store.put(storeKey("v"), content(5, 50), storeMetadata("4"))
        #expect(try await names() == ["0", "2", "3", "4"], "a variant that takes the place of its own needs no room")
        for name in 5..<60 { try await store.put(storeKey("v"), content(name, 50), storeMetadata("\(name)")) }
        #expect(try await names() == ["56", "57", "58", "59"])
        #expect(try await store.variants(of: storeKey("other")).count == 1)
        #expect(try await store.usage().entries == 5)
    }

    @Test("A variant takes the place of the one before; a reader of that one goes on", arguments: StoreKind.available)
    func replacement(kind: StoreKind) async throws {
        let store = kind.make(.ample, in: directory)
        for length in [10, 700_000] {
            let old = try #require(try await store.put(storeKey(1), content(1, length)).entry)
            let body = try #require(try await store.body(of: old, range: nil))
            var chunks = body.makeAsyncIterator()
            var read = try await chunks.next() ?? Data()
            try await store.put(storeKey(1), content(2, 30))
            while let chunk = try await chunks.next() { read += chunk }
            #expect(read == content(1, length))
            #expect(try await store.body(of: old, range: nil) == nil)
            #expect(try await store.variants(of: storeKey(1)).map(\.response.bodyLength) == [30])
        }
        #expect(try await store.usage().entries == 1)
    }

    @Test(
        "A response takes the place of all that are its variant, as two are after a validation",
        arguments: StoreKind.available
    )
    func replacesAllAlike(kind: StoreKind) async throws {
        let store = kind.make(.ample, in: directory)
        let first = try #require(try await store.put(storeKey(1), content(1, 10), storeMetadata("a")).entry)
        try await store.put(storeKey(1), content(2, 20), storeMetadata("b"))
        let updated = try await store.update(first, to: storeMetadata("b"))
        #expect(updated != nil)
        #expect(try await store.put(storeKey(1), content(3, 30), storeMetadata("b")).entry != nil)
        #expect(try await store.variants(of: storeKey(1)).map(\.response.bodyLength) == [30])
        #expect(try await store.bytes(storeKey(1)) == content(3, 30))
        #expect(try await store.usage().entries == 1)
    }

    @Test("A new description keeps the body", arguments: StoreKind.available)
    func update(kind: StoreKind) async throws {
        let store = kind.make(.ample, in: directory)
        for length in [100, 100_000] {
            let entry = try #require(try await store.put(storeKey(1), content(7, length)).entry)
            var changed = entry.response.metadata
            changed.head.headerFields[.eTag] = "\"\(length)\""
            changed.isInvalidated = true
            let before = try await store.usage()
            let updated = try #require(try await store.update(entry, to: changed))
            #expect(updated.id == entry.id && updated.response.metadata == changed)
            #expect(try await store.variants(of: storeKey(1)).map(\.response.metadata) == [changed])
            #expect(try await store.body(of: updated, range: nil)?.collect() == content(7, length))
            #expect(try await store.bytes(storeKey(1)) == content(7, length))
            #expect(try await store.usage().bytes > before.bytes)
            try await store.remove(.all)
            #expect(try await store.update(updated, to: changed) == nil)
            #expect(try await store.usage() == CacheUsage())
        }
    }

    @Test("Each selection finds and removes its entries and no other", arguments: StoreKind.available)
    func selections(kind: StoreKind) async throws {
        let keys = [
            CacheKey(url: "https://example.com/a", partition: "ann", identifier: "user/1"),
            CacheKey(url: "https://example.com/a", method: .post, partition: "bob", identifier: "user/2"),
            CacheKey(url: "https://example.com/b", partition: "ann", identifier: "users"),
            CacheKey(url: "http://example.com/b"),
            CacheKey(url: "https://other.example/c", identifier: ""),
        ]
        let classes = ["personal", nil, "personal", "public", nil]
        let table: [(CacheSelection, Set<Int>)] = [
            (.key(keys[0]), [0]), (.url("https://example.com/a"), [0, 1]), (.identifier("user/1"), [0]),
            (.identifier(""), [4]), (.identifierPrefix("user/"), [0, 1]), (.identifierPrefix(""), [0, 1, 2, 4]),
            (.classification("personal"), [0, 2]), (.classification(nil), [1, 4]), (.classification("x"), []),
            (.origin(Origin("https://example.com/")!), [0, 1, 2]), (.partition("ann"), [0, 2]),
            (.partition(""), [3, 4]), (.all, [0, 1, 2, 3, 4]),
        ]
        for (selection, expected) in table {
            let store = kind.make(.ample, in: ScratchDirectory())
            for (index, key) in keys.enumerated() {
                try await store.put(key, content(index, 100), storeMetadata(classification: classes[index]))
                _ = try await store.bytes(key)
            }
            var seen: Set<Int> = []
            try await store.visit(selection) { entry in
                seen.insert(keys.firstIndex(of: entry.key)!)
                return true
            }
            #expect(seen == expected, "\(selection)")
            #expect(try await store.remove(selection) == expected.count, "\(selection)")
            for (index, key) in keys.enumerated() {
                let left = try await store.bytes(key)
                #expect(left == (expected.contains(index) ? nil : content(index, 100)), "\(selection) \(index)")
            }
            #expect(try await store.remove(selection) == 0)
            #expect(try await store.usage().entries == 5 - expected.count)
        }
        let store = kind.make(.ample, in: directory)
        for key in keys { try await store.put(key, content(1, 10)) }
        let entry = try #require(try await store.variants(of: keys[1]).first)
        #expect(try await store.remove(.entry(entry.id)) == 1)
        #expect(try await store.variants(of: keys[1]).isEmpty)
        #expect(try await store.usage().entries == 4)
        var count = 0
        try await store.visit(.all) { _ in
            count += 1
            return count < 2
        }
        #expect(count == 2)
    }

    @Test("Bounds on one entry, on the number, and on all are kept", arguments: StoreKind.available)
    func bounds(kind: StoreKind) async throws {
        let bounds = CacheBounds(totalBytes: 200_000, entryBytes: 100_000, entryCount: 5)
        let store = kind.make(bounds, in: directory)
        #expect(try await store.makeWriter(for: storeKey(1), storeMetadata(), expecting: 100_000) == nil)
        let writer = try #require(await store.makeWriter(for: storeKey(1), storeMetadata(), expecting: nil))
        #expect(try await writer.write(content(1, 90_000)))
        #expect(try await writer.write(content(1, 20_000)) == false)
        #expect(try await writer.commit().entry == nil)
        for index in 0..<30 {
            try await store.put(storeKey(index), content(index, index * 3000))
            let usage = try await store.usage()
            #expect(usage.entries <= 5 && usage.bytes <= 200_000)
            #expect(try await store.bytes(storeKey(index)) == content(index, index * 3000))
        }
        let none = kind.make(CacheBounds(totalBytes: 0), in: ScratchDirectory())
        #expect(try await none.makeWriter(for: storeKey(1), storeMetadata(), expecting: 0) == nil)
        let few = kind.make(CacheBounds(totalBytes: 1000, entryCount: 0), in: ScratchDirectory())
        #expect(try await few.put(storeKey(1), Data()).entry == nil)
    }

    @Test("What is being written takes no more than as much again as the store holds", arguments: StoreKind.available)
    func flight(kind: StoreKind) async throws {
        let bounds = CacheBounds(totalBytes: 400_000, entryBytes: 300_000)
        let store = kind.make(bounds, in: directory)
        func writer(_ name: Int) async throws -> any CacheWriter {
            try #require(await store.makeWriter(for: storeKey(name), storeMetadata(), expecting: nil))
        }
        let first = try await writer(1)
        #expect(try await first.write(content(1, 250_000)))
        let second = try await writer(2)
        #expect(try await second.write(content(2, 250_000)) == false)
        #expect(try await second.commit().entry == nil)
        #expect(try await first.commit().entry != nil)
        do {
            let dropped = try await writer(3)
            #expect(try await dropped.write(content(3, 250_000)))
        }
        var abandoned = try await writer(3)
        // Whoever did the work may hold the one that was dropped a little longer.
        try await until("the room to be given back") {
            abandoned = try await writer(3)
            return try await abandoned.write(content(3, 250_000))
        }
        await abandoned.abandon()
        let last = try await writer(2)
        #expect(try await last.write(content(2, 250_000)))
        #expect(try await last.commit().entry != nil)
        #expect(try await store.bytes(storeKey(2)) == content(2, 250_000))
    }

    @Test("What was not used for longest goes first", arguments: StoreKind.available)
    func leastRecent(kind: StoreKind) async throws {
        let store = kind.make(CacheBounds(totalBytes: .megabytes(10), entryCount: 3), in: directory)
        for name in 1...3 { try await store.put(storeKey(name), content(name, 100)) }
        _ = try await store.bytes(storeKey(1))
        _ = try await store.variants(of: storeKey(2))
        #expect(try await store.put(storeKey(4), content(4, 100)).evicted == [storeKey(2)])
        #expect(try await store.put(storeKey(3), content(5, 100)).evicted == [], "it takes its own place")
        #expect(try await store.put(storeKey(5), content(5, 100)).evicted == [storeKey(1)])
        #expect(try await store.keys() == ["3", "4", "5"])
    }

    @Test("Random steps: the store holds what a plain list holds, in order of use", arguments: StoreKind.available)
    func model(kind: StoreKind) async throws {
        // The tiers count uses of their own.
        guard kind != .tiered else { return }
        let store = kind.make(CacheBounds(totalBytes: .megabytes(10), entryCount: 8), in: directory)
        var random = Numbers(Seed.numbers(11))
        var model: [(name: Int, seed: Int, length: Int)] = []
        for step in 0..<600 {
            let name = Int.random(in: 0..<14, using: &random)
            let at = model.firstIndex { $0.name == name }
            switch Int.random(in: 0..<10, using: &random) {
            case 0:
                #expect(try await store.remove(.key(storeKey(name))) == (at == nil ? 0 : 1))
                if let at { model.remove(at: at) }
            case 1...4:
                let bytes = try await store.bytes(storeKey(name))
                #expect(bytes == at.map { content(model[$0].seed, model[$0].length) }, "step \(step)")
                if let at { model.append(model.remove(at: at)) }
            default:
                let length = Int.random(in: 0..<3000, using: &random)
                try await store.put(storeKey(name), content(step, length))
                if let at { model.remove(at: at) }
                model.append((name, step, length))
                if model.count > 8 { model.removeFirst() }
            }
            #expect(try await store.usage().entries == model.count)
        }
        #expect(try await store.keys() == Set(model.map { "\($0.name)" }))
    }

    @Test(
        "Many tasks at once: what is found is what was stored, and no bound is broken",
        arguments: StoreKind.available
    )
    func concurrency(kind: StoreKind) async throws {
        let bounds = CacheBounds(totalBytes: .kilobytes(400), entryBytes: 200_000, entryCount: 12)
        let store = kind.make(bounds, in: directory)
        let found = Counter()
        try await withThrowingTaskGroup(of: Void.self) { group in
            for task in 0..<8 {
                group.addTask {
                    var random = Numbers(Seed.numbers(UInt64(task)))
                    for step in 0..<60 {
                        let name = Int.random(in: 0..<20, using: &random)
                        switch Int.random(in: 0..<8, using: &random) {
                        case 0: try await store.remove(.key(storeKey(name)))
                        case 1...3:
                            for entry in try await store.variants(of: storeKey(name)) {
                                let tag = entry.response.metadata.head.headerFields[.eTag] ?? ""
                                guard let seed = Int(tag),
                                    let body = try await store.body(of: entry, range: nil)
                                else { continue }
                                let bytes = try await body.collect()
                                #expect(bytes == content(seed, Int(entry.response.bodyLength)))
                                found.add()
                            }
                        case 4:
                            guard let entry = try await store.variants(of: storeKey(name)).first else { continue }
                            var changed = entry.response.metadata
                            changed.head.headerFields[.age] = "\(step)"
                            _ = try await store.update(entry, to: changed)
                        default:
                            let seed = task * 1000 + step
                            let length = Int.random(in: 0..<100_000, using: &random)
                            try await store.put(storeKey(name), content(seed, length), storeMetadata(tag: "\(seed)"))
                        }
                        let usage = try await store.usage()
                        #expect(usage.bytes <= 400_000 && usage.entries <= 12 || kind == .divided)
                    }
                }
            }
            try await group.waitForAll()
        }
        var count = 0
        try await store.visit(.all) { _ in
            count += 1
            return true
        }
        #expect(try await store.usage().entries == count)
        #expect(found.value > 10)
    }
}
#endif
