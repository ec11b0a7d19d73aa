public import Foundation
public import HTTPChainCore

/// Keeps responses: heads to look through, bodies as streams.
///
/// A store knows nothing of HTTP's rules; the cache asks it for the variants of a key and decides. Whatever it throws
/// is an event for observers and a miss for the caller. All functions may be called by any number of tasks at a time.
///
/// - An entry appears whole or not at all: it can be found once its writer has committed.
/// - There is one entry for a key and a ``CacheVariant``: a commit replaces the one before in one step. A reader of the
///   replaced body goes on to its end.
/// - The bounds hold at all times; to make room, what was not used for longest goes first.
public protocol CacheStore: Sendable {
    /// The name of the store, in a few words, such as "memory, up to 50 MB".
    var summary: String { get }

    /// Whether the store answers in bounded time, as one on a local disk does; `false` by default.
    ///
    /// Where it does not, the deadline of a call has to cancel what waits for the store.
    var keepsDeadlines: Bool { get }

    /// The stored variants of a key, in no order; this is no use of them that eviction counts.
    func variants(of key: CacheKey) async throws -> [CacheEntry]

    /// The content of an entry, which counts as a use of it.
    ///
    /// - Parameters:
    ///   - entry: An entry that the store gave out.
    ///   - range: Which of the stored bytes; all of them when `nil`. It lies within `0..<bodyLength`.
    /// - Returns: A body of known length; `nil` when the entry is gone by now, or damaged.
    func body(of entry: CacheEntry, range: Range<Int64>?) async throws -> HTTPBody?

    /// Begins to write an entry.
    ///
    /// - Parameters:
    ///   - key: What it will be looked up by.
    ///   - metadata: The response without its body.
    ///   - length: How long the body will be, where that is known.
    /// - Returns: `nil` when the entry is too large for the store's bounds.
    func makeWriter(
        for key: CacheKey,
        _ metadata: CacheMetadata,
        expecting length: Int64?
    ) async throws -> (any CacheWriter)?

    /// Gives a stored body a new description (RFC 9111 §4.3.4), the body untouched.
    ///
    /// - Returns: The entry as it is now; `nil` when it is gone.
    func update(_ entry: CacheEntry, to metadata: CacheMetadata) async throws -> CacheEntry?

    /// Removes entries.
    ///
    /// - Returns: How many there were.
    @discardableResult
    func remove(_ selection: CacheSelection) async throws -> Int

    /// Shows entries one after the other, in no order, until `visit` returns `false`.
    ///
    /// Entries that come or go meanwhile may be shown or not. This is no use of them.
    func visit(_ selection: CacheSelection, _ visit: (CacheEntry) throws -> Bool) async throws

    /// Returns the usage of the store.
    func usage() async throws -> CacheUsage
}

extension CacheStore {
    /// Nothing is known of how long it takes.
    public var keepsDeadlines: Bool { false }
}

/// Takes the body of an entry that is being stored.
///
/// One task at a time uses it. A writer that is dropped without a commit is abandoned.
public protocol CacheWriter: AnyObject, Sendable {
    /// Adds bytes; the writer keeps a copy.
    ///
    /// - Returns: `false` when the entry has become too large for the bounds; nothing more need be written.
    func write(_ chunk: Data) async throws -> Bool

    /// Makes the entry visible, with all that was written, in place of the variant before it.
    func commit() async throws -> CacheCommit

    /// Forgets what was written.
    func abandon() async
}

/// The result of storing an entry.
public struct CacheCommit: Sendable {
    /// The entry; `nil` when it does not fit the bounds.
    public var entry: CacheEntry?
    /// The entries that had to go to make room; the variant replaced is not among them.
    public var evicted: [CacheKey]

    /// Makes an outcome.
    public init(entry: CacheEntry?, evicted: [CacheKey] = []) {
        self.entry = entry
        self.evicted = evicted
    }
}

/// The limits of a store.
public struct CacheBounds: Sendable, Hashable {
    /// Bodies and heads together.
    public var totalBytes: ByteCount
    /// One entry, its head included.
    public var entryBytes: ByteCount
    /// The number of entries; a negative one is 0.
    public var entryCount: Int {
        didSet { entryCount = max(0, entryCount) }
    }
    /// The number of variants of one key (RFC 9111 §4.1): of more, those that were not used for longest go.
    ///
    /// A look-up compares the request with each variant, so this bounds its time. It is at least 1.
    public var variantsPerKey: Int {
        didSet { variantsPerKey = max(1, variantsPerKey) }
    }

    /// Sets the bounds.
    ///
    /// - Parameters:
    ///   - totalBytes: Bodies and heads together.
    ///   - entryBytes: One entry, its head included; a quarter of the total by default.
    ///   - entryCount: The number of entries; 1,000,000 by default.
    ///   - variantsPerKey: The number of variants of one key; 32 by default, and at least 1.
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
}

/// The usage of a store.
public struct CacheUsage: Sendable, Hashable {
    /// Bodies and heads together.
    public var bytes: Int64
    /// The number of entries.
    public var entries: Int

    /// Makes a reading.
    public init(bytes: Int64 = 0, entries: Int = 0) {
        self.bytes = bytes
        self.entries = entries
    }
}
