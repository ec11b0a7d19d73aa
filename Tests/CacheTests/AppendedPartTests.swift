#if AllTests
import Foundation
import HTTPChainCore
import HTTPChainInMemory
import HTTPTypes
import TestSupport
import Testing

@testable import HTTPChainCache

@Suite("Parts that continue what is stored in files", .heavy, .seeded, .timeLimit(.minutes(10)))
struct AppendedPartTests {
    private let directory = ScratchDirectory()

    private func metadata(_ range: Range<Int64>, of length: Int64?, tag: String = "\"a\"") -> CacheMetadata {
        var metadata = storeMetadata(tag: tag)
        metadata.content = range.upperBound == length && range.lowerBound == 0 ? .complete : .part(range, of: length)
        return metadata
    }

    private func store(_ files: any FileSystem = SystemFiles(), _ bounds: CacheBounds = .ample) -> FileCacheStore {
        FileCacheStore(path: directory.path, bounds: bounds, files: files)
    }

    /// Puts bytes behind an entry.
    private func append(_ bytes: Data, to entry: CacheEntry, in store: FileCacheStore) async throws -> CacheEntry? {
        let length = entry.response.bodyLength + Int64(bytes.count)
        let writer = try await store.makeAppender(to: entry, metadata(0..<length, of: nil), expecting: nil)
        guard let writer else { return nil }
        let bytes = Data(bytes)
        for chunk in stride(from: 0, to: bytes.count, by: 30_000) {
            #expect(try await writer.write(bytes[chunk..<min(chunk + 30_000, bytes.count)]))
        }
        return try await writer.commit().entry
    }

    private func file(_ suffix: String) throws -> String {
        try directory.path + "/" + #require(directory.names.first { $0.hasSuffix(suffix) })
    }

    @Test("A response that is asked for in many ranges, one after the other, is written once")
    func linear() async throws {
        let (count, size) = Drill.isFull ? (1000, 1_000_000) : (40, 100_000)
        let length = count * size
        let block = content(7, size)
        let written = Locked(0)
        let files = HookedFiles { operation, path in
            if case .write(let count) = operation { written.withLock { $0 += count } }
        }
        let store = store(files, CacheBounds(totalBytes: .gigabytes(8), entryBytes: .gigabytes(4)))
        let transport = rangeServer(size, of: length) { _ in block }
        let chain = try Chain([CacheMiddleware(store: store, partition: .shared)], transport: transport)
        for start in stride(from: 0, to: length, by: size) {
            let range = "Range: bytes=\(start)-\(start + size - 1)"
            let response = try await chain.send(.get(target, headers: fields([range])))
            #expect(try await response.body.collect() == block)
        }
        let total = written.withLock { $0 }
        #expect(total < length + length / 20, "\(total) bytes were written for \(length)")
        let whole = try await chain.send(.get(target))
        #expect(whole.status == .ok && whole.cacheStatus?.isHit == true)
        #expect(whole.headers[.contentLength] == "\(length)")
        var read = 0
        var buffer = Data()
        for try await chunk in whole.body {
            buffer += chunk
            guard buffer.count >= size else { continue }
            #expect(buffer.prefix(size) == block, "at \(read)")
            buffer = Data(buffer.dropFirst(size))
            read += size
        }
        #expect(read == length && buffer.isEmpty)
        #expect(transport.requestCount == count)
        if Drill.isFull { print("\(count) ranges of \(size) bytes: \(total) bytes were written") }
    }

