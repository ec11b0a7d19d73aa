#if AllTests
import Foundation
import HTTPChainCore
import HTTPChainSupport
import HTTPTypes
import TestSupport
import Testing

@testable import HTTPChainCache

@Suite("Who waits for whom in a store of files", .heavy, .seeded, .timeLimit(.minutes(10)))
struct FileStoreWaitTests {
    private let directory = ScratchDirectory()

    private func disk() -> MemoryDisk { MemoryDisk(directories: [directory.url.deletingLastPathComponent().path]) }

    private func store(
        _ files: any FileSystem,
        _ bounds: CacheBounds = .ample,
        _ durability: FileCacheDurability = .process
    ) -> FileCacheStore {
        FileCacheStore(path: directory.path, bounds: bounds, durability: durability, files: files)
    }

    /// Holds up all changes of a store until the semaphore is signalled.
    private func hold(_ store: FileCacheStore) async throws -> DispatchSemaphore {
        let isHeld = Watched(false)
        let hold = DispatchSemaphore(value: 0)
        store.changes.submit {
            isHeld.update { $0 = true }
            hold.wait()
        }
        try await isHeld.wait { $0 ? () : nil }
        return hold
    }

    @Test(
        "No hit waits for an eviction, however much is evicted, and what is evicted is not read for that",
        .serialized,
        arguments: [true, false]
    )
    func eviction(readsImmediately: Bool) async throws {
        let count = Drill.isFull ? 100_000 : 1000
        let removals = Locked(0)
        let (opens, reads) = (Locked(0), Locked(0))
        let barrier = Barrier { operation, path in
            guard operation == .remove, path.hasSuffix(".entry") else { return false }
            return removals.withLock { $0 } == count / 2
        }
        let isEvicting = Locked(false)
        // The machine's own has other work while so many files are removed.
        let files = HookedFiles(QuickDisk(), readsImmediately: readsImmediately) { operation, path in
            if isEvicting.withLock({ $0 }), path.hasSuffix(".entry") {
                if operation == .remove { removals.withLock { $0 += 1 } }
                if operation == .open { opens.withLock { $0 += 1 } }
                if operation == .read { reads.withLock { $0 += 1 } }
            }
            barrier.pass(operation, path)
        }
        let bounds = CacheBounds(
            totalBytes: .gigabytes(1),
            entryBytes: .gigabytes(1),
            entryCount: count
        )
        let store = store(files, bounds)
        for start in stride(from: 0, to: count, by: 50) {
            try await withThrowingTaskGroup(of: Void.self) { group in
                for name in start..<(start + 50) {
                    group.addTask { _ = try await store.put(storeKey(name), content(name, 10)) }
                }
                try await group.waitForAll()
            }
        }
        #expect(try await store.usage().entries == count)
        // As if each took so much: one that is to be stored needs the room of all but a few.
        let each = Int64(1_000_000_000 / count)
        store.view.contents.withLock { contents in
            for id in contents.index.ids(where: { _ in true }) { contents.index.resize(id, to: each) }
        }
        let large = 1_000_000_000 - Int(each) * 3
        let hits = Drill.isFull ? 2000 : 50
        isEvicting.withLock { $0 = true }
        barrier.set()
        let isDone = Locked(false)
        let eviction = Task {
            defer { isDone.withLock { $0 = true } }
            return try await Self.makeRoom(for: large, in: store)
        }
        try await barrier.reached()
        for counts in [opens, reads] { counts.withLock { $0 = 0 } }
        var times = try await times(of: hits, among: count, in: store)
        #expect(try await store.variants(of: storeKey("none")).isEmpty)
        #expect(removals.withLock { $0 } == count / 2, "it stands where it stood")
        #expect(reads.withLock { $0 } == hits, "one file is read for a hit, and none for an eviction")
        #expect(opens.withLock { $0 } <= hits, "nor is one opened")
        barrier.release()
        // The rest of them goes beside hits.
        while !isDone.withLock({ $0 }) { times += try await self.times(of: 1, among: count, in: store) }
        let keys = try await eviction.value
        #expect(Set(keys).count == keys.count && keys.count >= count - 3)
        #expect(!keys.contains(storeKey(count - 1)), "it was used")
        #expect(try await store.bytes(storeKey(count - 1)) == content(count - 1, 10))
        if Drill.isFull {
            let longest = times.max() ?? .zero
            let besideWork = try await besideWork { try await self.times(of: times.count, among: count, in: store) }
            let usual = besideWork.max() ?? .zero
            let over = [1, 5, 20].map { limit in times.count { $0 > .milliseconds(limit) } }
            print(
                """
                eviction of \(keys.count) entries, read \(readsImmediately ? "at once" : "on threads"): the longest of \
                \(times.count) hits beside it took \(longest), beside a thread that only computes \(usual); \(over[0]) over \
                1 ms, \(over[1]) over 5 ms, \(over[2]) over 20 ms
                """
            )
            #if DEBUG
            // What is not optimized keeps both processors busy, and a hit may wait for one.
            let bound = Duration.milliseconds(20)
            #else
            let bound = Duration.milliseconds(5)
            #endif
            Drill.report("cache-evictions", keys.count)
            // A hit also waits for a processor, which an eviction uses as any other work does.
            #expect(longest < max(bound, usual * 2))
        }
    }

