#if AllTests
import Foundation
import HTTPChainCore
import HTTPChainTesting
import HTTPTypes
import TestSupport
import Testing

@testable import HTTPChainCache

@Suite("The store of files", .heavy, .seeded, .timeLimit(.minutes(10)))
struct FileStoreTests {
    private let directory = ScratchDirectory()

    private func store(_ bounds: CacheBounds = .ample) -> FileCacheStore {
        FileCacheStore(directory: directory.url, bounds: bounds)
    }

    private func path(_ name: String) -> String { directory.path + "/" + name }

    private func read(_ name: String) throws -> Data { try Data(contentsOf: URL(fileURLWithPath: path(name))) }

    private func write(_ name: String, _ bytes: Data) throws { try bytes.write(to: URL(fileURLWithPath: path(name))) }

    private func file(_ suffix: String) throws -> String {
        try #require(directory.names.first { $0.hasSuffix(suffix) })
    }

    @Test("Entries are there in the next run, and so is the order of use")
    func reopened() async throws {
        let bounds = CacheBounds(totalBytes: .megabytes(10), entryCount: 4)
        var store = store(bounds)
        for name in 1...4 { try await store.put(storeKey(name), content(name, name * 50_000)) }
        #expect(try await store.bytes(storeKey(1)) != nil)
        let usage = try await store.usage()
        weak var closing = store.state.lifetime
        store = self.store(bounds)
        try await until("the first run to have ended") { closing == nil }
        #expect(try await store.usage() == usage)
        for name in [2, 4, 1] { #expect(try await store.bytes(storeKey(name)) == content(name, name * 50_000)) }
        closing = store.state.lifetime
        store = self.store(bounds)
        try await until("the second run to have ended") { closing == nil }
        #expect(try await store.put(storeKey(5), content(5, 10)).evicted == [storeKey(3)])
        #expect(try await store.put(storeKey(6), content(6, 10)).evicted == [storeKey(2)])
        store = self.store(CacheBounds(totalBytes: .megabytes(10), entryCount: 1))
        #expect(try await store.keys() == ["6"], "new bounds are kept from the beginning")
        #expect(directory.names.count == 3)
    }

    @Test("The journal stays small, and says the same when it was written anew")
    func compaction() async throws {
        let store = store(CacheBounds(totalBytes: .megabytes(10), entryCount: 20))
        for step in 0..<4000 { try await store.put(storeKey(step % 50), content(step, 10)) }
        #expect(try read("index").count < 200_000)
        let keys = try await store.keys()
        #expect(try await self.store().keys() == keys)
        #expect(try await self.store().usage().entries == 20)
    }

    @Test("Any bit of any file may turn over: what is found is right", arguments: [100, 70_000, 300_000])
    func flippedBits(length: Int) async throws {
        var random = Numbers(Seed.numbers(UInt64(length)))
        do {
            let store = store()
            try await store.put(storeKey(1), content(1, length), storeMetadata(tag: "\"a\""))
            try await store.put(storeKey(2), content(2, length), storeMetadata(tag: "\"a\""))
        }
        let names = directory.names.filter { $0 != "lock" }
        let originals = try names.map { ($0, try read($0)) }
        for (name, original) in originals {
            let offsets =
                original.count < 2000
                ? Array(stride(from: 0, to: original.count, by: Drill.isFull ? 1 : 11))
                : (0..<(Drill.isFull ? 60 : 6)).map { _ in Int.random(in: 0..<original.count, using: &random) }
            for offset in offsets {
                // Other tests want their turn.
                await Task.yield()
                for (other, bytes) in originals { try write(other, bytes) }
                var damaged = original
                damaged[offset] ^= 1 << UInt8.random(in: 0..<8, using: &random)
                try write(name, damaged)
                // The other entry has its own files, and without the index each is found by its file.
                try await verify(self.store(), length, "\(name) \(offset)", finding: 1)
            }
        }
    }

    @Test("Any file may be cut off, emptied, removed or exchanged for another: what is found is right")
    func cutOff() async throws {
        let length = 70_000
        do {
            let store = store()
            try await store.put(storeKey(1), content(1, length), storeMetadata(tag: "\"a\""))
            try await store.put(storeKey(2), content(2, length), storeMetadata(tag: "\"a\""))
        }
        let names = directory.names
        let originals = try names.map { ($0, try read($0)) }
        for (name, original) in originals {
            let cuts = [0, 1, 35, 36, 40, 100, original.count / 2, original.count - 1]
            for cut in cuts where cut < original.count && cut >= 0 {
                for (other, bytes) in originals { try write(other, bytes) }
                let open = store()
                _ = try await open.usage()
                try write(name, original.prefix(cut))
                if name != "index" { try await verify(open, length, "\(name) cut to \(cut) while open") }
                // A journal that is whole and empty tells that no entry was ever committed.
                let isEmptied = name == "index" && cut == IndexJournal.start
                try await verify(store(), length, "\(name) cut to \(cut)", finding: isEmptied ? 0 : 1)
            }
            for (_, bytes) in originals {
                for (other, bytes) in originals { try write(other, bytes) }
                try write(name, bytes)
                try await verify(store(), length, "\(name) exchanged", finding: 1)
            }
            for (other, bytes) in originals { try write(other, bytes) }
            let open = store()
            _ = try await open.usage()
            try FileManager.default.removeItem(atPath: path(name))
            try await verify(open, length, "\(name) removed while open")
            try await verify(store(), length, "\(name) removed", finding: 1)
        }
        for (other, bytes) in originals { try write(other, bytes) }
        let open = store()
        _ = try await open.usage()
        try FileManager.default.removeItem(at: directory.url)
        try await verify(open, length, "the directory was removed")
    }

    /// What is found is what was stored, and of two entries at least so many are.
    private func verify(
        _ store: FileCacheStore,
        _ length: Int,
        _ what: String,
        finding floor: Int = 0
    ) async throws {
        var found = 0
        for name in 1...2 {
            guard let entry = try? await store.variants(of: storeKey(name)).first else { continue }
            #expect(entry.response.metadata == storeMetadata(tag: "\"a\""), "\(what)")
            guard let body = try? await store.body(of: entry, range: nil) else { continue }
            guard let bytes = try? await body.collect() else { continue }
            #expect(bytes == content(name, length), "\(what)")
            found += 1
        }
        #expect(found >= floor, "\(what)")
        try await store.put(storeKey(3), content(3, 10))
        #expect(try await store.bytes(storeKey(3)) == content(3, 10), "\(what)")
    }

    @Test("A lost or damaged index is made anew from the entries")
    func lostIndex() async throws {
        do {
            let store = store()
            for name in 0..<300 {
                try await store.put(CacheKey(url: storeKey(name).url, identifier: "\(name)"), content(name, 10))
            }
            for name in 0..<300 where name % 3 == 0 { try await store.remove(.identifier("\(name)")) }
        }
        let index = try read("index")
        for damage in 0..<4 {
            var damaged = index
            switch damage {
            case 0: damaged[3] ^= 1
            case 1: damaged[200] ^= 1
            case 2: damaged = Data()
            default: try FileManager.default.removeItem(atPath: path("index"))
            }
            if damage < 3 { try write("index", damaged) }
            let store = store()
            #expect(try await store.usage().entries == 200)
            #expect(try await store.visitCount(.identifierPrefix("1")) == 75)
        }
    }

    @Test("What later versions wrote is neither found nor touched")
    func laterVersion() async throws {
        do { try await store().put(storeKey(1), content(1, 10)) }
        var index = try read("index")
        index[8] = 9
        var checksum = ContentChecksum(saved: (0, 0, 0))
        Array(index[..<32]).withUnsafeBytes { checksum.update($0) }
        withUnsafeBytes(of: UInt32(truncatingIfNeeded: checksum.value >> 16).littleEndian) {
            index.replaceSubrange(32..<36, with: $0)
        }
        try write("index", index)
        let names = Set(directory.names)
        let store = store()
        for _ in 0..<2 {
            await #expect(throws: CacheStoreFault(.newerFormat("the index"))) {
                try await store.variants(of: storeKey(1))
            }
            await #expect(throws: CacheStoreFault.self) {
                _ = try await store.makeWriter(for: storeKey(1), storeMetadata(), expecting: nil)
            }
            await #expect(throws: CacheStoreFault.self) { try await store.remove(.all) }
        }
        #expect(Set(directory.names) == names)
        #expect(try read("index") == index)
    }

    @Test("An entry of a later version is not found")
    func laterEntry() async throws {
        let store = store()
        try await store.put(storeKey(1), content(1, 10))
        let name = try file(".entry")
        var bytes = try read(name)
        bytes[4] = 7
        try write(name, bytes)
        await #expect(throws: CacheStoreFault(.newerFormat("an entry"))) { try await store.variants(of: storeKey(1)) }
        try await store.put(storeKey(1), content(2, 10))
        #expect(try await store.bytes(storeKey(1)) == content(2, 10))
    }

    @Test("A large body that is damaged further on ends with a fault, and is not found again")
    func damagedFurtherOn() async throws {
        let store = store()
        try await store.put(storeKey(1), content(1, 1_000_000))
        let name = try file(".body")
        var bytes = try read(name)
        bytes[500_000] ^= 1
        try write(name, bytes)
        let entry = try #require(try await store.variants(of: storeKey(1)).first)
        let body = try #require(try await store.body(of: entry, range: nil))
        var read = Data()
        await #expect(throws: CacheStoreFault(.damaged("a stored body"))) {
            for try await chunk in body { read += chunk }
        }
        #expect(read == content(1, 1_000_000).prefix(read.count) && read.count == 7 * 65_536)
        #expect(try await store.variants(of: storeKey(1)).isEmpty)
        #expect(directory.names.sorted() == ["index", "lock"])
        try await store.put(storeKey(1), content(1, 1_000_000))
        bytes = try self.read(try file(".body"))
        bytes[5] ^= 1
        try write(try file(".body"), bytes)
        let again = try #require(try await store.variants(of: storeKey(1)).first)
        #expect(
            try await store.body(of: again, range: 200_000..<400_000)?.collect()
                == content(1, 1_000_000)[200_000..<400_000]
        )
        await #expect(throws: CacheStoreFault.self) { _ = try await store.body(of: again, range: nil) }
    }

    @Test("What a killed process left over goes; what a living one writes stays, and so do the files of others")
    func leftOvers() async throws {
        let first = store()
        let writer = try #require(await first.makeWriter(for: storeKey(1), storeMetadata(), expecting: nil))
        _ = try await writer.write(content(1, 200_000))
        for name in ["00000000000000aa.tmp", "00000000000000aa.body", "00000000000000aa.entry", "notes.txt"] {
            try write(name, Data("x".utf8))
        }
        let second = store()
        #expect(try await second.usage().entries == 0)
        #expect(directory.names.filter { $0.hasSuffix(".tmp") }.count == 1)
        #expect(directory.names.count == 4)
        #expect(try await writer.commit().entry != nil)
        #expect(try await second.bytes(storeKey(1)) == content(1, 200_000))
        #expect(directory.names.filter { $0.hasSuffix(".tmp") }.isEmpty)
    }

    @Test("What a process removed before it was killed, and did not write down, is told to the others by the next one")
    func removalNotWrittenDown() async throws {
        let first = store()
        for name in 1...3 { try await first.put(storeKey(name), content(name, 10)) }
        try FileManager.default.removeItem(atPath: path(try file(".entry")))
        #expect(try await first.usage().entries == 3)
        #expect(try await store().usage().entries == 2)
        #expect(try await first.usage().entries == 2)
        try await store().remove(.all)
        #expect(try await first.usage().entries == 0)
    }

    @Test("Two stores of one directory see what the other does")
    func shared() async throws {
        let bounds = CacheBounds(totalBytes: .megabytes(1), entryCount: 5)
        let (one, two) = (store(bounds), store(bounds))
        #expect(try await two.usage().entries == 0)
        try await one.put(storeKey(1), content(1, 100))
        #expect(try await two.bytes(storeKey(1)) == content(1, 100))
        try await two.put(storeKey(1), content(2, 100_000))
        #expect(try await one.bytes(storeKey(1)) == content(2, 100_000))
        try await two.remove(.all)
        #expect(try await one.variants(of: storeKey(1)).isEmpty)
        for step in 0..<2000 {
            let store = step % 2 == 0 ? one : two
            try await store.put(storeKey(step % 9), content(step, 10))
            #expect(try await (step % 3 == 0 ? one : two).bytes(storeKey(step % 9)) == content(step, 10))
        }
        let usages = (try await one.usage(), try await two.usage())
        #expect(usages.0 == usages.1)
        #expect(try await one.usage().entries == 5)
        #expect(directory.names.filter { $0.hasSuffix(".entry") }.count == 5)
    }

    @Test("Two stores of one directory at once, with many tasks: what is found is what was stored")
    func sharedConcurrently() async throws {
        let bounds = CacheBounds(totalBytes: .megabytes(1), entryCount: 10)
        let stores = [store(bounds), store(bounds)]
        let found = Counter()
        try await withThrowingTaskGroup(of: Void.self) { group in
            for task in 0..<6 {
                group.addTask {
                    let store = stores[task % 2]
                    var random = Numbers(Seed.numbers(UInt64(task)))
                    for step in 0..<80 {
                        let key = storeKey(Int.random(in: 0..<15, using: &random))
                        switch Int.random(in: 0..<6, using: &random) {
                        case 0: try await store.remove(.key(key))
                        case 1...2:
                            guard let entry = try await store.variants(of: key).first,
                                let body = try await store.body(of: entry, range: nil)
                            else { continue }
                            let seed = try #require(Int(entry.response.metadata.head.headerFields[.eTag] ?? ""))
                            #expect(try await body.collect() == content(seed, Int(entry.response.bodyLength)))
                            found.add()
                        default:
                            let seed = task * 1000 + step
                            let length = Int.random(in: 0..<90_000, using: &random)
                            try await store.put(key, content(seed, length), storeMetadata(tag: "\(seed)"))
                        }
                    }
                }
            }
            try await group.waitForAll()
        }
        let usages = (try await stores[0].usage(), try await stores[1].usage())
        #expect(usages.0 == usages.1)
        #expect(try await stores[0].visitCount(.all) == usages.0.entries)
        #expect(found.value > 10)
    }

    @Test("While another process holds the lock entries are read, nothing is stored, and removals hold")
    func heldLock() async throws {
        let store = store()
        try await store.put(storeKey(1), content(1, 10))
        try await store.put(storeKey(2), content(2, 10))
        let holder = try #require(try SystemFiles().open(path("lock"), .updateOrCreate))
        #expect(try holder.lock())
        #expect(try await store.bytes(storeKey(1)) == content(1, 10))
        await #expect(throws: CacheStoreFault(.busy(path("lock")))) {
            try await store.put(storeKey(3), content(3, 10))
        }
        #expect(try await store.remove(.key(storeKey(1))) == 1)
        #expect(try await store.variants(of: storeKey(1)).isEmpty)
        let other = self.store()
        #expect(try await other.variants(of: storeKey(1)).isEmpty)
        #expect(try await other.bytes(storeKey(2)) == content(2, 10))
        holder.unlock()
        try await store.put(storeKey(3), content(3, 10))
        #expect(try await other.bytes(storeKey(3)) == content(3, 10))
        #expect(try await self.store().usage().entries == 2)
    }

    /// Stores entries, and opens the store again on a disk that fails from the beginning.
    private func storeReopened(
        with count: Int,
        _ fault: FaultyFiles.Fault
    ) async throws -> (store: FileCacheStore, files: FaultyFiles) {
        do {
            let store = store()
            for name in 1...count { try await store.put(storeKey(name), content(name, 10)) }
        }
        let files = FaultyFiles()
        files.fail(at: 0, fault)
        return (FileCacheStore(path: directory.path, bounds: .ample, files: files), files)
    }

    @Test("A disk that is read-only from the beginning: entries are read, removals hold, and each fault is thrown")
    func readOnly() async throws {
        let (store, files) = try await storeReopened(with: 3, .readOnly)
        #expect(try await store.bytes(storeKey(1)) == content(1, 10))
        await #expect(throws: CacheStoreFault.injected) { try await store.put(storeKey(4), content(4, 10)) }
        await #expect(throws: CacheStoreFault.injected) { try await store.remove(.key(storeKey(1))) }
        #expect(try await store.variants(of: storeKey(1)).isEmpty, "it is hidden from this process")
        let entry = try #require(try await store.variants(of: storeKey(2)).first)
        await #expect(throws: CacheStoreFault.injected) { try await store.update(entry, to: storeMetadata(tag: "1")) }
        #expect(try await store.variants(of: storeKey(2)).isEmpty)
        files.fail(at: nil, .once)
        #expect(try await store.variants(of: storeKey(1)).isEmpty)
        try await store.put(storeKey(1), content(5, 10))
        #expect(try await store.bytes(storeKey(1)) == content(5, 10), "it can be written to again")
        #expect(try await store.bytes(storeKey(3)) == content(3, 10))
    }

    @Test("A removal that fails while the directory cannot be opened holds when it can")
    func missedRemoval() async throws {
        let (store, files) = try await storeReopened(with: 2, .dead)
        await #expect(throws: CacheStoreFault.injected) { try await store.remove(.key(storeKey(1))) }
        files.fail(at: nil, .dead)
        #expect(try await store.keys() == ["2"])
    }
}

extension CacheStore {
    fileprivate func visitCount(_ selection: CacheSelection) async throws -> Int {
        var count = 0
        try await visit(selection) { _ in
            count += 1
            return true
        }
        return count
    }
}
#endif
