import Foundation
import HTTPChainCore

/// The destination of a complete response; it checks what has happened there since the request was sent.
struct CommitPlace: Sendable {
    let contents: CacheContents
    let exchange: CacheExchange
    let metadata: CacheMetadata
    let rules: CacheRules

    /// The reason why the response must no longer be stored; `nil` if it may be stored.
    func obstacle(_ key: CacheKey) async -> String? {
        guard contents.log.isCurrent(key.url, since: exchange.stamp) else {
            return "it was invalidated while it arrived, RFC 9111 §4.4"
        }
        // If part of the content was requested again, it may have come with another user's credentials.
        guard await exchange.isStillOwned(key) else { return CacheExchange.disowned }
        // If nothing else was committed in the meantime, no look-up is needed.
        guard contents.log.commits != exchange.commits, await isOutrun(key) else { return nil }
        return "a newer response arrived meanwhile, RFC 9111 §4"
    }

    /// Whether a newer response was stored after this one was requested, because the most recent response is used.
    private func isOutrun(_ key: CacheKey) async -> Bool {
        guard let variants = try? await contents.store.variants(of: key) else { return false }
        let rivals = variants.lazy.map(\.response).filter {
            $0.metadata.responseTime > exchange.sentAt && $0.metadata.variant == metadata.variant
        }
        guard !rivals.isEmpty else { return false }
        let own = StoredResponse(metadata, bodyLength: 0, bodyChecksum: ContentChecksum())
        return rivals.contains { own.isOlder(than: $0) }
    }

    /// Invalidates the responses that are superseded by a response that the store refuses in the end.
    func supersede() async throws {
        for (entry, metadata) in superseded { _ = try await contents.store.update(entry, to: metadata) }
    }

    /// Makes the next look-up invalidate the responses that are superseded by this one.
    func supersedeLater() { contents.log.noteSuperseded(superseded.map(\.entry)) }

    private var superseded: [(entry: CacheEntry, metadata: CacheMetadata)] {
        guard case .complete = metadata.content else { return [] }
        return rules.superseded(by: metadata.head, to: exchange.question, among: exchange.variants)
    }

    /// Whether a committed entry may stay; if it was invalidated after the last check, removes it.
    func keeps(_ entry: CacheEntry) async throws -> Bool {
        contents.log.noteCommit()
        guard !contents.log.isCurrent(entry.key.url, since: exchange.stamp) else { return true }
        try await contents.store.remove(.entry(entry.id))
        return false
    }
}
