#if Valkey
import Foundation
public import HTTPChainCache
public import HTTPChainCore
public import HTTPChainValkey

/// Stores responses in Valkey or Redis for several machines; requires the trait `Valkey`.
///
/// Machines whose stores have the same prefix share their entries. A response stored by one machine serves the calls of
/// all, and an invalidation by one applies to all, atomically. A response that was in flight on another machine at that
/// time is not stored afterwards.
///
/// - Bodies are divided into keys of ``ValkeyCacheOptions/blockSize``. Each has a checksum that is verified before any
///   byte of it is returned. Bodies are written and read in constant memory.
/// - If a key has a single response of up to 16 KiB, it is returned with its description, so that a hit waits for the
///   server only once.
/// - Entries expire by the server's clock, when they have been stale for ``ValkeyCacheOptions/staleRetention``. Ages
///   are correct even if the machines' clocks differ.
/// - Server failures are thrown as ``/HTTPChainCache/CacheStoreFault``, which the cache treats as an event and a miss,
///   never as a failed call. After several failures in a row, requests pause for a while
///   (``ValkeyCacheOptions/pause``).
/// - A failed invalidation is repeated before any other request of this store.
package final class ValkeyCacheStore: CacheStore, BoundedCacheStore, InvalidationKeeping {
    /// The limits for the entries of all machines together.
    package let bounds: CacheBounds
    /// The invalidations by all stages that use the store, on this machine and on others.
    package let invalidations: InvalidationLog
    /// The maximum number of pages of an index; it allows for more than any server has.
    private static let pageLimit = 1_000_000
    private let server: CacheServer
    private let inFlight: FlightBudget

    /// Creates a store without connecting yet.
    ///
    /// - Parameters:
    ///   - client: The connection, which other stores may share.
    ///   - bounds: The limits for the entries of all machines together; use the same on each machine.
    ///   - options: The prefix of the keys, and the storage options.
    ///   - time: The clock that dates responses on this machine; the system's by default.
    package init(
        _ client: ValkeyClient,
        bounds: CacheBounds,
        options: ValkeyCacheOptions = ValkeyCacheOptions(),
        time: some TimeSource = SystemTime(),
        invalidations: InvalidationLog = InvalidationLog()
    ) {
        self.bounds = bounds
        self.invalidations = invalidations
        server = CacheServer(client, options, invalidations, time)
        inFlight = FlightBudget(limit: bounds.totalBytes.bytes)
    }

    /// "Valkey at" the address, and the limit.
    package var summary: String { "Valkey at \(server.address), up to \(bounds.totalBytes)" }

    /// Returns the stored variants of a key.
    ///
    /// - Throws: ``/HTTPChainCache/CacheStoreFault`` if the server fails; `CancellationError`.
    package func variants(of key: CacheKey) async throws -> [CacheEntry] {
        var entries: [CacheEntry] = []
        var fault: CacheStoreFault?
        for found in try await server.lookUp(key.encoded) {
            do {
                if let entry = try entry(found), entry.key == key { entries.append(entry) }
            } catch {
                fault = error
                if case .damaged = error.problem { await drop(found.id) }
            }
        }
        if entries.isEmpty, let fault { throw fault }
        return entries
    }

    /// Returns the entry of a reply, with its times converted to this machine's clock.
    private func entry(_ found: CacheServer.Found) throws(CacheStoreFault) -> CacheEntry? {
        guard let id = UInt64(found.id), CacheServer.ids.contains(id), let sealed = found.head else { return nil }
        guard let bytes = SealedBytes.open(sealed, name: found.id) else {
            throw CacheStoreFault(.damaged("a stored response"))
        }
        let head = try StoredHead(decoding: bytes)
        var response = head.response
        // No machine with the same bounds could have stored this response.
        guard response.bodyLength <= bounds.totalBytes.bytes else {
            throw CacheStoreFault(.damaged("a stored response"))
        }
        if let theirs = found.clock, let shift = server.clock.reading?.shift(from: theirs), shift != 0 {
            var metadata = response.metadata
            metadata.requestTime += shift
            metadata.responseTime += shift
            response = response.with(metadata)
        }
        return CacheEntry(
            id: CacheEntryID(rawValue: id),
            key: head.key,
            response: response,
            content: found.content
                .flatMap { StoredBlocks.opened([$0], of: found.id, as: response) }
                .map { StoredContent($0, removals: found.removals) }
        )
    }

    private func drop(_ id: String) async {
        guard let id = UInt64(id) else { return }
        _ = try? await server.remove(.entry(CacheEntryID(rawValue: id)))
    }

    /// Returns the content of an entry; this counts as a use.
    ///
    /// - Throws: ``/HTTPChainCache/CacheStoreFault`` if the server fails or the content is damaged;
    ///   `CancellationError`.
    package func body(of entry: CacheEntry, range: Range<Int64>?) async throws -> HTTPBody? {
        let blocks = StoredBlocks(server: server, id: "\(entry.id.rawValue)", response: entry.response)
        let range = range ?? 0..<entry.response.bodyLength
        if let content = entry.content, content.removals == server.removals,
            Int64(content.bytes.count) == entry.response.bodyLength
        {
            server.use("\(entry.id.rawValue)")
            return HTTPBody(content.bytes[Int(range.lowerBound)..<Int(range.upperBound)])
        }
        do {
            return try await blocks.body(range)
        } catch let fault as CacheStoreFault {
            if case .damaged = fault.problem { await drop("\(entry.id.rawValue)") }
            throw fault
        }
    }

    /// Creates a writer for an entry without sending anything yet.
    package func makeWriter(
        for key: CacheKey,
        _ metadata: CacheMetadata,
        expecting length: Int64?
    ) async throws -> (any CacheWriter)? {
        let empty = StoredResponse(metadata, bodyLength: 0, bodyChecksum: ContentChecksum())
        let room = bounds.entryBytes.bytes - Int64(StoredHead(key, empty).encoded.count)
        guard room >= 0, bounds.entryCount > 0, (length ?? 0) <= room else { return nil }
        return ValkeyCacheWriter(server, key: key, metadata: metadata, room: room, bounds, FlightShare(of: inFlight))
    }

    /// Replaces the description of a stored body; if that fails, removes the entry.
    ///
    /// - Throws: ``/HTTPChainCache/CacheStoreFault`` if it fails.
    package func update(_ entry: CacheEntry, to metadata: CacheMetadata) async throws -> CacheEntry? {
        let response = entry.response.with(metadata)
        let head = StoredHead(entry.key, response)
        do {
            guard Int64(head.encoded.count) + response.bodyLength <= bounds.entryBytes.bytes else {
                throw CacheStoreFault(.damaged("an entry that has grown too large"))
            }
            guard try await server.update("\(entry.id.rawValue)", head, bounds) else { return nil }
        } catch {
            // An entry that can't be updated must not be served with its old description.
            _ = try? await server.remove(.entry(entry.id))
            throw error
        }
        return CacheEntry(id: entry.id, key: entry.key, response: response)
    }

    /// Removes entries for all machines, atomically.
    ///
    /// - Throws: ``/HTTPChainCache/CacheStoreFault`` if the server fails. The removal is repeated before any other
    ///   request of this store; until then, other machines may find the entries.
    @discardableResult
    package func remove(_ selection: CacheSelection) async throws -> Int {
        try await server.remove(selection)
    }

    /// Visits entries in batches of about a hundred, skipping damaged ones.
    package func visit(_ selection: CacheSelection, _ visit: (CacheEntry) throws -> Bool) async throws {
        if case .key(let key) = selection {
            for entry in try await variants(of: key) { guard try visit(entry) else { return } }
            return
        }
        if case .entry(let id) = selection {
            try await show(["\(id.rawValue)"], selection, visit)
            return
        }
        var seen: Set<String> = []
        var cursor = "0"
        var pages = 0
        repeat {
            // A server may return some empty pages, but not infinitely many.
            pages += 1
            guard pages <= Self.pageLimit else { throw server.malformed }
            let names = try await server.names(selection, from: cursor)
            cursor = names.cursor
            // A cursor may return an entry twice.
            let new = names.ids.filter { seen.insert($0).inserted }
            if !new.isEmpty { guard try await show(new, selection, visit) else { return } }
        } while cursor != "0"
    }

    @discardableResult
    private func show(
        _ ids: [String],
        _ selection: CacheSelection,
        _ visit: (CacheEntry) throws -> Bool
    ) async throws -> Bool {
        for start in stride(from: 0, to: ids.count, by: 100) {
            for found in try await server.describe(Array(ids[start..<min(start + 100, ids.count)])) {
                guard let entry = try? entry(found), selection.contains(entry) else { continue }
                guard try visit(entry) else { return false }
            }
        }
        return true
    }

    /// Returns the usage of the store: the bodies and descriptions of all machines.
    package func usage() async throws -> CacheUsage { try await server.usage() }
}

