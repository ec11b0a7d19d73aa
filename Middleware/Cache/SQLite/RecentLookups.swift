#if SQLite
import HTTPChainCore

/// The results of recent look-ups, so that a frequently used entry is read only once.
///
/// A result is reused only if nothing was committed to the database since, by any process.
final class RecentLookups: Sendable {
    /// The maximum number of results.
    static let countLimit = 64
    /// The maximum size of a result in bytes, including the description and the body.
    static let lengthLimit = 16_384

    private struct Place {
        let hash: Int64
        let header: WALIndex.Header
        let lookup: CacheLookup
    }

    private let places = Locked<[Place?]>(Array(repeating: nil, count: countLimit))

    /// Returns the result for the hash of a key in a database with this header.
    func find(_ hash: Int64, _ header: WALIndex.Header) -> CacheLookup? {
        let place = places.withLock { $0[Self.index(of: hash)] }
        guard let place, place.hash == hash, place.header == header else { return nil }
        return place.lookup
    }

    /// Keeps a result, replacing another, if it is a single variant with its body.
    func keep(_ found: [CacheLookup], _ hash: Int64, _ header: WALIndex.Header) {
        guard found.count == 1, let lookup = found.first, lookup.content != nil, lookup.length <= Self.lengthLimit
        else { return }
        // The replaced result is released outside the lock.
        let other = places.withLock { places in
            let index = Self.index(of: hash)
            defer { places[index] = Place(hash: hash, header: header, lookup: lookup) }
            return places[index]
        }
        withExtendedLifetime(other) {}
    }

    /// Removes all results.
    func clear() {
        let all = places.withLock { places in
            defer { places = Array(repeating: nil, count: Self.countLimit) }
            return places
        }
        withExtendedLifetime(all) {}
    }

    /// The number of results.
    var count: Int { places.withLock { places in places.count { $0 != nil } } }

    private static func index(of hash: Int64) -> Int { Int(UInt64(bitPattern: hash) % UInt64(countLimit)) }
}
#endif