    /// Measures beside a thread that computes all the time and shares nothing with what is measured.
    private func besideWork<Value>(_ measure: () async throws -> Value) async throws -> Value {
        let isWorking = Locked(true)
        Thread.detachNewThread { while isWorking.withLock({ $0 }) {} }
        defer { isWorking.withLock { $0 = false } }
        return try await measure()
    }

    /// How long each of some hits takes, on the entries that were stored last.
    private func times(of hits: Int, among count: Int, in store: FileCacheStore) async throws -> [Duration] {
        let clock = ContinuousClock()
        var times: [Duration] = []
        for number in 0..<hits {
            let start = clock.now
            let name = count - 1 - number % 2
            let bytes = try await store.bytes(storeKey(name))
            times.append(start.duration(to: clock.now))
            #expect(bytes == content(name, 10))
        }
        return times
    }

    /// Does what storing an entry of that size does first.
    private static func makeRoom(for size: Int, in store: FileCacheStore) async throws -> [CacheKey] {
        try await store.changes.runToEnd { [store] () throws(CacheStoreFault) in
            try store.state.withFault { state throws(CacheStoreFault) in
                var changes: [IndexJournal.Change] = []
                let evicted = try state.makeRoom(Int64(size), 1, &changes)
                try state.append(changes)
                return evicted
            }
        }
    }