    @Test("Ranges that overlap, come twice or come before are combined as in any store")
    func anyOrder() async throws {
        let length = 900_000
        let bytes = content(3, length)
        let transport = InMemoryTransport { request in
            let text = request.headers[.range].map { $0.dropFirst("bytes=".count).split(separator: "-") } ?? []
            let (start, end) = (Int(text.first ?? "0") ?? 0, (text.count > 1 ? Int(text[1]) : nil) ?? length - 1)
            return Response(
                .partialContent,
                headers: fields([
                    "Cache-Control: max-age=600", "ETag: \"a\"", "Content-Range: bytes \(start)-\(end)/\(length)",
                ]),
                body: .chunks([bytes[start...end]])
            )
        }
        let chain = try Chain([CacheMiddleware(store: store(), partition: .shared)], transport: transport)
        for (start, end) in [
            (200_000, 299_999), (250_000, 399_999), (300_000, 350_000), (400_000, 400_000), (390_000, 499_999),
            (100_000, 210_000), (0, 99_999), (500_000, 899_999),
        ] {
            let response = try await chain.send(.get(target, headers: fields(["Range: bytes=\(start)-\(end)"])))
            #expect(try await response.body.collect() == bytes[start...end], "\(start)-\(end)")
        }
        let whole = try await chain.send(.get(target))
        #expect(try await whole.body.collect() == bytes)
        #expect(whole.cacheStatus?.isHit == true && transport.requestCount == 7)
    }

