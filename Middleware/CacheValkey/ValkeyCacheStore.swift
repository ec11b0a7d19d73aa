#if Valkey
import Foundation
public import HTTPChainCache
public import HTTPChainCore
public import HTTPChainValkey

/// Keeps responses in Valkey or Redis, for several machines; the trait `Valkey` brings it.
///
/// ```swift
/// let client = ValkeyClient(ValkeySettings(host: "valkey.internal"))
/// let store = ValkeyCacheStore(client, bounds: CacheBounds(totalBytes: .megabytes(500)))
/// let cache = CacheMiddleware(store: store, rules: CacheRules(mode: .shared))
/// ```
///
/// Machines whose stores have the same prefix share their entries: what one stores answers the calls of all, and what one
/// makes invalid is found by none, in one step. A response that was in flight on another machine meanwhile is not stored
/// after that.
///
/// - Bodies are divided into keys of ``ValkeyCacheOptions/blockSize``, each under a checksum that is compared before any
///   byte of it is handed out; they are written and read in constant memory.
/// - A response of up to 16 KiB that is the only one of its key comes with its description: a hit waits for the server once.
/// - Entries end by themselves, by the server's clock: when they are stale and have been for
///   ``ValkeyCacheOptions/staleRetention``. Ages are right also where the clocks of machines differ.
/// - A server that fails is a ``/HTTPChainCache/CacheStoreFault``: an event and a miss, never a failed call. After some
///   failures in a row it is left alone for a while (``ValkeyCacheOptions/pause``).
/// - What could not be made invalid is made so before this store asks for anything else.
public final class ValkeyCacheStore: CacheStore, BoundedCacheStore, InvalidationKeeping {
    /// The limits of what all machines store together.
    public let bounds: CacheBounds
    /// The entries that stages which use the store have made invalid, on this machine and on others.
    package let invalidations: InvalidationLog
    /// The number of pages of an index that are read: more than any server has.
    private static let pageLimit = 1_000_000
    private let server: CacheServer
    private let inFlight: FlightBudget

    /// Makes a store; nothing is connected yet.
    ///
    /// - Parameters:
    ///   - client: The connection, which other stores may use too.
    ///   - bounds: How much is stored at most, by all machines together; give each machine the same.
    ///   - options: The prefix of the keys, and how entries are kept.
    ///   - time: The clock that dates responses on this machine; the system's by default.
    public convenience init(
        _ client: ValkeyClient,
        bounds: CacheBounds,
        options: ValkeyCacheOptions = ValkeyCacheOptions(),
        time: some TimeSource = SystemTime()
    ) {
        self.init(client, bounds: bounds, options: options, time: time, invalidations: InvalidationLog())
    }

    /// Makes a store whose log of invalidations others use too.
    package init(
        _ client: ValkeyClient,
        bounds: CacheBounds,
        options: ValkeyCacheOptions,
        time: some TimeSource,
        invalidations: InvalidationLog
    ) {
        self.bounds = bounds
        self.invalidations = invalidations
        server = CacheServer(client, options, invalidations, time)
        inFlight = FlightBudget(limit: bounds.totalBytes.bytes)
    }

    /// "Valkey at" the address, and the bound.
    public var summary: String { "Valkey at \(server.address), up to \(bounds.totalBytes)" }

    /// The stored variants of a key.
    ///
    /// - Throws: ``/HTTPChainCache/CacheStoreFault`` when the server fails; `CancellationError`.
    public func variants(of key: CacheKey) async throws -> [CacheEntry] {
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

    /// The entry of an answer, with its times as this machine's clock would have shown them.
    private func entry(_ found: CacheServer.Found) throws(CacheStoreFault) -> CacheEntry? {
        guard let id = UInt64(found.id), CacheServer.ids.contains(id), let sealed = found.head else { return nil }
        guard let bytes = SealedBytes.open(sealed, name: found.id) else {
            throw CacheStoreFault(.damaged("a stored response"))
        }
        let head = try StoredHead(decoding: bytes)
        var response = head.response
        // No machine with these bounds has stored it.
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

    /// The content of an entry, which counts as a use of it.
    ///
    /// - Throws: ``/HTTPChainCache/CacheStoreFault`` when the server fails, or the content is damaged; `CancellationError`.
    public func body(of entry: CacheEntry, range: Range<Int64>?) async throws -> HTTPBody? {
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

    /// Begins to write an entry; nothing is sent yet.
    public func makeWriter(
        for key: CacheKey,
        _ metadata: CacheMetadata,
        expecting length: Int64?
    ) async throws -> (any CacheWriter)? {
        let empty = StoredResponse(metadata, bodyLength: 0, bodyChecksum: ContentChecksum())
        let room = bounds.entryBytes.bytes - Int64(StoredHead(key, empty).encoded.count)
        guard room >= 0, bounds.entryCount > 0, (length ?? 0) <= room else { return nil }
        return ValkeyCacheWriter(server, key: key, metadata: metadata, room: room, bounds, FlightShare(of: inFlight))
    }

    /// Gives a stored body a new description; an entry for which that fails is removed.
    ///
    /// - Throws: ``/HTTPChainCache/CacheStoreFault`` when it fails.
    public func update(_ entry: CacheEntry, to metadata: CacheMetadata) async throws -> CacheEntry? {
        let response = entry.response.with(metadata)
        let head = StoredHead(entry.key, response)
        do {
            guard Int64(head.encoded.count) + response.bodyLength <= bounds.entryBytes.bytes else {
                throw CacheStoreFault(.damaged("an entry that has grown too large"))
            }
            guard try await server.update("\(entry.id.rawValue)", head, bounds) else { return nil }
        } catch {
            // What cannot be described anew must not be served as it was described before.
            _ = try? await server.remove(.entry(entry.id))
            throw error
        }
        return CacheEntry(id: entry.id, key: entry.key, response: response)
    }

    /// Removes entries, for all machines, in one step.
    ///
    /// - Throws: ``/HTTPChainCache/CacheStoreFault`` when the server fails. The entries are removed before this store asks for
    ///   anything else; until then, other machines may find them.
    @discardableResult
    public func remove(_ selection: CacheSelection) async throws -> Int {
        try await server.remove(selection)
    }

    /// Shows entries, about a hundred at a time; those that are damaged are passed over.
    public func visit(_ selection: CacheSelection, _ visit: (CacheEntry) throws -> Bool) async throws {
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
            // A server may return empty pages, and one that always returns another is not one.
            pages += 1
            guard pages <= Self.pageLimit else { throw server.malformed }
            let names = try await server.names(selection, from: cursor)
            cursor = names.cursor
            // A cursor may show the same twice.
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

    /// Returns the usage of the store: bodies and descriptions of all machines.
    public func usage() async throws -> CacheUsage { try await server.usage() }
}

extension CacheStore where Self == ValkeyCacheStore {
    /// A store in Valkey or Redis.
    ///
    /// - Parameters:
    ///   - client: The connection, which other stores may use too.
    ///   - limit: Bodies and descriptions together, of all machines.
    public static func valkey(_ client: ValkeyClient, limit: ByteCount) -> ValkeyCacheStore {
        ValkeyCacheStore(client, bounds: CacheBounds(totalBytes: limit))
    }
}
#endif