    @Test(
        "No hit waits for the lock of another process, nor for the disk that somebody who stores waits for",
        arguments: ["lock", "entry", "journal", "directory", "removal"]
    )
    func hitsBeside(what: String) async throws {
        let path = directory.path
        let barrier = Barrier { operation, at in
            switch what {
            case "lock": operation == .lock && at.hasSuffix("/lock")
            case "entry": operation == .rename && at.hasSuffix(".entry")
            case "journal": operation == .synchronize && at.hasSuffix("/index")
            case "directory": operation == .synchronize && at == path
            default: operation == .remove
            }
        }
        let disk = disk()
        do {
            let store = store(disk)
            try await store.put(storeKey(1), content(1, 100))
            try await store.put(storeKey(2), content(2, 300_000))
            try await store.put(storeKey(3), content(3, 100))
        }
        let store = store(HookedFiles(disk) { barrier.pass($0, $1) }, .ample, .power)
        #expect(try await store.usage().entries == 3)
        barrier.set()
        async let change: Void = {
            if what == "removal" {
                try await store.remove(.key(storeKey(3)))
            } else {
                try await store.put(storeKey(4), content(4, 100))
            }
        }()
        try await barrier.reached()
        for _ in 0..<3 {
            #expect(try await store.bytes(storeKey(1)) == content(1, 100))
            #expect(try await store.bytes(storeKey(2)) == content(2, 300_000))
            #expect(try await store.variants(of: storeKey("none")).isEmpty)
        }
        if what == "removal" { #expect(try await store.variants(of: storeKey(3)).isEmpty, "it is gone already") }
        barrier.release()
        try await change
        #expect(try await store.bytes(storeKey(4)) == (what == "removal" ? nil : content(4, 100)))
    }

    @Test("A hit beside what this process writes in the journal does not read that, which would take it a thread")
    func hitBesideOwnJournal() async throws {
        let barrier = Barrier { operation, path in operation == .synchronize && path.hasSuffix("/index") }
        let reads = Locked(0)
        let disk = QuickDisk()
        // The journal of a new directory was opened under the name that it was written under.
        try await store(disk).put(storeKey(1), content(1, 100))
        let files = HookedFiles(disk, readsImmediately: true) { operation, path in
            if operation == .read, path.hasSuffix("/index") { reads.withLock { $0 += 1 } }
            barrier.pass(operation, path)
        }
        let store = store(files, .ample, .power)
        #expect(try await store.usage().entries == 1)
        barrier.set()
        async let change: Void = { try await store.put(storeKey(2), content(2, 100)) }()
        try await barrier.reached()
        reads.withLock { $0 = 0 }
        #expect(try await store.bytes(storeKey(1)) == content(1, 100))
        #expect(try await store.variants(of: storeKey("none")).isEmpty)
        #expect(reads.withLock { $0 } == 0)
        barrier.release()
        try await change
        #expect(try await store.bytes(storeKey(2)) == content(2, 100))
    }

    @Test("Entries that arrive at the same time share the waits for the disk, and survive a loss of power")
    func groupCommit() async throws {
        let disk = disk()
        let waits = Locked<[String]>([])
        let files = HookedFiles(disk) { operation, path in
            if operation == .synchronize { waits.withLock { $0.append(path) } }
        }
        let store = store(files, .ample, .power)
        try await store.put(storeKey("x"), content(1, 10))
        let hold = try await hold(store)
        @Sendable func length(_ name: Int) -> Int { name % 3 == 0 ? 70_000 : 300 }
        try await withThrowingTaskGroup(of: Void.self) { group in
            for name in 0..<20 {
                group.addTask {
                    let commit = try await store.put(storeKey(name), content(name, length(name)))
                    #expect(commit.entry != nil)
                }
            }
            try await until("all of them to wait") { store.changes.count == 20 }
            #expect(waits.withLock { $0 }.count >= 27, "the content of each is waited for before")
            waits.withLock { $0 = [] }
            hold.signal()
            try await group.waitForAll()
        }
        let all = waits.withLock { $0 }
        #expect(all.count == 2 && all.last == directory.path, "the journal is waited for once, and the directory")
        let end = disk.count
        let problem = try await disk.history.firstProblem(
            images: 10,
            Seed.numbers(),
            positions: end..<(end + 1)
        ) { left, _ in
            let store = self.store(left, .ample, .power)
            for name in 0..<20 {
                guard try await store.bytes(storeKey(name)) == content(name, length(name)) else {
                    return "\(name) is lost"
                }
            }
            return nil
        }
        #expect(problem == nil)
    }

    @Test("Entries that arrive at the same time, also for one key and more than there is room for, are stored in order")
    func groupOfOneKey() async throws {
        let store = store(disk(), CacheBounds(totalBytes: .megabytes(10), entryCount: 3))
        try await store.put(storeKey("x"), content(1, 10))
        let hold = try await hold(store)
        let order = [1, 2, 1, 3, 4, 5, 4, 1]
        let commits = try await withThrowingTaskGroup(of: (Int, CacheCommit).self) { group in
            for (place, name) in order.enumerated() {
                group.addTask { (place, try await store.put(storeKey(name), content(place, 10))) }
                try await until("it to wait") { store.changes.count == place + 1 }
            }
            hold.signal()
            return try await group.reduce(into: [Int: CacheCommit]()) { $0[$1.0] = $1.1 }
        }
        #expect(commits.values.allSatisfy { $0.entry != nil })
        #expect(try await store.keys() == ["1", "4", "5"])
        for (name, place) in [(1, 7), (4, 6), (5, 5)] {
            #expect(try await store.bytes(storeKey(name)) == content(place, 10))
        }
        let evicted = (0..<order.count).flatMap { commits[$0]?.evicted ?? [] }
        #expect(evicted == [storeKey("x"), storeKey(2), storeKey(1), storeKey(3)])
    }

    @Test("Where the journal cannot be written, none of those that arrive at the same time is stored")
    func groupFails() async throws {
        let files = FaultyFiles(disk())
        let store = store(files)
        try await store.put(storeKey("x"), content(1, 10))
        for fault in [FaultyFiles.Fault.once, .late] {
            let hold = try await hold(store)
            let failures = try await withThrowingTaskGroup(of: Bool.self) { group in
                for name in 0..<5 {
                    group.addTask { (try? await store.put(storeKey(name), content(name, 10))) == nil }
                }
                try await until("all of them to wait") { store.changes.count == 5 }
                // The lock, the journal's status and five names come first.
                files.fail(at: 8, fault)
                hold.signal()
                return try await group.reduce(0) { $0 + ($1 ? 1 : 0) }
            }
            files.fail(at: nil, fault)
            #expect(failures == 5, "\(fault)")
            #expect(try await store.keys() == ["x"])
        }
        try await store.put(storeKey(1), content(7, 10))
        #expect(try await store.bytes(storeKey(1)) == content(7, 10))
        #expect(try await store.bytes(storeKey("x")) == content(1, 10))
    }

    @Test(
        "A body whose entry was removed while it was read is closed on a thread of the store, which may wait for that"
    )
    func closing() async throws {
        let closed = Locked<[String]>([])
        let executor = FileExecutor(limit: 1)
        let files = ClosingFiles { path in closed.withLock { $0.append(path) } }
        let store = FileCacheStore(path: directory.path, bounds: .ample, files: files, executor: executor)
        let path = try await {
            try await store.put(storeKey(1), content(1, 300_000))
            let entry = try #require(try await store.variants(of: storeKey(1)).first)
            return store.directory.body(entry.id.rawValue)
        }()
        let gate = DispatchSemaphore(value: 0)
        try await {
            let entry = try #require(try await store.variants(of: storeKey(1)).first)
            let body = try #require(try await store.body(of: entry, range: nil))
            var reader = body.makeAsyncIterator()
            #expect(try await reader.next() == content(1, 300_000).prefix(65_536))
            try await store.remove(.all)
            closed.withLock { $0 = [] }
            executor.submit { gate.wait() }
        }()
        #expect(!closed.withLock { $0 }.contains(path), "nobody has a thread to close it")
        gate.signal()
        try await until("it to be closed") { closed.withLock { $0 }.contains(path) }
    }

    @Test("A hit on a small entry opens one file and reads it once")
    func operationsOfHit() async throws {
        let seen = Locked<[HookedFiles.Operation]>([])
        let store = store(HookedFiles { operation, _ in seen.withLock { $0.append(operation) } })
        for (name, length) in [(1, 10), (2, 1024), (3, 12_000)] {
            try await store.put(storeKey(name), content(name, length))
            seen.withLock { $0 = [] }
            #expect(try await store.bytes(storeKey(name)) == content(name, length))
            #expect(seen.withLock { $0 } == [.status, .open, .read], "of the journal, and of the entry")
        }
        // What is read with the description is not given out once the entry is gone.
        let entry = try #require(try await store.variants(of: storeKey(1)).first)
        try await store.remove(.key(storeKey(1)))
        #expect(try await store.body(of: entry, range: nil) == nil)
        // A part of it, and what is damaged.
        let other = try #require(try await store.variants(of: storeKey(2)).first)
        #expect(try await store.body(of: other, range: 3..<9)?.collect() == content(2, 1024)[3..<9])
    }
}

/// The machine's files; it tells which of those that were opened are closed.
private final class ClosingFiles: WrappedFiles {
    let base: any FileSystem = SystemFiles()
    private let onClose: @Sendable (String) -> Void

    init(_ onClose: @escaping @Sendable (String) -> Void) { self.onClose = onClose }

    func open(_ path: String, _ opening: FileOpening) throws(FileFault) -> (any File)? {
        try base.open(path, opening).map { ClosingFile($0, path, onClose) }
    }
}

private final class ClosingFile: WrappedFile {
    let base: any File
    private let path: String
    private let onClose: @Sendable (String) -> Void

    init(_ base: any File, _ path: String, _ onClose: @escaping @Sendable (String) -> Void) {
        self.base = base
        self.path = path
        self.onClose = onClose
    }

    deinit { onClose(path) }

    func read(into buffer: UnsafeMutableRawBufferPointer, at offset: Int64) throws(FileFault) -> Int {
        try base.read(into: buffer, at: offset)
    }
}
#endif
