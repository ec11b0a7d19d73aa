import Foundation
package import HTTPChainCore

/// Keeps recently used entries in memory, above a store that keeps all entries.
///
/// Entries are written to the underlying store. The first use of an entry copies it to memory, which then serves
/// further uses until memory needs the space or the entry changes. A streamed body is copied while its caller reads it
/// to the end. If a key has several variants, the underlying store serves them. Uses of copies also count in the
/// underlying store: they are reported in batches, and before an entry is stored. The memory doesn't notice changes
/// that other processes make to the underlying store, so each process needs its own directory.
package final class TieredCacheStore: CacheStore, InvalidationKeeping, BodyAppending {
    /// The invalidations by all stages that use the store.
    package let invalidations: InvalidationLog
    private struct State {
        /// The keys whose only entry is in memory, with the entry of the underlying store.
        var whole: [CacheKey: CacheEntry] = [:]
        /// The entries of the underlying store whose copies were used since the last report, with the order of their
        /// last uses.
        var uses: [CacheEntryID: (entry: CacheEntry, order: Int)] = [:]
        var lastUse = 0
        /// The keys whose entry is being copied into memory, one at a time, and whether that entry is still current.
        var arriving: [CacheKey: Bool] = [:]

        mutating func use(_ key: CacheKey) {
            guard let entry = whole[key] else { return }
            lastUse += 1
            uses[entry.id] = (entry, lastUse)
        }

        mutating func takeUses() -> [CacheEntry] {
            defer { uses = [:] }
            return uses.values.sorted { $0.order < $1.order }.map(\.entry)
        }

        mutating func forget(_ key: CacheKey) {
            whole[key] = nil
            if arriving[key] != nil { arriving[key] = false }
        }

        mutating func forgetAll() {
            whole = [:]
            outdateArriving()
        }

        mutating func outdateArriving() {
            for key in arriving.keys { arriving[key] = false }
        }
    }
    private static let above = 0
    private static let below = 1
    /// The number of used entries after which their uses are reported to the underlying store.
    private static let batch = 64

    private let memory: MemoryCacheStore
    private let base: any CacheStore
    private let copyLimit: Int64
    private let numbering = StoreNumbering(2)
    private let state = Locked(State())

    /// Creates a store with memory above another store.
    ///
    /// - Parameters:
    ///   - memory: The store for copies. Nothing else may use it.
    ///   - base: The store for all entries.
    ///   - limit: The maximum length of a body copied into memory; 1 MiB by default, further limited by the bounds of
    ///     the memory store.
    package init(memory: MemoryCacheStore, over base: some CacheStore, copyingUpTo limit: ByteCount = .mebibytes(1)) {
        self.memory = memory
        self.base = base.unwrapped
        copyLimit = limit.bytes
        invalidations = (self.base as? any InvalidationKeeping)?.invalidations ?? InvalidationLog()
    }

    /// Whether both stores respect deadlines.
    package var keepsDeadlines: Bool { memory.keepsDeadlines && base.keepsDeadlines }

    /// The summaries of both stores.
    package var summary: String { "\(memory.summary), over \(base.summary)" }

    /// Returns the stored variants of a key, from memory if it has all of them.
    package func variants(of key: CacheKey) async throws -> [CacheEntry] {
        if state.withLock({ $0.whole[key] != nil }) {
            let entries = await memory.variants(of: key)
            if !entries.isEmpty { return entries.map { numbering.outer($0, from: Self.above) } }
            state.withLock { $0.forget(key) }
        }
        return try await base.variants(of: key).map { numbering.outer($0, from: Self.below) }
    }

    /// Returns the content of an entry; copies the entry into memory if it is small enough and the only one of its key.
    package func body(of entry: CacheEntry, range: Range<Int64>?) async throws -> HTTPBody? {
        if numbering.place(of: entry.id) == Self.above {
            if let body = await memory.body(of: numbering.inner(entry), range: range) {
                let isMuch = state.withLock { state in
                    state.use(entry.key)
                    return state.uses.count >= Self.batch
                }
                if isMuch { await tellUses() }
                return body
            }
            guard let own = try await entryBelow(entry) else { return nil }
            return try await base.body(of: own, range: range)
        }
        let own = numbering.inner(entry)
        guard let body = try await base.body(of: own, range: range) else { return nil }
        guard range == nil, entry.response.bodyLength <= copyLimit else { return body }
        guard let bytes = body.bytes else { return await copied(own, body) }
        await copy(own, bytes)
        return body
    }

    /// Reports the uses of copies to the underlying store, by requesting an empty part of each body.
    private func tellUses() async {
        for entry in state.withLock({ $0.takeUses() }) { _ = try? await base.body(of: entry, range: 0..<0) }
    }

    /// The entry of the underlying store that a copy in memory was made from.
    private func entryBelow(_ entry: CacheEntry) async throws -> CacheEntry? {
        try await base.variants(of: entry.key).first {
            $0.response.metadata.variant == entry.response.metadata.variant
                && $0.response.bodyChecksum == entry.response.bodyChecksum
                && $0.response.bodyLength == entry.response.bodyLength
        }
    }

    private func copy(_ entry: CacheEntry, _ bytes: Data) async {
        guard begins(entry.key) else { return }
        let writer = await makeCopyWriter(for: entry)
        if let writer { _ = try? await writer.write(bytes) }
        await finish(entry, writer)
    }

    /// Returns the body, which is copied if it is read to its end.
    private func copied(_ entry: CacheEntry, _ body: HTTPBody) async -> HTTPBody {
        guard let writer = await makeCopyWriter(for: entry) else { return body }
        // If the body is read a second time, it isn't copied.
        let pending = Locked<(any CacheWriter)?>(writer)
        return body.transformed(length: body.length) { [self] inner in
            guard let writer = pending.withLock({ $0.take() }) else { return inner }
            return CopyingReader(inner: inner, writer: writer) { [self] in
                guard begins(entry.key) else { return await writer.abandon() }
                await finish(entry, writer)
            }
        }
    }

    private func makeCopyWriter(for entry: CacheEntry) async -> (any CacheWriter)? {
        await memory.makeWriter(for: entry.key, entry.response.metadata, expecting: entry.response.bodyLength)
    }

    /// Registers the entry of a key as being copied, one at a time.
    private func begins(_ key: CacheKey) -> Bool {
        state.withLock { state in
            guard state.arriving[key] == nil else { return false }
            state.arriving[key] = true
            return true
        }
    }

    private func finish(_ entry: CacheEntry, _ writer: (any CacheWriter)?) async {
        let key = entry.key
        var evicted: [CacheKey] = []
        var isWhole = false
        // Checked after the copy was registered, because changes of the key are recorded there from then on.
        if let writer, let stored = try? await base.variants(of: key), stored.count == 1, stored[0].id == entry.id,
            stored[0].response.metadata == entry.response.metadata
        {
            await memory.remove(.key(key))
            if let commit = try? await writer.commit() {
                evicted = commit.evicted
                isWhole = commit.entry != nil
            }
        } else {
            await writer?.abandon()
        }
        state.withLock { state in
            for key in evicted { state.whole[key] = nil }
            let isCurrent = state.arriving.removeValue(forKey: key) ?? false
            if isCurrent, isWhole { state.whole[key] = entry.withoutContent }
        }
    }

    /// Creates a writer for an entry in the store below.
    package func makeWriter(
        for key: CacheKey,
        _ metadata: CacheMetadata,
        expecting length: Int64?
    ) async throws -> (any CacheWriter)? {
        guard let writer = try await base.makeWriter(for: key, metadata, expecting: length) else { return nil }
        return composed(writer, key)
    }

    package func makeAppender(
        to entry: CacheEntry,
        _ metadata: CacheMetadata,
        expecting length: Int64?
    ) async throws -> (any CacheWriter)? {
        guard let store = base as? any BodyAppending else { return nil }
        let isCopy = numbering.place(of: entry.id) == Self.above
        guard let own = isCopy ? try await entryBelow(entry) : numbering.inner(entry),
            let writer = try await store.makeAppender(to: own, metadata, expecting: length)
        else { return nil }
        return composed(writer, entry.key)
    }

    private func composed(_ writer: any CacheWriter, _ key: CacheKey) -> ComposedCacheWriter {
        // Uses are reported before the underlying store evicts anything.
        ComposedCacheWriter(writer, beforeCommit: { [self] in await tellUses() }) { [self] commit in
            await forget(key)
            for key in commit.evicted { await forget(key) }
            return CacheCommit(
                entry: commit.entry.map { numbering.outer($0, from: Self.below) },
                evicted: commit.evicted
            )
        }
    }

    private func forget(_ key: CacheKey) async {
        state.withLock { $0.forget(key) }
        await memory.remove(.key(key))
    }

    /// Replaces the description of a stored body.
    package func update(_ entry: CacheEntry, to metadata: CacheMetadata) async throws -> CacheEntry? {
        let isCopy = numbering.place(of: entry.id) == Self.above
        guard let own = isCopy ? try await entryBelow(entry) : numbering.inner(entry) else { return nil }
        do {
            let updated = try await base.update(own, to: metadata)
            await forget(entry.key)
            return updated.map { numbering.outer($0, from: Self.below) }
        } catch {
            await forget(entry.key)
            throw error
        }
    }

    /// Removes entries from both stores.
    ///
    /// - Returns: The number of entries removed from the underlying store.
    @discardableResult
    package func remove(_ selection: CacheSelection) async throws -> Int {
        if case .entry(let id) = selection {
            guard numbering.place(of: id) == Self.below else {
                var found: CacheEntry?
                await memory.visit(.entry(numbering.inner(id))) { entry in
                    found = entry
                    return false
                }
                guard let found else { return 0 }
                await forget(found.key)
                guard let own = try await entryBelow(found) else { return 0 }
                return try await base.remove(.entry(own.id))
            }
            // The memory forgets all keys, because the key of the removed entry isn't known anymore.
            defer { state.withLock { $0.forgetAll() } }
            return try await base.remove(.entry(numbering.inner(id)))
        }
        do {
            let count = try await base.remove(selection)
            await removeAbove(selection)
            return count
        } catch {
            await removeAbove(selection)
            throw error
        }
    }

    private func removeAbove(_ selection: CacheSelection) async {
        state.withLock { state in
            if case .key(let key) = selection { state.forget(key) } else { state.outdateArriving() }
        }
        await memory.remove(selection)
    }

    /// Visits the entries of the underlying store, which has all entries.
    package func visit(_ selection: CacheSelection, _ visit: (CacheEntry) throws -> Bool) async throws {
        var selection = selection
        if case .entry(let id) = selection {
            guard numbering.place(of: id) == Self.below else {
                try await memory.visit(.entry(numbering.inner(id))) {
                    try visit(numbering.outer($0, from: Self.above))
                }
                return
            }
            selection = .entry(numbering.inner(id))
        }
        try await base.visit(selection) { try visit(numbering.outer($0, from: Self.below)) }
    }

    /// Returns the usage of the underlying store, without the copies in memory.
    package func usage() async throws -> CacheUsage { try await base.usage() }
}

/// Passes a body to its reader and copies it to a writer.
private struct CopyingReader: BodyReader {
    var inner: any BodyReader
    var writer: (any CacheWriter)?
    let finish: @Sendable () async -> Void

    nonisolated(nonsending) mutating func read() async throws -> Data? {
        guard let chunk = try await inner.read() else {
            if writer.take() != nil { await finish() }
            return nil
        }
        if let writer, (try? await writer.write(chunk)) != true { self.writer = nil }
        return chunk
    }
}