    @Test("Who reads what was stored before reads it to its end, and what it has become is there in the next run")
    func readers() async throws {
        let store = store()
        let all = content(1, 1_000_000)
        let first = try #require(
            try await store.put(storeKey(1), all.prefix(300_000), metadata(0..<300_000, of: nil)).entry
        )
        let body = try #require(try await store.body(of: first, range: nil))
        var reader = body.makeAsyncIterator()
        var read = try await reader.next() ?? Data()
        let second = try #require(try await append(all[300_000..<300_010], to: first, in: store))
        #expect(second.id == first.id && second.response.bodyLength == 300_010)
        let third = try #require(try await append(all[300_010...], to: second, in: store))
        while let chunk = try await reader.next() { read += chunk }
        #expect(read == all.prefix(300_000))
        #expect(try await store.body(of: first, range: nil)?.collect() == all.prefix(300_000), "by what it was")
        #expect(try await store.body(of: third, range: 299_990..<300_020)?.collect() == all[299_990..<300_020])
        #expect(try await store.bytes(storeKey(1)) == all)
        let again = self.store()
        #expect(try await again.bytes(storeKey(1)) == all)
        #expect(try await again.usage() == store.usage())
        try FileManager.default.removeItem(atPath: file("index"))
        let found = self.store()
        #expect(try await found.bytes(storeKey(1)) == all, "found by its file")
        let entry = try #require(try await found.variants(of: storeKey(1)).first)
        let updated = try await found.update(entry, to: metadata(0..<1_000_000, of: 1_000_000, tag: "\"b\""))
        #expect(updated != nil)
        #expect(try await self.store().bytes(storeKey(1)) == all, "with another description")
        #expect(try await found.remove(.all) == 1)
        #expect(directory.names.sorted() == ["index", "lock"])
    }

    @Test("What was written in vain, or by a process that was killed, is not there, and does no harm")
    func leftOver() async throws {
        let store = store()
        let all = content(1, 500_000)
        let first = try #require(
            try await store.put(storeKey(1), all.prefix(300_000), metadata(0..<300_000, of: nil)).entry
        )
        let path = try file(".body")
        let size = try Data(contentsOf: URL(fileURLWithPath: path)).count
        do {
            let writer = try #require(
                try await store.makeAppender(to: first, metadata(0..<500_000, of: nil), expecting: nil)
            )
            #expect(try await writer.write(content(9, 200_000)))
            let other = try await store.makeAppender(to: first, metadata(0..<500_000, of: nil), expecting: nil)
            #expect(other == nil, "one at a time")
            await writer.abandon()
        }
        try await until("it to be cut off") { try Data(contentsOf: URL(fileURLWithPath: path)).count == size }
        let handle = try FileHandle(forWritingTo: URL(fileURLWithPath: path))
        try handle.seekToEnd()
        try handle.write(contentsOf: content(8, 100_000))
        try handle.close()
        #expect(try await store.bytes(storeKey(1)) == all.prefix(300_000))
        try FileManager.default.removeItem(atPath: file("index"))
        let found = self.store()
        #expect(try await found.bytes(storeKey(1)) == all.prefix(300_000))
        let entry = try #require(try await found.variants(of: storeKey(1)).first)
        #expect(try await append(all[300_000...], to: entry, in: found) != nil)
        #expect(try await found.bytes(storeKey(1)) == all)
    }

    @Test("A body that is not any more what the caller knows, that is small, gone or would become too large is refused")
    func refused() async throws {
        let store = store(SystemFiles(), CacheBounds(totalBytes: .megabytes(4), entryBytes: .kilobytes(400)))
        func appender(_ entry: CacheEntry, _ length: Int64?) async throws -> (any CacheWriter)? {
            try await store.makeAppender(to: entry, metadata(0..<400_000, of: nil), expecting: length)
        }
        let small = try #require(try await store.put(storeKey(1), content(1, 100)).entry)
        #expect(try await appender(small, nil) == nil)
        let large = try #require(try await store.put(storeKey(2), content(2, 300_000)).entry)
        #expect(try await appender(large, 100_000) == nil, "it would become too large")
        let writer = try #require(try await appender(large, nil))
        #expect(try await writer.write(content(3, 50_000)))
        #expect(try await !writer.write(content(3, 50_000)), "it has become too large")
        #expect(try await writer.commit().entry == nil)
        try await until("the body to be free again") { try await appender(large, nil) != nil }
        var longer: CacheEntry?
        try await until("the body to be free again") {
            longer = try await append(content(3, 1000), to: large, in: store)
            return longer != nil
        }
        try await until("the body to be free again") {
            guard let longer else { return false }
            return try await appender(longer, nil) != nil
        }
        #expect(try await appender(large, nil) == nil, "it has grown since")
        #expect(try await store.bytes(storeKey(2)) == content(2, 300_000) + content(3, 1000))
        let writing = try await {
            var writer: (any CacheWriter)?
            try await until("the body to be free again") {
                guard let longer else { return false }
                writer = try await appender(longer, nil)
                return writer != nil
            }
            return try #require(writer)
        }()
        #expect(try await writing.write(content(4, 1000)))
        #expect(try await store.remove(.key(storeKey(2))) == 1)
        #expect(try await writing.commit().entry == nil, "it was removed meanwhile")
        #expect(try await store.variants(of: storeKey(2)).isEmpty)
        try await until("its files to be gone") { directory.names.count == 3 }
        #expect(try await store.usage().entries == 1)
    }

    @Test("Two stores over each other, and stores divided by class, continue what is stored below")
    func composed() async throws {
        let base = store()
        let all = content(1, 400_000)
        let stores: [any BodyAppending] = [
            TieredCacheStore(memory: MemoryCacheStore(bounds: CacheBounds(totalBytes: .megabytes(4))), over: base),
            DividedCacheStore([:], others: base),
        ]
        for (name, store) in stores.enumerated() {
            let key = storeKey(name)
            let entry = try #require(
                try await store.put(key, all.prefix(300_000), metadata(0..<300_000, of: nil)).entry
            )
            #expect(try await store.bytes(key) == all.prefix(300_000))
            let known = try #require(try await store.variants(of: key).first)
            for entry in [entry, known] {
                let probe = try await store.makeAppender(to: entry, metadata(0..<400_000, of: nil), expecting: nil)
                await probe?.abandon()
            }
            var writer: (any CacheWriter)?
            try await until("the body to be free again") {
                writer = try await store.makeAppender(to: known, metadata(0..<400_000, of: nil), expecting: 100_000)
                return writer != nil
            }
            #expect(try await writer?.write(all[300_000...]) == true)
            #expect(try await writer?.commit().entry != nil)
            writer = nil
            #expect(try await store.bytes(key) == all)
            #expect(try await store.bytes(key) == all, "once more, from memory")
        }
    }

    @Test("A part that was reported stored survives a loss of power while the next is put behind it, and afterwards")
    func power() async throws {
        let disk = MemoryDisk(directories: [directory.url.deletingLastPathComponent().path])
        func store(_ disk: MemoryDisk) -> FileCacheStore {
            FileCacheStore(path: directory.path, bounds: .ample, durability: .power, files: disk)
        }
        let all = content(1, 300_000)
        var reported: [(position: Int, length: Int)] = []
        do {
            let store = store(disk)
            var entry = try #require(
                try await store.put(storeKey(1), all.prefix(100_000), metadata(0..<100_000, of: nil)).entry
            )
            reported.append((disk.count, 100_000))
            for length in [150_000, 300_000] {
                let known = Int(entry.response.bodyLength)
                entry = try #require(try await append(all[known..<length], to: entry, in: store))
                reported.append((disk.count, length))
            }
        }
        let positions = reported[0].position..<(reported[2].position + 1)
        let images = Drill.isFull ? 30 : 5
        let problem = try await disk.history.firstProblem(
            images: images,
            Seed.numbers(),
            positions: positions
        ) { left, position in
            let store = store(left)
            let floor = reported.last { $0.position <= position }?.length ?? 0
            guard let bytes = try await store.bytes(storeKey(1)) else { return "it is lost" }
            guard bytes.count >= floor else { return "\(bytes.count) of \(floor) bytes are left" }
            guard bytes == all.prefix(bytes.count) else { return "it has other bytes" }
            let entry = try #require(try await store.variants(of: storeKey(1)).first)
            let updated = try await store.update(entry, to: metadata(0..<entry.response.bodyLength, of: nil, tag: "b"))
            guard updated != nil, try await store.bytes(storeKey(1)) == bytes else { return "it cannot be described" }
            return nil
        }
        #expect(problem == nil)
    }

    @Test("Any bit of an entry in several segments may turn over: what is found is right")
    func flippedBits() async throws {
        let all = content(1, 200_000)
        do {
            let store = store()
            let entry = try #require(
                try await store.put(storeKey(1), all.prefix(100_000), metadata(0..<100_000, of: nil)).entry
            )
            #expect(try await append(all[100_000...], to: entry, in: store) != nil)
        }
        let names = directory.names.filter { $0 != "lock" }
        let originals = try names.map { ($0, try Data(contentsOf: URL(fileURLWithPath: directory.path + "/" + $0))) }
        for (name, original) in originals {
            let step = max(1, original.count / (Drill.isFull ? 200 : 15))
            for offset in stride(from: 0, to: original.count, by: step) {
                await Task.yield()
                for (other, bytes) in originals {
                    var damaged = bytes
                    if other == name { damaged[offset] ^= 1 << UInt8(offset % 8) }
                    try damaged.write(to: URL(fileURLWithPath: directory.path + "/" + other))
                }
                let store = store()
                guard let entry = try? await store.variants(of: storeKey(1)).first,
                    let bytes = try? await store.body(of: entry, range: nil)?.collect()
                else { continue }
                #expect(bytes == all, "\(name) \(offset)")
                #expect(entry.response.metadata == metadata(0..<200_000, of: nil), "\(name) \(offset)")
            }
        }
    }

    @Test("A layout finds the block of each byte, and refuses lengths that make no sense")
    func layout() throws {
        let lengths: [Int64] = [65_536, 1, 200_000, 65_535, 65_537]
        let layout = try #require(BodyLayout(lengths, of: lengths.reduce(0, +)))
        var (position, offset, number): (Int64, Int64, Int64) = (0, 0, 0)
        while position < layout.length {
            let block = try #require(layout.block(at: position))
            #expect(block.content.lowerBound == position && block.offset == offset && block.number == number)
            #expect(layout.block(at: block.content.upperBound - 1)?.number == number)
            offset += block.content.upperBound - position + 8
            (position, number) = (block.content.upperBound, number + 1)
        }
        #expect(layout.fileSize == offset && layout.blockCount == number)
        #expect(layout.block(at: layout.length) == nil && layout.block(at: -1) == nil)
        #expect(BodyLayout(0).block(at: 0) == nil && BodyLayout(0).fileSize == 0)
        for (lengths, length) in [([1, 2], 4), ([0], 0), ([-1, 2], 1), ([Int64.max, 5], 4), ([5], 4)]
            as [([Int64], Int64)]
        {
            #expect(BodyLayout(lengths, of: length) == nil)
        }
    }
}
#endif
