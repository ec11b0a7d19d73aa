#if AllTests
import HTTPChainCache
import HTTPChainCore

/// A store around one in memory: it declares what it does differently, and leaves the rest to the other.
protocol WrappedStore: CacheStore {
    var base: MemoryCacheStore { get }
}

extension WrappedStore {
    var summary: String { base.summary }

    func variants(of key: CacheKey) async throws -> [CacheEntry] { await base.variants(of: key) }

    func body(of entry: CacheEntry, range: Range<Int64>?) async throws -> HTTPBody? {
        await base.body(of: entry, range: range)
    }

    func makeWriter(
        for key: CacheKey,
        _ metadata: CacheMetadata,
        expecting length: Int64?
    ) async throws -> (any CacheWriter)? { await base.makeWriter(for: key, metadata, expecting: length) }

    func update(_ entry: CacheEntry, to metadata: CacheMetadata) async throws -> CacheEntry? {
        await base.update(entry, to: metadata)
    }

    func remove(_ selection: CacheSelection) async throws -> Int { await base.remove(selection) }

    func visit(_ selection: CacheSelection, _ visit: (CacheEntry) throws -> Bool) async throws {
        try await base.visit(selection, visit)
    }

    func usage() async throws -> CacheUsage { await base.usage() }
}
#endif
