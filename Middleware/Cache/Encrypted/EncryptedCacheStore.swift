import Foundation
public import HTTPChainCache
public import HTTPChainCore

/// Encrypts another store with a key of the application.
///
/// The underlying store can't see content, fields, URLs, partitions, identifiers or classes of data: all are encrypted
/// with AES-256 in GCM (NIST SP 800-38D) under keys derived from the application's (HKDF, RFC 5869). It can see the
/// number of entries, their lengths and times of arrival, which of them have the same key, origin, partition,
/// identifier or class, and how often each is read.
///
/// - With another key, no entries are found, and the entries of this key aren't affected.
/// - A changed bit, a moved or truncated block, and a misplaced description are detected: the entry is a miss and is
///   removed. Content of more than 256 KiB is verified as it is read, in blocks of 16 KiB: if a later block is damaged,
///   the reader gets a ``/HTTPChainCache/CacheStoreFault`` instead of wrong bytes. Restoring data that was once stored
///   for the same key isn't detected.
/// - Ranges are read block by block. A partial response that continues a stored one is encrypted separately and
///   appended to it, if the underlying store supports that. Content encrypted with an old key is rewritten instead.
/// - To change the key, pass the old ones with the new one: entries with old keys are still found, and new entries are
///   encrypted with the new key. A validated response keeps its key until it is stored again.
/// - A removal by ``/HTTPChainCache/CacheSelection/all`` or ``/HTTPChainCache/CacheSelection/identifierPrefix(_:)``
///   visits all entries.
/// - An entry of more than 16 KiB replaces the previous one in two steps. Between them, a look-up of the key is a miss.
package final class EncryptedCacheStore: CacheStore, InvalidationKeeping, BodyAppending {
    /// The maximum number of old keys: 8; each key takes an additional look-up.
    package static let oldKeyLimit = 8

    /// The invalidations by all stages that use the store.
    package let invalidations: InvalidationLog
    let base: any CacheStore
    /// The cipher for new entries.
    let current: EntryCipher
    /// All ciphers for reading, the current one first.
    private let ciphers: [EntryCipher]
    private let bounds: CacheBounds?
    let inFlight: FlightBudget?

    /// Creates a store that encrypts another one.
    ///
    /// - Parameters:
    ///   - base: The store for encrypted entries, whose bounds apply. Other stores may share it with their own keys.
    ///   - key: The key for new entries.
    ///   - oldKeys: The keys of existing entries. Only the first ``oldKeyLimit`` are used.
    package init(over base: some CacheStore, key: EncryptionKey, oldKeys: [EncryptionKey] = []) {
        self.base = base.unwrapped
        current = EntryCipher(key)
        var seen: Set<EncryptionKey> = [key]
        let older = oldKeys.filter { seen.insert($0).inserted }.prefix(Self.oldKeyLimit)
        ciphers = [current] + older.map(EntryCipher.init)
        invalidations = (self.base as? any InvalidationKeeping)?.invalidations ?? InvalidationLog()
        bounds = (self.base as? any BoundedCacheStore)?.bounds
        inFlight = bounds.map { FlightBudget(limit: $0.totalBytes.bytes) }
    }

    /// Whether the underlying store respects deadlines.
    package var keepsDeadlines: Bool { base.keepsDeadlines }

    /// "Encrypted in" the underlying store.
    package var summary: String { "encrypted in \(base.summary)" }

    /// Whether content of this length may fit, after existing content of a sealed length.
    func takes(_ length: Int64, behind sealed: Int64 = 0) -> Bool {
        bounds.map { ContentCipher.sealedLength(length) <= $0.entryBytes.bytes - sealed } ?? true
    }

    // MARK: - Entries

    /// Returns the entry of this store for one of the underlying store.
    ///
    /// Content that was read with the entry stays encrypted.
    func outer(_ inner: CacheEntry, _ head: SealedHead, _ cipher: EntryCipher) -> CacheEntry {
        let sealed = SealedEntry(inner: inner.withoutContent, layout: head.layout, cipher: cipher)
        let response = StoredResponse(
            head.response.metadata,
            bodyLength: head.response.bodyLength,
            bodyChecksum: head.response.bodyChecksum,
            attachment: sealed
        )
        return CacheEntry(id: inner.id, key: head.key, response: response, content: inner.content)
    }

    /// Returns the original keys of evicted entries, except those of other encryption keys, which are unknown.
    func originals(_ keys: [CacheKey]) -> [CacheKey] {
        keys.compactMap { key in ciphers.lazy.compactMap { $0.original(key) }.first }
    }

    /// The result of opening an entry of the underlying store.
    private enum Opened {
        case entry(CacheEntry)
        /// The entry is being stored.
        case incomplete
        case damaged
        case anotherKeys
    }

    private func open(_ inner: CacheEntry) -> Opened {
        for cipher in ciphers {
            guard let sealed = cipher.sealed(inner) else { continue }
            guard let head = cipher.open(sealed, of: inner) else { return .damaged }
            return head.isComplete ? .entry(outer(inner, head, cipher)) : .incomplete
        }
        return .anotherKeys
    }

    /// Returns the stored variants of a key.
    ///
    /// - Throws: Errors of the underlying store; ``/HTTPChainCache/CacheStoreFault`` if everything stored is damaged.
    package func variants(of key: CacheKey) async throws -> [CacheEntry] {
        var entries: [CacheEntry] = []
        var fault: CacheStoreFault?
        for cipher in ciphers {
            for inner in try await base.variants(of: try cipher.key(key)) {
                switch open(inner) {
                case .entry(let entry):
                    let variant = entry.response.metadata.variant
                    // An entry of an old key may still exist in addition to a newer one.
                    guard entry.key == key, !entries.contains(where: { $0.response.metadata.variant == variant })
                    else { continue }
                    entries.append(entry)
                case .incomplete: continue
                case .damaged, .anotherKeys:
                    // The name was created by this encryption key, so the entry isn't another store's.
                    _ = try? await base.remove(.entry(inner.id))
                    fault = CacheStoreFault(.damaged("a stored response"))
                }
            }
        }
        if entries.isEmpty, let fault { throw fault }
        return entries
    }

    /// Returns the content of an entry; this counts as a use.
    ///
    /// - Throws: Errors of the underlying store; ``/HTTPChainCache/CacheStoreFault`` if the content is damaged.
    package func body(of entry: CacheEntry, range: Range<Int64>?) async throws -> HTTPBody? {
        guard let (_, sealed) = try await sealed(entry) else { return nil }
        let content = SealedContent(base: base, entry: sealed, read: entry.content)
        do {
            return try await content.body(range ?? 0..<entry.response.bodyLength)
        } catch let fault as CacheStoreFault {
            if case .damaged = fault.problem { _ = try? await base.remove(.entry(entry.id)) }
            throw fault
        }
    }

    /// Returns an entry with its encrypted form; `nil` if it is gone.
    private func sealed(_ entry: CacheEntry) async throws -> (CacheEntry, SealedEntry)? {
        if let sealed = entry.response.attachment as? SealedEntry { return (entry, sealed) }
        guard let found = try await variants(of: entry.key).first(where: { $0.id == entry.id }),
            let sealed = found.response.attachment as? SealedEntry
        else { return nil }
        return (found, sealed)
    }

    // MARK: - Changes

    /// Creates a writer for an entry.
    package func makeWriter(
        for key: CacheKey,
        _ metadata: CacheMetadata,
        expecting length: Int64?
    ) async throws -> (any CacheWriter)? {
        guard takes(max(0, length ?? 0)) else { return nil }
        let innerKey = try current.key(key)
        let layout = SealedLayout(salt: SealedHead.makeSalt(), length: 0)
        var pending = metadata
        // An empty part, whose description has the same size as that of the final part.
        if case .part(let range, let length) = metadata.content {
            pending.content = .part(range.lowerBound..<range.lowerBound, of: length)
        }
        let empty = StoredResponse(pending, bodyLength: 0, bodyChecksum: ContentChecksum())
        let head = SealedHead(key, empty, layout, isComplete: false)
        let sealed = try current.seal(head, as: innerKey)
        let sealedLength = length.map { ContentCipher.sealedLength(max(0, $0)) }
        guard let inner = try await base.makeWriter(for: innerKey, sealed, expecting: sealedLength) else { return nil }
        return EncryptedCacheWriter(
            self,
            over: inner,
            key,
            innerKey,
            metadata,
            salt: layout.segments[0].salt
        )
    }

    package func makeAppender(
        to entry: CacheEntry,
        _ metadata: CacheMetadata,
        expecting length: Int64?
    ) async throws -> (any CacheWriter)? {
        guard let store = base as? any BodyAppending, let (known, sealed) = try await sealed(entry),
            known.response.bodyLength == entry.response.bodyLength, sealed.cipher === current,
            metadata.variant == entry.response.metadata.variant,
            sealed.layout.segments.count < SealedLayout.maximumCount,
            // If a failed extension has left bytes, this store can't truncate them.
            sealed.inner.response.bodyLength == sealed.layout.sealedLength,
            takes(max(0, length ?? 0), behind: sealed.layout.sealedLength)
        else { return nil }
        // The description isn't changed until everything has been written.
        let inner = try await store.makeAppender(
            to: sealed.inner,
            sealed.inner.response.metadata,
            expecting: length.map { ContentCipher.sealedLength(max(0, $0)) }
        )
        guard let inner else { return nil }
        return EncryptedCacheWriter(
            self,
            over: inner,
            entry.key,
            sealed.inner.key,
            metadata,
            salt: SealedHead.makeSalt(),
            behind: (known.response, sealed.layout)
        )
    }

    /// Removes a variant encrypted with old keys.
    func removeOlder(_ variant: CacheVariant, of key: CacheKey) async throws {
        for cipher in ciphers.dropFirst() {
            let innerVariant = cipher.variant(variant)
            for inner in try await base.variants(of: try cipher.key(key))
            where inner.response.metadata.variant == innerVariant {
                try await base.remove(.entry(inner.id))
            }
        }
    }

    /// Replaces the description of a stored body, with the key that encrypted it.
    package func update(_ entry: CacheEntry, to metadata: CacheMetadata) async throws -> CacheEntry? {
        guard let (entry, sealed) = try await sealed(entry) else { return nil }
        let head = SealedHead(entry.key, entry.response.with(metadata), sealed.layout, isComplete: true)
        let inner = sealed.inner
        do {
            let description = try sealed.cipher.seal(head, as: inner.key)
            return try await base.update(inner, to: description).map { outer($0, head, sealed.cipher) }
        } catch {
            // An entry that can't be updated must not be served with its old description.
            _ = try? await base.remove(.entry(inner.id))
            throw error
        }
    }

    /// Removes entries encrypted with this store's keys, but not those of other keys.
    @discardableResult
    package func remove(_ selection: CacheSelection) async throws -> Int {
        if case .entry = selection { return try await base.remove(selection) }
        var count = 0
        var failure: (any Error)?
        for selection in try await removals(selection) {
            do { count += try await base.remove(selection) } catch { failure = error }
        }
        if let failure { throw failure }
        return count
    }

    /// Returns the removals to perform in the underlying store.
    private func removals(_ selection: CacheSelection) async throws -> [CacheSelection] {
        if let inner = try inner(selection) { return inner }
        var ids: [CacheEntryID] = []
        let isAll = selection == .all
        try await base.visit(isAll ? .all : .identifierPrefix("")) { entry in
            switch open(entry) {
            case .entry(let outer): if selection.contains(outer) { ids.append(entry.id) }
            case .incomplete, .damaged: if isAll { ids.append(entry.id) }
            case .anotherKeys: break
            }
            return true
        }
        return ids.map { .entry($0) }
    }

    /// The selections in the underlying store; `nil` if each entry must be opened.
    private func inner(_ selection: CacheSelection) throws -> [CacheSelection]? {
        switch selection {
        case .all, .identifierPrefix: nil
        case .key(let key): try ciphers.map { .key(try $0.key(key)) }
        case .url(let url): try ciphers.map { .url(try $0.url(url)) }
        case .identifier(let identifier): try ciphers.map { .identifier(try $0.identifier(identifier)) }
        case .classification(let name): ciphers.map { .classification($0.classification(name)) }
        case .origin(let origin): ciphers.compactMap { Origin($0.origin(origin)).map { .origin($0) } }
        case .partition(let partition): try ciphers.map { .partition(try $0.partition(partition)) }
        case .entry: [selection]
        }
    }

    /// Visits entries encrypted with this store's keys, skipping damaged ones.
    package func visit(_ selection: CacheSelection, _ visit: (CacheEntry) throws -> Bool) async throws {
        let beneath: [CacheSelection]
        switch selection {
        case .all: beneath = [.all]
        case .identifierPrefix: beneath = [.identifierPrefix("")]
        default: beneath = try inner(selection) ?? []
        }
        var goesOn = true
        for inner in beneath where goesOn {
            try await base.visit(inner) { entry in
                guard case .entry(let outer) = open(entry), selection.contains(outer) else { return true }
                goesOn = try visit(outer)
                return goesOn
            }
        }
    }

    /// Returns the usage of the underlying store.
    package func usage() async throws -> CacheUsage { try await base.usage() }
}

extension CacheStore where Self == BuiltInCacheStore {
    /// Encrypts another store with a key of the application.
    ///
    /// The underlying store can't see content, fields, URLs, partitions, identifiers or classes of data: all are
    /// encrypted with AES-256 in GCM (NIST SP 800-38D) under keys derived from the application's (HKDF, RFC 5869).
    ///
    /// To change the key, pass the old ones with the new one: entries with old keys are still found, and new entries are
    /// encrypted with the new key. A validated response keeps its key until it is stored again.
    ///
    /// - Parameters:
    ///   - base: The store for encrypted entries, whose bounds apply. Other stores may share it with their own keys.
    ///   - key: The key for new entries.
    ///   - oldKeys: The keys of existing entries. Only the first 8 are used, because each takes an additional look-up.
    public static func encrypted(
        _ base: some CacheStore,
        key: EncryptionKey,
        oldKeys: [EncryptionKey] = []
    ) -> BuiltInCacheStore {
        BuiltInCacheStore(EncryptedCacheStore(over: base, key: key, oldKeys: oldKeys))
    }
}
