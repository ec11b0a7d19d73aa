import Foundation
import HTTPChainCore
import HTTPTypes
import Testing

@testable import HTTPChainCache

/// What a store may have of each key after steps some of which failed.
private struct Allowance {
    /// The contents that may be found; nothing may be found at any time, after a failure.
    var contents: [Int: Set<Int>] = [:]
    /// What may be found by the process that was told to remove it.
    var removed: Set<Int> = []
}

@Suite("A store of files whose disk fails", .timeLimit(.minutes(10)))
struct FileStoreFaultTests {
    private let bounds = CacheBounds(totalBytes: 260_000, entryBytes: 200_000, entryCount: 4)

    private func length(_ seed: Int) -> Int { seed % 5 == 3 ? 150_000 : seed * 700 }

    private func store(_ directory: ScratchDirectory, _ files: any CacheFileSystem) -> FileCacheStore {
        FileCacheStore(path: directory.path, bounds: bounds, durability: .power, files: files)
    }

    /// Stores, replaces, updates, evicts, removes and opens again; what fails, fails.
    private func script(_ directory: ScratchDirectory, _ files: FaultyFileSystem) async throws -> Allowance {
        var allowed = Allowance()
        var store = store(directory, files)
        func put(_ name: Int, _ seed: Int) async {
            do {
                let commit = try await store.put(
                    storeKey(name),
                    content(seed, length(seed)),
                    storeMetadata(tag: "\(seed)")
                )
                if commit.entry != nil { allowed.contents[name] = [seed] }
            } catch {
                allowed.contents[name, default: []].insert(seed)
            }
            allowed.removed.remove(name)
        }
        func remove(_ name: Int) async {
            do {
                try await store.remove(.key(storeKey(name)))
                allowed.contents[name] = []
            } catch {
                allowed.removed.insert(name)
            }
        }
        func update(_ name: Int) async {
            guard let entry = try? await store.variants(of: storeKey(name)).first else { return }
            var changed = entry.response.metadata
            changed.head.headerFields[.age] = "1"
            _ = try? await store.update(entry, to: changed)
        }
        await put(1, 1)
        await put(2, 3)
        await update(1)
        await update(2)
        await put(1, 2)
        try await verify(store, allowed, isSameProcess: true)
        await remove(2)
        try await verify(store, allowed, isSameProcess: true)
        store = self.store(directory, files)
        allowed.removed = []
        for name in 3...6 { await put(name, name + 1) }
        await remove(4)
        await put(2, 8)
        try await verify(store, allowed, isSameProcess: true)
        return allowed
    }

    /// What is found is what was stored, and of each key one of the contents that it may have.
    private func verify(_ store: FileCacheStore, _ allowed: Allowance, isSameProcess: Bool) async throws {
        for name in 1...6 {
            guard let entries = try? await store.variants(of: storeKey(name)) else { continue }
            #expect(entries.count <= 1)
            for entry in entries {
                let seed = try #require(Int(entry.response.metadata.head.headerFields[.eTag] ?? ""))
                #expect(allowed.contents[name]?.contains(seed) ?? false, "key \(name) has \(seed)")
                if isSameProcess { #expect(!allowed.removed.contains(name), "key \(name) was removed") }
                guard let body = try? await store.body(of: entry, range: nil) else { continue }
                guard let bytes = try? await body.collect() else { continue }
                #expect(bytes == content(seed, length(seed)), "key \(name)")
            }
        }
    }

    /// A sound process finds a directory in order, and can work with it.
    private func inspect(_ directory: ScratchDirectory, _ allowed: Allowance) async throws {
        let store = store(directory, SystemFileSystem())
        try await verify(store, allowed, isSameProcess: false)
        let usage = try await store.usage()
        #expect(usage.bytes <= bounds.totalBytes.bytes && usage.entries <= bounds.entryCount)
        var files: Set<String> = ["lock", "index"]
        try await store.visit(.all) { entry in
            let name = String(entry.id.rawValue, radix: 16)
            let stem = String(repeating: "0", count: 16 - name.count) + name
            files.insert(stem + ".entry")
            if entry.response.bodyLength > 65_536 { files.insert(stem + ".body") }
            return true
        }
        #expect(Set(directory.names) == files, "nothing is left over")
        try await store.put(storeKey(9), content(9, 100))
        #expect(try await store.bytes(storeKey(9)) == content(9, 100))
    }

    @Test(
        "Every operation of a script fails in turn: nothing wrong is ever found",
        arguments: FaultyFileSystem.Fault.allCases
    )
    func everyOperation(fault: FaultyFileSystem.Fault) async throws {
        let sound = FaultyFileSystem()
        sound.fail(at: nil, fault)
        let clean = ScratchDirectory()
        try await inspect(clean, try await script(clean, sound))
        let count = sound.count
        #expect(count > 100)
        for operation in stride(from: Drill.isFull ? 0 : count % 7, to: count, by: Drill.isFull ? 1 : 7) {
            // Other tests want their turn.
            await Task.yield()
            let directory = ScratchDirectory()
            let files = FaultyFileSystem()
            files.fail(at: operation, fault)
            let allowed = try await script(directory, files)
            files.fail(at: 0, fault == .readOnly ? .readOnly : .dead)
            if !FileManager.default.fileExists(atPath: directory.path) { continue }
            try await inspect(directory, allowed)
        }
    }

    @Test("The disk is full after any number of bytes: nothing wrong is ever found, and nothing is left over")
    func fullDisk() async throws {
        var room = 0
        while room < 400_000 {
            await Task.yield()
            let directory = ScratchDirectory()
            let files = FaultyFileSystem()
            files.fill(after: room)
            let allowed = try await script(directory, files)
            try await inspect(directory, allowed)
            room += (room < 2000 ? 37 : 4001) * (Drill.isFull ? 1 : 9)
        }
    }
}
