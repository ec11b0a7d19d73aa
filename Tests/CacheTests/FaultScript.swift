#if AllTests
import Foundation
import HTTPChainCache
import HTTPChainCore
import HTTPTypes
import TestSupport
import Testing

/// Uses a store that fails now and then, or not at all, and knows what it may have afterwards.
struct FaultScript {
    static let bounds = CacheBounds(totalBytes: 260_000, entryBytes: 200_000, entryCount: 4)

    /// Opens the store, as a new process does.
    private let open: () -> any CacheStore
    /// The contents that may be found of each key; nothing may be found at any time, after a failure.
    private var contents: [Int: Set<Int>] = [:]
    /// What may be found by another process than the one that was told to remove it.
    private var removed: Set<Int> = []
    /// How many uses of the store failed.
    private(set) var failures = 0

    /// Whether nothing is to fail.
    private let isSound: Bool

    init(isSound: Bool = false, _ open: @escaping () -> any CacheStore) {
        self.isSound = isSound
        self.open = open
    }

    private func length(_ seed: Int) -> Int { seed % 5 == 3 ? 150_000 : seed * 700 }

    /// Stores, replaces, updates, evicts, removes, closes and opens again; what fails, fails.
    mutating func run() async throws {
        var store = open()
        await put(1, 1, in: store)
        await put(2, 3, in: store)
        await update(1, in: store)
        await update(2, in: store)
        await put(1, 2, in: store)
        try await verify(store, isSameProcess: true, finding: [1, 2])
        await remove(2, from: store)
        try await verify(store, isSameProcess: true, finding: [1])
        await store.shut()
        store = open()
        removed = []
        for name in 3...6 { await put(name, name + 1, in: store) }
        await remove(4, from: store)
        await put(2, 8, in: store)
        try await verify(store, isSameProcess: true, finding: Self.left)
        await store.shut()
    }

    /// The keys that there are in the end when nothing fails; the first was evicted when the fifth came.
    static let left: Set<Int> = [2, 3, 5, 6]

    private mutating func put(_ name: Int, _ seed: Int, in store: any CacheStore) async {
        do {
            let commit = try await store.put(
                storeKey(name),
                content(seed, length(seed)),
                storeMetadata(tag: "\(seed)")
            )
            if commit.entry != nil { contents[name] = [seed] }
        } catch {
            fail(error)
            contents[name, default: []].insert(seed)
        }
        removed.remove(name)
    }

    private mutating func remove(_ name: Int, from store: any CacheStore) async {
        do {
            try await store.remove(.key(storeKey(name)))
            contents[name] = []
        } catch {
            fail(error)
            removed.insert(name)
        }
    }

    private mutating func update(_ name: Int, in store: any CacheStore) async {
        do {
            guard let entry = try await store.variants(of: storeKey(name)).first else { return }
            var changed = entry.response.metadata
            changed.head.headerFields[.age] = "1"
            _ = try await store.update(entry, to: changed)
        } catch {
            fail(error)
        }
    }

    private mutating func fail(_ error: any Error) {
        failures += 1
        #expect(error is CacheStoreFault, "\(error)")
    }

    /// What is found is what was stored, and of each key one of the contents that it may have.
    ///
    /// - Parameter expected: The keys that must be found, and read, and no others, when nothing is to fail.
    /// - Returns: How many were found, and read.
    @discardableResult
    func verify(_ store: any CacheStore, isSameProcess: Bool, finding expected: Set<Int>? = nil) async throws -> Int {
        var found: Set<Int> = []
        for name in 1...6 {
            guard let entries = try? await store.variants(of: storeKey(name)) else { continue }
            #expect(entries.count <= 1)
            for entry in entries {
                let seed = try #require(Int(entry.response.metadata.head.headerFields[.eTag] ?? ""))
                #expect(contents[name]?.contains(seed) ?? false, "key \(name) has \(seed)")
                if isSameProcess { #expect(!removed.contains(name), "key \(name) was removed") }
                guard let body = try? await store.body(of: entry, range: nil) else { continue }
                guard let bytes = try? await body.collect() else { continue }
                #expect(bytes == content(seed, length(seed)), "key \(name)")
                found.insert(name)
            }
        }
        if isSound, let expected { #expect(failures == 0 && found == expected) }
        return found.count
    }
}

extension CacheStoreFault {
    static let injected = CacheStoreFault(FileFault.injected)
}
#endif
