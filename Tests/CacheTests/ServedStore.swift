#if AllTests && Valkey
import Foundation
import HTTPChainCache
import HTTPChainCacheValkey
import HTTPChainCore
import HTTPChainValkey
import TestSupport
import ValkeyServer

/// A store in a server that is started with the first use of it, and ends with the last store that uses it.
final class ServedStore: CacheStore, InvalidationKeeping {
    let invalidations = InvalidationLog()

    private actor Servers {
        static let shared = Servers()
        private weak var server: Server?
        private var starting: Task<Server, any Error>?

        func current() async throws -> Server {
            if let server { return server }
            if let starting { return try await starting.value }
            let task = Task { try await Server.started() }
            starting = task
            defer { starting = nil }
            let started = try await task.value
            server = started
            return started
        }
    }

    private let bounds: CacheBounds
    private let prefix: String
    private let made = Locked<(store: ValkeyCacheStore, server: Server)?>(nil)

    init(bounds: CacheBounds, prefix: String) {
        self.bounds = bounds
        self.prefix = prefix
    }

    private func store() async throws -> ValkeyCacheStore {
        if let made = made.withLock({ $0 }) { return made.store }
        let server = try await Servers.shared.current()
        var options = ValkeyCacheOptions()
        options.prefix = prefix
        let store = ValkeyCacheStore(
            ValkeyClient(server.settings),
            bounds: bounds,
            options: options,
            time: SystemTime(),
            invalidations: invalidations
        )
        return made.withLock { made in
            let used = made ?? (store, server)
            made = used
            return used.store
        }
    }

    var summary: String { "Valkey" }

    func variants(of key: CacheKey) async throws -> [CacheEntry] { try await store().variants(of: key) }

    func body(of entry: CacheEntry, range: Range<Int64>?) async throws -> HTTPBody? {
        try await store().body(of: entry, range: range)
    }

    func makeWriter(
        for key: CacheKey,
        _ metadata: CacheMetadata,
        expecting length: Int64?
    ) async throws -> (any CacheWriter)? {
        try await store().makeWriter(for: key, metadata, expecting: length)
    }

    func update(_ entry: CacheEntry, to metadata: CacheMetadata) async throws -> CacheEntry? {
        try await store().update(entry, to: metadata)
    }

    @discardableResult
    func remove(_ selection: CacheSelection) async throws -> Int { try await store().remove(selection) }

    func visit(_ selection: CacheSelection, _ visit: (CacheEntry) throws -> Bool) async throws {
        try await store().visit(selection, visit)
    }

    func usage() async throws -> CacheUsage { try await store().usage() }
}
#endif
