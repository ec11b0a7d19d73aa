import HTTPChainCore

/// The files of recently read entries, so that a frequently read one is opened only once.
///
/// A file is reused only while it has its name: a file that was removed or replaced, by any process, has none.
final class OpenEntries: Sendable {
    /// The maximum number of open files.
    static let limit = 16

    private struct Place {
        let id: UInt64
        let file: OpenFile<CacheStoreFault>
    }

    private let places = Locked<[Place?]>(Array(repeating: nil, count: limit))

    /// The file of an entry, if it is open and still has its name.
    func file(of id: UInt64) throws(CacheStoreFault) -> OpenFile<CacheStoreFault>? {
        let index = Self.index(of: id)
        let place = places.withLock { $0[index] }
        guard let place, place.id == id else { return nil }
        return try place.file.status().links > 0 ? place.file : nil
    }

    /// Keeps the file of an entry, replacing another.
    func keep(_ file: OpenFile<CacheStoreFault>, of id: UInt64) {
        let index = Self.index(of: id)
        // The replaced file is closed outside the lock.
        let other = places.withLock { places in
            defer { places[index] = Place(id: id, file: file) }
            return places[index]
        }
        withExtendedLifetime(other) {}
    }

    /// Closes all files, so that removed ones free their disk space.
    func clear() {
        let all = places.withLock { places in
            defer { places = Array(repeating: nil, count: Self.limit) }
            return places
        }
        withExtendedLifetime(all) {}
    }

    /// The number of open files.
    var count: Int { places.withLock { places in places.count { $0 != nil } } }

    private static func index(of id: UInt64) -> Int { Int(id % UInt64(limit)) }
}
