import Foundation
import HTTPChainCore
import HTTPTypes

/// The stored responses of a cache, with the log of invalidations, and the events about the store.
///
/// A failure of the store is reported as an event, not as an error, except by functions that throw.
final class CacheContents: Sendable {
    let store: any CacheStore
    let log: InvalidationLog
    let events: CacheEvents

    init(_ store: any CacheStore, events: CacheEvents) {
        self.store = store
        self.events = events
        log = (store as? any InvalidationKeeping)?.invalidations ?? InvalidationLog()
    }

    // MARK: - Lookup

    /// Returns the stored responses that may serve a request; none if the store fails.
    nonisolated(nonsending) func variants(for question: CacheQuestion) async -> [CacheEntry] {
        guard let key = question.key, question.settings.use != .off, !question.isContentUnknown else { return [] }
        do {
            let entries = try await invalidatingSuperseded(store.variants(of: key), of: key)
            let content = question.content
            let isOfContent = { (entry: CacheEntry) in entry.response.metadata.variant.isOf(content: content) }
            return entries.allSatisfy(isOfContent) ? entries : entries.filter(isOfContent)
        } catch {
            tell(error, of: key)
            return []
        }
    }

    /// Invalidates the entries that a newer response superseded without being stored, RFC 9111 §4.3.3.
    private nonisolated(nonsending) func invalidatingSuperseded(
        _ entries: [CacheEntry],
        of key: CacheKey
    ) async throws -> [CacheEntry] {
        guard let superseded = log.superseded(of: key) else { return entries }
        var variants: [CacheEntry] = []
        for entry in entries {
            if let metadata = superseded.invalidated(entry) {
                if let updated = try await store.update(entry, to: metadata) { variants.append(updated) }
            } else {
                variants.append(entry)
            }
        }
        log.forget(superseded, of: key)
        return variants
    }

    /// Returns the variants that the next call would find.
    func currentVariants(of key: CacheKey) async throws -> [CacheEntry] {
        let entries = try await store.variants(of: key)
        guard let superseded = log.superseded(of: key) else { return entries }
        return entries.map { entry in
            superseded.invalidated(entry).map { entry.with($0) } ?? entry
        }
    }

    /// Returns the stored content of a response; nil if it is gone.
    nonisolated(nonsending) func body(of answer: CacheAnswer) async -> HTTPBody? {
        var range: Range<Int64>?
        if case .part(let wanted, _) = answer.form {
            var offset: Int64 = 0
            if case .part(let held, _) = answer.entry.response.metadata.content { offset = held.lowerBound }
            let stored = (wanted.lowerBound - offset)..<(wanted.upperBound - offset)
            // A third-party store may return an entry whose description and body don't match.
            guard stored.lowerBound >= 0, stored.upperBound <= answer.entry.response.bodyLength else {
                events.emit(.storeFailure(answer.entry.key, CacheStoreFault(.damaged("a stored response"))))
                return nil
            }
            range = stored
        }
        do {
            return try await store.body(of: answer.entry, range: range)
        } catch {
            tell(error, of: answer.entry.key)
            return nil
        }
    }

    /// Reports a failed lookup, unless the call is cancelled.
    private func tell(_ error: any Error, of key: CacheKey) {
        if !(error is CancellationError || Task.isCancelled) { events.emit(.storeFailure(key, error)) }
    }

    // MARK: - Changes

    /// Changes the descriptions of entries; entries without a new description are unchanged.
    func update(_ updates: [(entry: CacheEntry, metadata: CacheMetadata?)]) async {
        for (entry, metadata) in updates {
            guard let metadata else { continue }
            do {
                _ = try await store.update(entry, to: metadata)
            } catch {
                events.emit(.storeFailure(entry.key, error))
            }
        }
    }

    /// Removes entries that may not be stored with the server's latest fields, RFC 9111 §3.
    func removeForbidden(_ updates: [(entry: CacheEntry, metadata: CacheMetadata?)]) async {
        for (entry, metadata) in updates where metadata == nil { await discard(.entry(entry.id)) }
    }

    /// Invalidates entries, and responses in flight for them.
    func invalidate(_ selection: CacheSelection) async {
        log.note(selection)
        await discard(selection)
    }

    /// Removes entries.
    func discard(_ selection: CacheSelection) async {
        do {
            let count = try await store.remove(selection)
            if count > 0 { events.emit(.invalidated(selection, count: count)) }
        } catch {
            events.emit(.storeFailure(nil, error))
        }
    }
}
