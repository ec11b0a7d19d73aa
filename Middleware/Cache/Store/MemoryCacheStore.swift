import Foundation
package import HTTPChainCore

/// Stores responses in memory, for the lifetime of the process.
///
/// Entries are divided among shards with separate locks, so that look-ups of different keys don't block each other.
/// Eviction removes the least recently used entry of all shards. A partial response that continues a stored one is
/// appended to it without copying.
package final class MemoryCacheStore: CacheStore, InvalidationKeeping, BodyAppending {
    /// The limits of the store.
    package let bounds: CacheBounds
    /// The invalidations by all stages that use the store.
    package let invalidations = InvalidationLog()
    private let shards: [Locked<MemoryShard>]
    /// The total usage; its lock is acquired before a shard's lock, never while holding one.
    ///
    /// The totals are never less than the actual usage of the shards.
    private let totals = Locked(CacheUsage())
    private let lastID = Locked<UInt64>(0)
    /// The memory budget for entries being written; it is as large as the store's total size, and in addition to it.
    fileprivate let inFlight: FlightBudget
    /// The entries being extended.
    private let growing = Locked<Set<CacheEntryID>>([])

    /// Creates an empty store.
    ///
    /// - Parameters:
    ///   - bounds: The limits of the store.
    ///   - shards: The number of shards; 16 by default.
    package init(bounds: CacheBounds, shards: Int = 16) {
        self.bounds = bounds
        inFlight = FlightBudget(limit: bounds.totalBytes.bytes)
        let count = min(max(1, shards), 1024)
        self.shards = (0..<count).map { _ in Locked(MemoryShard()) }
    }

    /// Always `true`: operations never wait.
    package var keepsDeadlines: Bool { true }

    /// "memory" and the limit.
    package var summary: String { "memory, up to \(bounds.totalBytes)" }

    private func index(of key: CacheKey) -> Int {
        var hasher = Hasher()
        hasher.combine(key.url)
        return Int(UInt(bitPattern: hasher.finalize()) % UInt(shards.count))
    }

    /// Returns the stored variants of a key.
    package func variants(of key: CacheKey) async -> [CacheEntry] {
        shards[index(of: key)].withLock { $0.variants(of: key) }
    }

    /// Returns the content of an entry; this counts as a use.
    package func body(of entry: CacheEntry, range: Range<Int64>?) async -> HTTPBody? {
        shards[index(of: entry.key)].withLock { $0.use(entry.id) }?
            .body(range ?? 0..<entry.response.bodyLength)
    }

    /// Creates a writer for an entry.
    package func makeWriter(
        for key: CacheKey,
        _ metadata: CacheMetadata,
        expecting length: Int64?
    ) async -> (any CacheWriter)? {
        let room = bounds.entryBytes.bytes - metadata.headSize - key.size
        guard room >= 0, bounds.entryCount > 0, (length ?? 0) <= room else { return nil }
        return MemoryCacheWriter(store: self, key: key, metadata: metadata, room: room, expecting: length)
    }

    package func makeAppender(
        to entry: CacheEntry,
        _ metadata: CacheMetadata,
        expecting length: Int64?
    ) async throws -> (any CacheWriter)? {
        let room = bounds.entryBytes.bytes - MemoryShard.cost(of: entry.response.with(metadata), at: entry.key)
        guard entry.response.bodyLength > MemoryBody.copied, (length ?? 0) <= room,
            metadata.variant == entry.response.metadata.variant,
            shards[index(of: entry.key)].withLock({ $0.beginAppending(to: entry) }) != nil,
            growing.withLock({ $0.insert(entry.id).inserted })
        else { return nil }
        return MemoryCacheWriter(
            store: self,
            key: entry.key,
            metadata: metadata,
            room: room,
            expecting: length,
            behind: entry
        )
    }

    /// Allows the entry to be extended again.
    fileprivate func endAppending(to id: CacheEntryID) { growing.withLock { _ = $0.remove(id) } }

    /// Replaces the description of a stored body.
    package func update(_ entry: CacheEntry, to metadata: CacheMetadata) async -> CacheEntry? {
        let shard = index(of: entry.key)
        return totals.withLock { totals in
            let change = shards[shard].withLock { $0.update(entry, to: metadata) }
            guard let (updated, growth) = change else { return nil }
            totals.bytes += growth
            if MemoryShard.cost(of: updated.response, at: updated.key) > bounds.entryBytes.bytes {
                totals -= shards[shard].withLock { $0.remove(.entry(updated.id)) }
            }
            // A larger description may require eviction, even of this entry.
            _ = makeRoom(for: 0, entries: 0, in: &totals)
            return shards[shard].withLock { $0.contains(updated.id) } ? updated : nil
        }
    }

    /// Removes entries.
    @discardableResult
    package func remove(_ selection: CacheSelection) async -> Int {
        let only = selection.commonURL.map { index(of: CacheKey(url: $0)) }
        let candidates = only.map { $0..<($0 + 1) } ?? shards.indices
        var count = 0
        for index in candidates {
            let removed = shards[index].withLock { $0.remove(selection) }
            guard removed.entries > 0 else { continue }
            count += removed.entries
            totals.withLock { $0 -= removed }
        }
        return count
    }

    /// Visits entries, one shard at a time.
    package func visit(_ selection: CacheSelection, _ visit: (CacheEntry) throws -> Bool) async rethrows {
        for shard in shards {
            for entry in shard.withLock({ $0.entries(selection) }) {
                guard try visit(entry) else { return }
            }
        }
    }

    /// Returns the usage of the store.
    package func usage() async -> CacheUsage { totals.withLock { $0 } }

    fileprivate func insert(_ key: CacheKey, _ response: StoredResponse, _ bytes: Data) -> CacheCommit {
        let id = lastID.withLock { id in
            id += 1
            return CacheEntryID(rawValue: id)
        }
        let entry = CacheEntry(id: id, key: key, response: response)
        let cost = MemoryShard.cost(of: response, at: key)
        guard cost <= bounds.entryBytes.bytes else { return CacheCommit(entry: nil) }
        let shard = index(of: key)
        let body = MemoryBody(bytes)
        return totals.withLock { totals in
            let room = bounds.totalBytes.bytes - totals.bytes
            if let growth = shards[shard].withLock({ $0.replaceVariant(with: entry, body, cost: cost, within: room) }) {
                totals.bytes += growth
                return CacheCommit(entry: entry)
            }
            totals -= shards[shard].withLock { $0.removeVariant(like: entry) }
            let surplus = shards[shard].withLock { $0.removeVariants(of: key, keeping: bounds.variantsPerKey - 1) }
            totals -= surplus
            let (hasRoom, others) = makeRoom(for: cost, entries: 1, in: &totals)
            let evicted = Array(repeating: key, count: surplus.entries) + others
            guard hasRoom else { return CacheCommit(entry: nil, evicted: evicted) }
            totals.bytes += cost
            totals.entries += 1
            shards[shard].withLock { $0.insert(entry, body, cost: cost) }
            return CacheCommit(entry: entry, evicted: evicted)
        }
    }

    fileprivate func append(_ bytes: Data, to known: CacheEntry, _ response: StoredResponse) -> CacheCommit {
        let shard = index(of: known.key)
        return totals.withLock { totals in
            // The entry is now the most recently used one, so it isn't evicted.
            guard let old = shards[shard].withLock({ $0.beginAppending(to: known) }) else {
                return CacheCommit(entry: nil)
            }
            let growth = MemoryShard.cost(of: response, at: known.key) - old
            let (hasRoom, evicted) = makeRoom(for: growth, entries: 0, in: &totals)
            guard hasRoom, let entry = shards[shard].withLock({ $0.append(bytes, to: known.id, as: response) }) else {
                return CacheCommit(entry: nil, evicted: evicted)
            }
            totals.bytes += growth
            return CacheCommit(entry: entry, evicted: evicted)
        }
    }

    private func makeRoom(
        for cost: Int64,
        entries: Int,
        in totals: inout CacheUsage
    ) -> (hasRoom: Bool, evicted: [CacheKey]) {
        var evicted: [CacheKey] = []
        while bounds.areExceeded(by: totals, adding: cost, entries: entries) {
            guard let removed = removeLeastRecent() else { return (false, evicted) }
            totals -= CacheUsage(bytes: removed.cost, entries: 1)
            evicted.append(removed.key)
        }
        return (true, evicted)
    }

    /// Removes the least recently used entry of all shards.
    private func removeLeastRecent() -> (key: CacheKey, cost: Int64)? {
        while true {
            var oldest: (shard: Int, at: ContinuousClock.Instant)?
            for index in shards.indices {
                guard let at = shards[index].withLock({ $0.leastRecentUse }) else { continue }
                if oldest.map({ at < $0.at }) ?? true { oldest = (index, at) }
            }
            guard let oldest else { return nil }
            // The entry may have been removed in between.
            if let removed = shards[oldest.shard].withLock({ $0.removeLeastRecent() }) { return removed }
        }
    }
}

