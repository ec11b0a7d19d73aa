import HTTPChainCore

/// The files of the entries that were read last, so that one that is read again and again is opened once.
///
/// A file is read again only while it has its name: what was removed or replaced, by this process or another, has none.
final class OpenEntries: Sendable {
    /// How many files are kept open at most.
    static let limit = 16

    private struct Place {
        let id: UInt64
        let file: OpenFile<CacheStoreFault>
    }

    private let places = Locked<[Place?]>(Array(repeating: nil, count: limit))

    /// The file of an entry, where it is open and still has its name.
    func file(of id: UInt64) throws(CacheStoreFault) -> OpenFile<CacheStoreFault>? {
        let index = Self.index(of: id)
        let place = places.withLock { $0[index] }
        guard let place, place.id == id else { return nil }
        return try place.file.status().links > 0 ? place.file : nil
    }

    /// Keeps the file of an entry, in the place of another.
    func keep(_ file: OpenFile<CacheStoreFault>, of id: UInt64) {
        let index = Self.index(of: id)
        // The other is closed where the lock is not held.
        let other = places.withLock { places in
            defer { places[index] = Place(id: id, file: file) }
            return places[index]
        }
        withExtendedLifetime(other) {}
    }

    /// Closes all of them: what was removed gives its room on the disk back.
    func clear() {
        let all = places.withLock { places in
            defer { places = Array(repeating: nil, count: Self.limit) }
            return places
        }
        withExtendedLifetime(all) {}
    }

    /// How many files are open.
    var count: Int { places.withLock { places in places.count { $0 != nil } } }

    private static func index(of id: UInt64) -> Int { Int(id % UInt64(limit)) }
}
