import Foundation
package import HTTPChainCore
import HTTPChainSupport

/// Divides entries among stores by the class of their data.
///
/// A call sets its class with ``CacheSettings/classification``. Entries without a class, or of a class without its own
/// store, are in the store for all others. Several classes may share a store. Each store has its own bounds. A response
/// replaces the previous variant even if that had another class.
package final class DividedCacheStore: CacheStore, InvalidationKeeping, BodyAppending {
    /// The invalidations by all stages that use the store or one of its parts.
    package let invalidations = InvalidationLog()
    private let stores: [any CacheStore]
    private let places: [ExactText: Int]
    private let numbering: StoreNumbering

    /// Creates a store that divides entries.
    ///
    /// - Parameters:
    ///   - classes: The stores of classes.
    ///   - others: The store of all other entries.
    package init(_ classes: [String: any CacheStore], others: some CacheStore) {
        var stores: [any CacheStore] = [others.unwrapped]
        var places: [ExactText: Int] = [:]
        for (name, store) in classes.mapValues(\.unwrapped).sorted(by: { $0.key < $1.key }) {
            // If one store were used under two names, it would remove its own entries.
            let known = stores.firstIndex { Self.haveSameEntries($0, store) }
            places[ExactText(name)] = known ?? stores.count
            if known == nil { stores.append(store) }
        }
        self.stores = stores
        self.places = places
        numbering = StoreNumbering(stores.count)
        for case let store as any InvalidationKeeping in stores { invalidations.join(store.invalidations) }
    }

    /// Whether all stores respect deadlines.
    package var keepsDeadlines: Bool { stores.allSatisfy(\.keepsDeadlines) }

    /// The stores with their classes.
    package var summary: String {
        let classes = places.sorted { $0.key.text < $1.key.text }.map { "\($0.key.text): \(stores[$0.value].summary)" }
        return (classes + ["others: \(stores[0].summary)"]).joined(separator: "; ")
    }

    private static func haveSameEntries(_ one: any CacheStore, _ other: any CacheStore) -> Bool {
        if one as AnyObject === other as AnyObject { return true }
        guard let one = one as? any PlacedCacheStore, let other = other as? any PlacedCacheStore else { return false }
        return one.place.hasSameBytes(as: other.place)
    }

    private func place(of classification: String?) -> Int { classification.flatMap { places[ExactText($0)] } ?? 0 }

    /// Returns the stored variants of a key from all stores; a failing store is ignored if another one has an entry.
    package func variants(of key: CacheKey) async throws -> [CacheEntry] {
        var entries: [CacheEntry] = []
        var failure: (any Error)?
        for (place, store) in stores.enumerated() {
            do {
                for entry in try await store.variants(of: key) { entries.append(numbering.outer(entry, from: place)) }
            } catch {
                failure = error
            }
        }
        if entries.isEmpty, let failure { throw failure }
        return entries
    }

    /// Returns the content of an entry from its store.
    package func body(of entry: CacheEntry, range: Range<Int64>?) async throws -> HTTPBody? {
        try await stores[numbering.place(of: entry.id)].body(of: numbering.inner(entry), range: range)
    }

    /// Creates a writer for an entry in the store of its class.
    package func makeWriter(
        for key: CacheKey,
        _ metadata: CacheMetadata,
        expecting length: Int64?
    ) async throws -> (any CacheWriter)? {
        let place = place(of: metadata.classification)
        guard let writer = try await stores[place].makeWriter(for: key, metadata, expecting: length) else { return nil }
        return composed(writer, key, metadata, place)
    }

    package func makeAppender(
        to entry: CacheEntry,
        _ metadata: CacheMetadata,
        expecting length: Int64?
    ) async throws -> (any CacheWriter)? {
        let place = numbering.place(of: entry.id)
        guard place == self.place(of: metadata.classification), let store = stores[place] as? any BodyAppending,
            let writer = try await store.makeAppender(to: numbering.inner(entry), metadata, expecting: length)
        else { return nil }
        return composed(writer, entry.key, metadata, place)
    }

    private func composed(
        _ writer: any CacheWriter,
        _ key: CacheKey,
        _ metadata: CacheMetadata,
        _ place: Int
    ) -> ComposedCacheWriter {
        ComposedCacheWriter(writer) { [self] commit in
            guard let entry = commit.entry else { return commit }
            try await removeVariant(metadata.variant, of: key, except: place)
            return CacheCommit(entry: numbering.outer(entry, from: place), evicted: commit.evicted)
        }
    }

    private func removeVariant(_ variant: CacheVariant, of key: CacheKey, except kept: Int) async throws {
        for (place, store) in stores.enumerated() where place != kept {
            for entry in try await store.variants(of: key) where entry.response.metadata.variant == variant {
                try await store.remove(.entry(entry.id))
            }
        }
    }

    /// Replaces the description of a stored body; if the class changes, removes the entry instead.
    package func update(_ entry: CacheEntry, to metadata: CacheMetadata) async throws -> CacheEntry? {
        let place = numbering.place(of: entry.id)
        let own = numbering.inner(entry)
        guard self.place(of: metadata.classification) == place else {
            try await stores[place].remove(.entry(own.id))
            return nil
        }
        return try await stores[place].update(own, to: metadata).map { numbering.outer($0, from: place) }
    }

    /// Removes entries from all stores, even if one of them fails.
    @discardableResult
    package func remove(_ selection: CacheSelection) async throws -> Int {
        if case .entry(let id) = selection {
            return try await stores[numbering.place(of: id)].remove(.entry(numbering.inner(id)))
        }
        var count = 0
        var failure: (any Error)?
        for store in stores {
            do { count += try await store.remove(selection) } catch { failure = error }
        }
        if let failure { throw failure }
        return count
    }

    /// Visits the entries of all stores.
    package func visit(_ selection: CacheSelection, _ visit: (CacheEntry) throws -> Bool) async throws {
        if case .entry(let id) = selection {
            let place = numbering.place(of: id)
            try await stores[place].visit(.entry(numbering.inner(id))) { try visit(numbering.outer($0, from: place)) }
            return
        }
        var goesOn = true
        for (place, store) in stores.enumerated() where goesOn {
            try await store.visit(selection) { entry in
                goesOn = try visit(numbering.outer(entry, from: place))
                return goesOn
            }
        }
    }

    /// Returns the total usage of the stores.
    package func usage() async throws -> CacheUsage {
        var usage = CacheUsage()
        for store in stores { usage += try await store.usage() }
        return usage
    }
}

/// A store with a location that another store may use too.
package protocol PlacedCacheStore: CacheStore {
    /// The path of the location, without symbolic links; stores with the same path have the same entries.
    var place: String { get }
}

extension FileCacheStore: PlacedCacheStore {
    package var place: String { URL(fileURLWithPath: directory.path).resolvingSymlinksInPath().path }
}