extension CacheStore where Self == BuiltInCacheStore {
    /// Stores responses in Valkey or Redis for several machines; requires the trait `Valkey`.
    ///
    /// - Parameters:
    ///   - client: The connection, which other stores may share.
    ///   - limit: The maximum total size of bodies and descriptions of all machines.
    ///   - options: The prefix of the keys, and the times for which stale entries are kept.
    public static func valkey(
        _ client: ValkeyClient,
        limit: ByteCount,
        options: ValkeyCacheOptions = ValkeyCacheOptions()
    ) -> BuiltInCacheStore {
        valkey(client, bounds: CacheBounds(totalBytes: limit), options: options)
    }

    /// Stores responses in Valkey or Redis for several machines, within bounds.
    ///
    /// ```swift
    /// let client = ValkeyClient(ValkeySettings(host: "valkey.internal"))
    /// let cache = CacheMiddleware(
    ///     store: .valkey(client, limit: .megabytes(500)),
    ///     rules: CacheRules(mode: .shared)
    /// )
    /// ```
    ///
    /// Machines whose stores have the same prefix share their entries. A response stored by one machine serves the
    /// calls of all, and an invalidation by one applies to all, atomically. Entries expire by the server's clock.
    ///
    /// - Parameters:
    ///   - client: The connection, which other stores may share.
    ///   - bounds: The limits for the entries of all machines together; use the same on each machine.
    ///   - options: The prefix of the keys, and the times for which stale entries are kept.
    ///   - time: The clock that dates responses on this machine; the system's by default.
    public static func valkey(
        _ client: ValkeyClient,
        bounds: CacheBounds,
        options: ValkeyCacheOptions = ValkeyCacheOptions(),
        time: some TimeSource = SystemTime()
    ) -> BuiltInCacheStore {
        BuiltInCacheStore(ValkeyCacheStore(client, bounds: bounds, options: options, time: time))
    }
}
#endif
