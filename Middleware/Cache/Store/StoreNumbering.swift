import Foundation

/// Converts between the identifiers of a composition of stores and those of its stores.
///
/// The former consist of the store's identifier and the store's index.
struct StoreNumbering: Sendable {
    let count: UInt64

    init(_ count: Int) {
        self.count = UInt64(max(1, count))
    }

    /// The entry with the composition's identifier.
    func outer(_ entry: CacheEntry, from place: Int) -> CacheEntry {
        let id = CacheEntryID(rawValue: entry.id.rawValue &* count &+ UInt64(place))
        return CacheEntry(id: id, key: entry.key, response: entry.response, content: entry.content)
    }

    /// The index of an entry's store.
    func place(of id: CacheEntryID) -> Int { Int(id.rawValue % count) }

    /// The store's own identifier of an entry.
    func inner(_ id: CacheEntryID) -> CacheEntryID { CacheEntryID(rawValue: id.rawValue / count) }

    /// The entry with its store's identifier.
    func inner(_ entry: CacheEntry) -> CacheEntry {
        CacheEntry(id: inner(entry.id), key: entry.key, response: entry.response, content: entry.content)
    }
}

/// Writes into one store of a composition.
final class ComposedCacheWriter: FlightLimitedWriter {
    private let inner: any CacheWriter
    private let prepare: @Sendable () async -> Void
    private let finish: @Sendable (CacheCommit) async throws -> CacheCommit

    /// - Parameters:
    ///   - inner: The store's own writer.
    ///   - prepare: A closure that runs before the store makes room for the entry.
    ///   - finish: A closure that converts the store's result to the composition's.
    init(
        _ inner: any CacheWriter,
        beforeCommit prepare: @escaping @Sendable () async -> Void = {},
        finish: @escaping @Sendable (CacheCommit) async throws -> CacheCommit
    ) {
        self.inner = inner
        self.prepare = prepare
        self.finish = finish
    }

    var hasSpentBudget: Bool { (inner as? any FlightLimitedWriter)?.hasSpentBudget ?? false }

    func write(_ chunk: Data) async throws -> Bool { try await inner.write(chunk) }

    func commit() async throws -> CacheCommit {
        await prepare()
        return try await finish(try await inner.commit())
    }

    func abandon() async { await inner.abandon() }
}
