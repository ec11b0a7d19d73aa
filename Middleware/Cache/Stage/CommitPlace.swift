import Foundation
import HTTPChainCore

/// Where a response goes when it is complete, and what may have happened there since it was asked for.
struct CommitPlace: Sendable {
    let store: any CacheStore
    let log: InvalidationLog
    let stamp: UInt64
    let commits: UInt64
    let sentAt: Date
    let metadata: CacheMetadata
    private let exchange: CacheMiddleware.Exchange

    init(
        store: any CacheStore,
        log: InvalidationLog,
        exchange: CacheMiddleware.Exchange,
        metadata: CacheMetadata
    ) {
        self.store = store
        self.log = log
        self.metadata = metadata
        self.exchange = exchange
        stamp = exchange.stamp
        commits = exchange.commits
        sentAt = exchange.sentAt
    }

    /// Why the response must not be stored any more; `nil` when it may.
    func obstacle(_ key: CacheKey) async -> String? {
        guard log.isCurrent(key.url, since: stamp) else {
            return "it was made invalid while it arrived, RFC 9111 §4.4"
        }
        // A part of it that was asked for again may have come with the credentials of another user.
        guard await exchange.isStillOwned(key) else { return CacheMiddleware.Exchange.disowned }
        // Nothing was stored meanwhile: there is no need to look.
        guard log.commits != commits, await isOutrun(key) else { return nil }
        return "a newer answer came meanwhile, RFC 9111 §4"
    }

    /// Whether an answer that arrived after this one was asked for is newer: of several the most recent is used.
    private func isOutrun(_ key: CacheKey) async -> Bool {
        guard let variants = try? await store.variants(of: key) else { return false }
        let rivals = variants.lazy.map(\.response).filter {
            $0.metadata.responseTime > sentAt && $0.metadata.variant == metadata.variant
        }
        guard !rivals.isEmpty else { return false }
        let own = StoredResponse(metadata, bodyLength: 0, bodyChecksum: ContentChecksum())
        return rivals.contains { own.isOlder(than: $0) }
    }

    /// Whether what was just committed stays: what was made invalid after the last look goes again.
    func keeps(_ entry: CacheEntry) async throws -> Bool {
        log.noteCommit()
        guard !log.isCurrent(entry.key.url, since: stamp) else { return true }
        try await store.remove(.entry(entry.id))
        return false
    }
}
