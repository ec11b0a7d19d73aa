#if SQLite
package import Foundation
import GRDB
package import HTTPChainCache
package import HTTPChainCore

/// The store behind ``SQLiteCacheStore``.
package final class SQLiteStore: CacheStore, BoundedCacheStore, InvalidationKeeping {
    /// The limits of the store.
    package let bounds: CacheBounds
    /// The invalidations by all stages that use the store.
    package let invalidations = InvalidationLog()
    let database: CacheDatabase
    /// The disk budget for entries being written; it is as large as the store's total size, and in addition to it.
    private let inFlight: FlightBudget

    /// Creates a store without opening or creating anything yet.
    ///
    /// - Parameters:
    ///   - file: The database file; its directory is created if missing.
    ///   - bounds: The limits of the store.
    ///   - options: The overwriting of removed data, and the protection of the files.
    package convenience init(file: URL, bounds: CacheBounds, options: SQLiteCacheOptions = SQLiteCacheOptions()) {
        self.init(file: file, bounds: bounds, options: options) { _ in }
    }

    /// - Parameter prepare: A closure that is called with each connection when it is opened. Tests use it to make
    ///   connections fail.
    init(
        file: URL,
        bounds: CacheBounds,
        options: SQLiteCacheOptions = SQLiteCacheOptions(),
        prepare: @escaping @Sendable (Database) throws -> Void
    ) {
        self.bounds = bounds
        inFlight = FlightBudget(limit: bounds.totalBytes.bytes)
        database = CacheDatabase(path: file.path, bounds: bounds, options: options, prepare: prepare)
    }

    /// Always `true`: the store limits its own waits.
    package var keepsDeadlines: Bool { true }

    /// "SQLite in" the file, and the limit.
    package var summary: String { "SQLite in \(database.path), up to \(bounds.totalBytes)" }

    /// Returns the stored variants of a key.
    ///
    /// - Throws: ``/HTTPChainCache/CacheStoreFault`` if nothing could be read.
    package func variants(of key: CacheKey) async throws -> [CacheEntry] {
        if let (found, removals) = database.recentVariants(of: key) { return try entries(found, of: key, removals) }
        return try await database.run {
            let (found, removals) = try self.database.variants(of: key)
            return try self.entries(found, of: key, removals)
        }
    }

    private func entries(_ found: [CacheLookup], of key: CacheKey, _ removals: UInt64) throws -> [CacheEntry] {
        var entries: [CacheEntry] = []
        var fault: CacheStoreFault?
        for variant in found where !database.isHidden(variant.id) {
            do throws(CacheStoreFault) {
                let head = try variant.head.get()
                guard head.key == key else { continue }
                let entry = CacheEntry(
                    id: CacheEntryID(rawValue: UInt64(bitPattern: variant.id)),
                    key: head.key,
                    response: head.response,
                    content: variant.content.map { StoredContent($0, removals: removals) }
                )
                entries.append(entry)
            } catch {
                database.drop(variant.id, error)
                fault = error
            }
        }
        if entries.isEmpty, let fault { throw fault }
        return entries
    }

    /// Returns the content of an entry; this counts as a use.
    ///
    /// - Throws: ``/HTTPChainCache/CacheStoreFault`` if it is damaged or can't be read.
    package func body(of entry: CacheEntry, range: Range<Int64>?) async throws -> HTTPBody? {
        if let body = try foundBody(of: entry, range: range) { return body }
        return try await database.run { try self.storedBody(of: entry, range: range) }
    }

    /// Returns the content that was read with the description, unless the entry may have been removed since.
    private func foundBody(of entry: CacheEntry, range: Range<Int64>?) throws -> HTTPBody? {
        guard let content = entry.content else { return nil }
        try database.check()
        guard database.use(Int64(bitPattern: entry.id.rawValue), since: content.removals) else { return nil }
        return HTTPBody(range.map { content.bytes[Int($0.lowerBound)..<Int($0.upperBound)] } ?? content.bytes)
    }

    private func storedBody(of entry: CacheEntry, range: Range<Int64>?) throws -> HTTPBody? {
        let id = Int64(bitPattern: entry.id.rawValue)
        let response = entry.response
        guard !database.isHidden(id) else { return nil }
        let whole = 0..<response.bodyLength
        let range = range ?? whole
        let blocks = CacheBlocks(database: database, id: id, length: response.bodyLength)
        do {
            let first = range.isEmpty ? 0 : range.lowerBound / CacheBlocks.payload
            let isSmall = response.bodyLength <= CacheBlocks.payload * 4
            let last = isSmall ? (response.bodyLength - 1) / CacheBlocks.payload : first
            let from = isSmall ? 0 : first
            guard let chunks = try blocks.fetch(from...max(from, last)) else { return nil }
            database.use(id)
            guard isSmall else { return range.isEmpty ? .empty : blocks.body(in: range) }
            var bytes = Data(capacity: Int(response.bodyLength))
            for chunk in chunks { bytes += chunk }
            guard Int64(bytes.count) == response.bodyLength, ContentChecksum(of: bytes) == response.bodyChecksum
            else { throw CacheStoreFault(.damaged("a stored body")) }
            return HTTPBody(range == whole ? bytes : bytes[Int(range.lowerBound)..<Int(range.upperBound)])
        } catch let fault as CacheStoreFault {
            database.drop(id, fault)
            throw fault
        }
    }

    /// Creates a writer for an entry.
    ///
    /// - Throws: ``/HTTPChainCache/CacheStoreFault`` if the store is closed or suspended.
    package func makeWriter(
        for key: CacheKey,
        _ metadata: CacheMetadata,
        expecting length: Int64?
    ) async throws -> (any CacheWriter)? {
        try database.check()
        let empty = StoredResponse(metadata, bodyLength: 0, bodyChecksum: ContentChecksum())
        let room = bounds.entryBytes.bytes - Int64(StoredHead(key, empty).encoded.count)
        guard room >= 0, bounds.entryCount > 0, (length ?? 0) <= room else { return nil }
        let share = FlightShare(of: inFlight)
        return SQLiteCacheWriter(database, key: key, metadata: metadata, room: room, share)
    }

    /// Replaces the description of a stored body; removes the entry if that fails.
    ///
    /// - Throws: ``/HTTPChainCache/CacheStoreFault`` if it fails.
    package func update(_ entry: CacheEntry, to metadata: CacheMetadata) async throws -> CacheEntry? {
        try await database.change { try self.describe(entry, as: metadata) }
    }

    private func describe(_ entry: CacheEntry, as metadata: CacheMetadata) throws -> CacheEntry? {
        let id = Int64(bitPattern: entry.id.rawValue)
        let updated = entry.with(metadata)
        do {
            guard try database.update(id, entry.key, updated.response) else { return nil }
        } catch {
            // An entry that can't be updated must not be served with its old description.
            database.hide([id])
            _ = try? database.remove(.entry(entry.id))
            throw error
        }
        return updated
    }

    /// Removes entries, at least for this process if the database isn't writable.
    ///
    /// - Throws: ``/HTTPChainCache/CacheStoreFault`` if they could not be removed. This process then doesn't find them
    ///   anymore.
    @discardableResult
    package func remove(_ selection: CacheSelection) async throws -> Int {
        try await database.removeToEnd(selection)
    }

    /// Visits entries in batches of a hundred, skipping damaged ones.
    package func visit(_ selection: CacheSelection, _ visit: (CacheEntry) throws -> Bool) async throws {
        var last = Int64.min
        while true {
            let after = last
            let rows = try await database.run { [database] in
                try database.read { db in try CacheRow.fetch(selection, after: after, limit: 100, db) }
            }
            guard let end = rows.last?.id else { return }
            last = end
            for row in rows where !database.isHidden(row.id) {
                guard let entry = try? row.entry(), selection.contains(entry) else { continue }
                guard try visit(entry) else { return }
            }
        }
    }

    package func close() async { await database.close() }

    package func suspend() async { await database.suspend() }

    package func resume() { database.resume() }

    /// Returns the usage of the store: bodies and descriptions.
    package func usage() async throws -> CacheUsage {
        // Runs on the thread for changes, so that it includes the changes that were begun earlier.
        try await database.change { [database] in try database.read { db in try CacheSchema.usage(db) } }
    }
}

extension SQLiteStore: PlacedCacheStore {
    package var place: String { URL(fileURLWithPath: database.path).resolvingSymlinksInPath().path }
}
#endif
