public import Foundation
public import HTTPChainCore

/// Stores responses: descriptions for look-ups, and bodies as streams.
///
/// A store doesn't implement HTTP's rules: the cache reads the variants of a key and decides. If a store throws an
/// error, observers receive an event, and the call is a miss. All functions may be called concurrently.
///
/// - An entry is visible as a whole or not at all. It can be found once its writer has committed it.
/// - There is one entry for each key and ``CacheVariant``. A commit atomically replaces the previous one. Readers of
///   the replaced body can still read it to its end.
/// - The bounds are never exceeded; the least recently used entries are evicted first.
public protocol CacheStore: Sendable {
    /// A short description of the store, such as "memory, up to 50 MB".
    var summary: String { get }

    /// Whether all operations complete in bounded time, as on a local disk; `false` by default.
    ///
    /// If not, a call's deadline has to cancel operations of the store.
    var keepsDeadlines: Bool { get }

    /// Returns the stored variants of a key in any order; this doesn't count as a use for eviction.
    func variants(of key: CacheKey) async throws -> [CacheEntry]

    /// Returns the content of an entry; this counts as a use.
    ///
    /// - Parameters:
    ///   - entry: An entry returned by the store.
    ///   - range: The range of stored bytes, within `0..<bodyLength`; `nil` for all of them.
    /// - Returns: A body of known length; `nil` if the entry is gone or damaged.
    func body(of entry: CacheEntry, range: Range<Int64>?) async throws -> HTTPBody?

    /// Creates a writer for an entry.
    ///
    /// - Parameters:
    ///   - key: The key of the entry.
    ///   - metadata: The response without its body.
    ///   - length: The length of the body, if known.
    /// - Returns: `nil` if the entry is too large for the store's bounds.
    func makeWriter(
        for key: CacheKey,
        _ metadata: CacheMetadata,
        expecting length: Int64?
    ) async throws -> (any CacheWriter)?

    /// Replaces the description of a stored body (RFC 9111 §4.3.4), leaving the body unchanged.
    ///
    /// - Returns: The updated entry; `nil` if it is gone.
    func update(_ entry: CacheEntry, to metadata: CacheMetadata) async throws -> CacheEntry?

    /// Removes entries.
    ///
    /// - Returns: The number of entries removed.
    @discardableResult
    func remove(_ selection: CacheSelection) async throws -> Int

    /// Visits entries in any order, until `visit` returns `false`.
    ///
    /// Entries added or removed in the meantime may or may not be visited. This doesn't count as a use.
    func visit(_ selection: CacheSelection, _ visit: (CacheEntry) throws -> Bool) async throws

    /// Returns the usage of the store.
    func usage() async throws -> CacheUsage
}

extension CacheStore {
    /// The default value, `false`.
    public var keepsDeadlines: Bool { false }
}

/// Receives the body of an entry that is being stored.
///
/// Only one task may use it at a time. If a writer is released without a commit, everything written is discarded.
public protocol CacheWriter: AnyObject, Sendable {
    /// Appends bytes, which the writer copies.
    ///
    /// - Returns: `false` if the entry is too large for the bounds, so that further writes are pointless.
    func write(_ chunk: Data) async throws -> Bool

    /// Makes the entry visible with everything written, replacing the previous variant.
    func commit() async throws -> CacheCommit

    /// Discards everything written.
    func abandon() async
}

/// The result of storing an entry.
public struct CacheCommit: Sendable {
    /// The entry; `nil` if it doesn't fit the bounds.
    public var entry: CacheEntry?
    /// The evicted entries, without the replaced variant.
    public var evicted: [CacheKey]

    /// Creates a result.
    ///
    /// - Parameters:
    ///   - entry: The entry; `nil` if it doesn't fit the bounds.
    ///   - evicted: The keys of the evicted entries, without the replaced variant.
    public init(entry: CacheEntry?, evicted: [CacheKey] = []) {
        self.entry = entry
        self.evicted = evicted
    }
}

/// The limits of a store.
public struct CacheBounds: Sendable, Hashable {
    /// The maximum total size of bodies and heads.
    package var totalBytes: ByteCount
    /// The maximum size of an entry, including its head.
    package var entryBytes: ByteCount
    /// The maximum number of entries; at least 0.
    package var entryCount: Int {
        didSet { entryCount = max(0, entryCount) }
    }
    /// The maximum number of variants per key (RFC 9111 §4.1); beyond it, the least recently used are evicted.
    ///
    /// A look-up compares the request with each variant, so this limits its time. It is at least 1.
    package var variantsPerKey: Int {
        didSet { variantsPerKey = max(1, variantsPerKey) }
    }

    /// Creates bounds.
    ///
    /// - Parameters:
    ///   - totalBytes: The maximum total size of bodies and heads.
    ///   - entryBytes: The maximum size of an entry, including its head; a quarter of the total by default.
    ///   - entryCount: The maximum number of entries; 1,000,000 by default.
    ///   - variantsPerKey: The maximum number of variants per key; 32 by default, and at least 1.
    public init(
        totalBytes: ByteCount,
        entryBytes: ByteCount? = nil,
        entryCount: Int = 1_000_000,
        variantsPerKey: Int = 32
    ) {
        self.totalBytes = totalBytes
        self.entryBytes = min(entryBytes ?? ByteCount(totalBytes.bytes / 4), totalBytes)
        self.entryCount = max(0, entryCount)
        self.variantsPerKey = max(1, variantsPerKey)
    }

    /// Whether a store would exceed the limits with additional bytes and entries.
    package func areExceeded(by usage: CacheUsage, adding bytes: Int64 = 0, entries: Int = 0) -> Bool {
        usage.bytes + bytes > totalBytes.bytes || usage.entries + entries > entryCount
    }
}

/// The usage of a store.
public struct CacheUsage: Sendable, Hashable {
    /// The total size of bodies and heads.
    public var bytes: Int64
    /// The number of entries.
    public var entries: Int

    /// Creates a usage report.
    public init(bytes: Int64 = 0, entries: Int = 0) {
        self.bytes = bytes
        self.entries = entries
    }

    package static func += (sum: inout CacheUsage, other: CacheUsage) {
        sum.bytes += other.bytes
        sum.entries += other.entries
    }

    package static func -= (sum: inout CacheUsage, other: CacheUsage) {
        sum.bytes -= other.bytes
        sum.entries -= other.entries
    }
}