/// Collects a body in memory.
private final class MemoryCacheWriter: FlightLimitedWriter {
    private struct State {
        var hasSpentBudget = false
        var bytes = Data()
        var checksum = ContentChecksum()
        var isOpen = true
    }
    private let store: MemoryCacheStore
    private let key: CacheKey
    private let metadata: CacheMetadata
    private let room: Int64
    /// The entry whose body is extended.
    private let grown: CacheEntry?
    private let state: Locked<State>

    init(
        store: MemoryCacheStore,
        key: CacheKey,
        metadata: CacheMetadata,
        room: Int64,
        expecting length: Int64?,
        behind grown: CacheEntry? = nil
    ) {
        self.grown = grown
        self.store = store
        self.key = key
        self.metadata = metadata
        self.room = room
        var state = State()
        if let grown { state.checksum = grown.response.bodyChecksum }
        // Memory is reserved only up to a limit, because the declared length may be wrong.
        if let length { state.bytes.reserveCapacity(Int(min(max(0, length), 1 << 20))) }
        self.state = Locked(state)
    }

    deinit {
        state.withLock { discard(&$0) }
    }

    var hasSpentBudget: Bool { state.withLock { $0.hasSpentBudget } }

    func write(_ chunk: Data) async -> Bool {
        state.withLock { state in
            guard state.isOpen, Int64(state.bytes.count + chunk.count) <= room else {
                discard(&state)
                return false
            }
            guard store.inFlight.take(chunk.count) else {
                state.hasSpentBudget = true
                discard(&state)
                return false
            }
            // Copied, because a slice could keep a larger buffer alive that the bounds don't count.
            chunk.withUnsafeBytes { state.bytes.append(contentsOf: $0) }
            state.checksum.update(chunk)
            return true
        }
    }

    func commit() async -> CacheCommit {
        let written = state.withLock { state -> (Data, ContentChecksum)? in
            guard state.isOpen else { return nil }
            state.isOpen = false
            defer { state.bytes = Data() }
            return (state.bytes, state.checksum)
        }
        guard let (bytes, checksum) = written else { return CacheCommit(entry: nil) }
        defer {
            store.inFlight.giveBack(bytes.count)
            if let grown { store.endAppending(to: grown.id) }
        }
        let length = Int64(bytes.count) + (grown?.response.bodyLength ?? 0)
        let response = StoredResponse(metadata, bodyLength: length, bodyChecksum: checksum)
        if let grown { return store.append(bytes, to: grown, response) }
        return store.insert(key, response, bytes)
    }

    func abandon() async {
        state.withLock { discard(&$0) }
    }

    private func discard(_ state: inout State) {
        store.inFlight.giveBack(state.bytes.count)
        if state.isOpen, let grown { store.endAppending(to: grown.id) }
        state.bytes = Data()
        state.isOpen = false
    }
}
