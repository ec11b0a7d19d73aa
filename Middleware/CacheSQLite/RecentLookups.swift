#if SQLite
import HTTPChainCore

/// What look-ups found last, so that an entry that is used again and again is read once.
///
/// It is found again only where nothing was committed to the database since, by this process or another.
final class RecentLookups: Sendable {
    /// How many are kept at most.
    static let countLimit = 64
    /// The number of bytes that one has at most, the description and the body together.
    static let lengthLimit = 16_384

    private struct Place {
        let hash: Int64
        let header: WALIndex.Header
        let lookup: CacheLookup
    }

    private let places = Locked<[Place?]>(Array(repeating: nil, count: countLimit))

    /// What was found for the hash of a key in a database with this header.
    func find(_ hash: Int64, _ header: WALIndex.Header) -> CacheLookup? {
        let place = places.withLock { $0[Self.index(of: hash)] }
        guard let place, place.hash == hash, place.header == header else { return nil }
        return place.lookup
    }

    /// Keeps what was found, in the place of another, where it is one variant with its body.
    func keep(_ found: [CacheLookup], _ hash: Int64, _ header: WALIndex.Header) {
        guard found.count == 1, let lookup = found.first, lookup.content != nil, lookup.length <= Self.lengthLimit
        else { return }
        // The other is released where the lock is not held.
        let other = places.withLock { places in
            let index = Self.index(of: hash)
            defer { places[index] = Place(hash: hash, header: header, lookup: lookup) }
            return places[index]
        }
        withExtendedLifetime(other) {}
    }

    /// Forgets all of them.
    func clear() {
        let all = places.withLock { places in
            defer { places = Array(repeating: nil, count: Self.countLimit) }
            return places
        }
        withExtendedLifetime(all) {}
    }

    /// How many are kept.
    var count: Int { places.withLock { places in places.count { $0 != nil } } }

    private static func index(of hash: Int64) -> Int { Int(UInt64(bitPattern: hash) % UInt64(countLimit)) }
}
#endif
