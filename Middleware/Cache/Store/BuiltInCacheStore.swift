public import Foundation
public import HTTPChainCore

/// A store that passes every operation on to another one.
package protocol WrappingCacheStore: CacheStore {
    /// The store that performs the operations.
    var wrapped: any CacheStore { get }
}

/// A store of this package: in memory, in files, on a server, or composed of other stores.
///
/// ```swift
/// let store = BuiltInCacheStore.tiered(
///     memory: .megabytes(20),
///     over: .files(in: directory, limit: .megabytes(500))
/// )
/// let cache = CacheMiddleware(store: store)
/// ```
public struct BuiltInCacheStore: WrappingCacheStore {
    package let wrapped: any CacheStore

    package init(_ store: some CacheStore) {
        wrapped = store.unwrapped
    }
}

extension CacheStore {
    /// The store that performs the operations.
    package var unwrapped: any CacheStore { (self as? any WrappingCacheStore)?.wrapped ?? self }
}

extension CacheStore where Self == BuiltInCacheStore {
    /// Stores responses in memory, for the lifetime of the process.
    ///
    /// - Parameter limit: The maximum total size of bodies and heads.
    public static func memory(limit: ByteCount) -> BuiltInCacheStore {
        memory(bounds: CacheBounds(totalBytes: limit))
    }

    /// Stores responses in memory, within bounds.
    public static func memory(bounds: CacheBounds) -> BuiltInCacheStore {
        BuiltInCacheStore(MemoryCacheStore(bounds: bounds))
    }

    /// Stores responses persistently in the files of a directory.
    ///
    /// - Parameters:
    ///   - directory: The file URL of the directory, created if missing. Nothing else should write to it.
    ///   - limit: The maximum total size of the files.
    public static func files(in directory: URL, limit: ByteCount) -> BuiltInCacheStore {
        files(in: directory, bounds: CacheBounds(totalBytes: limit))
    }

    /// Stores responses persistently in the files of a directory, within bounds.
    ///
    /// The directory may be lost, damaged, full or inaccessible at any time, and the process may be killed at any
    /// point. The store nevertheless returns either exactly the stored bytes, or nothing. A body of up to 256 KiB is
    /// verified before any of it is returned. A longer one is verified block by block, each before it is returned; if a
    /// later block is damaged, the body ends with a ``CacheStoreFault``.
    ///
    /// Nothing is opened or created before the first use. Several processes may share a directory, with the same bounds.
    ///
    /// - Parameters:
    ///   - directory: The file URL of the directory, created if missing. Nothing else should write to it.
    ///   - bounds: The limits of the store, which count the size of the files.
    ///   - durability: The failures that entries survive; by default, only the end of the process.
    public static func files(
        in directory: URL,
        bounds: CacheBounds,
        durability: FileCacheDurability = .process
    ) -> BuiltInCacheStore {
        BuiltInCacheStore(FileCacheStore(directory: directory, bounds: bounds, durability: durability))
    }

    /// Keeps recently used entries in memory, above a store that keeps all entries.
    ///
    /// The first use of an entry copies it to memory, which then serves further uses until memory needs the space or
    /// the entry changes. If a key has several variants, the underlying store serves them. The memory doesn't notice
    /// changes that other processes make to the underlying store, so each process needs its own directory.
    ///
    /// - Parameters:
    ///   - memory: The maximum total size of the copies in memory.
    ///   - base: The store for all entries.
    ///   - limit: The maximum length of a body copied into memory; 1 MiB by default, and a quarter of `memory` at most.
    public static func tiered(
        memory: ByteCount,
        over base: some CacheStore,
        copyingUpTo limit: ByteCount = .mebibytes(1)
    ) -> BuiltInCacheStore {
        let copies = MemoryCacheStore(bounds: CacheBounds(totalBytes: memory))
        return BuiltInCacheStore(TieredCacheStore(memory: copies, over: base, copyingUpTo: limit))
    }

    /// Divides entries among stores by the class of their data.
    ///
    /// A call sets its class with ``CacheSettings``. Several classes may share a store. Each store has its own bounds.
    /// A response replaces the previous variant even if that had another class.
    ///
    /// - Parameters:
    ///   - classes: The stores of classes.
    ///   - others: The store for entries without a class, or of a class without its own store.
    public static func divided(
        _ classes: [String: any CacheStore],
        others: some CacheStore
    ) -> BuiltInCacheStore {
        BuiltInCacheStore(DividedCacheStore(classes, others: others))
    }
}

extension WrappingCacheStore {
    /// A short description of the store.
    public var summary: String { wrapped.summary }

    /// Whether all operations complete in bounded time.
    public var keepsDeadlines: Bool { wrapped.keepsDeadlines }

    /// Returns the stored variants of a key.
    public func variants(of key: CacheKey) async throws -> [CacheEntry] { try await wrapped.variants(of: key) }

    /// Returns the content of an entry.
    public func body(of entry: CacheEntry, range: Range<Int64>?) async throws -> HTTPBody? {
        try await wrapped.body(of: entry, range: range)
    }

    /// Creates a writer for an entry.
    public func makeWriter(
        for key: CacheKey,
        _ metadata: CacheMetadata,
        expecting length: Int64?
    ) async throws -> (any CacheWriter)? {
        try await wrapped.makeWriter(for: key, metadata, expecting: length)
    }

    /// Replaces the description of an entry.
    public func update(_ entry: CacheEntry, to metadata: CacheMetadata) async throws -> CacheEntry? {
        try await wrapped.update(entry, to: metadata)
    }

    /// Removes entries.
    @discardableResult
    public func remove(_ selection: CacheSelection) async throws -> Int { try await wrapped.remove(selection) }

    /// Visits entries until `visit` returns `false`.
    public func visit(_ selection: CacheSelection, _ visit: (CacheEntry) throws -> Bool) async throws {
        try await wrapped.visit(selection, visit)
    }

    /// Returns the usage of the store.
    public func usage() async throws -> CacheUsage { try await wrapped.usage() }
}
