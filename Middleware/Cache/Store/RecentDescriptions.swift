import Foundation
import HTTPChainCore

/// A cache of the descriptions that a store has decoded, so that a frequently read one is decoded only once.
///
/// A description is reused only if its bytes are the same as those just read, because any change of an entry, in this
/// process or another, changes its bytes. Bodies are not kept.
package final class RecentDescriptions: Sendable {
    /// The maximum number of descriptions.
    static let countLimit = 1024
    /// The maximum total size of their bytes.
    static let byteLimit = 1 << 20
    /// The maximum size of a description that is kept; longer ones are decoded each time.
    static let lengthLimit = byteLimit / 64

    private final class Known: Sendable {
        let id: UInt64
        let bytes: [UInt8]
        let head: StoredHead

        init(_ id: UInt64, _ bytes: UnsafeRawBufferPointer, _ head: StoredHead) {
            self.id = id
            self.bytes = Array(bytes)
            self.head = head
        }

        func isMade(of other: UnsafeRawBufferPointer) -> Bool {
            bytes.withUnsafeBytes { own in
                guard own.count == other.count else { return false }
                guard let first = own.baseAddress, let second = other.baseAddress else { return true }
                return memcmp(first, second, own.count) == 0
            }
        }
    }

    /// The table consists of pairs of places, so that it neither grows nor needs sorting.
    ///
    /// An entry's identifier selects its pair. The first place of the pair has the more recently used description.
    private struct State {
        var places: [Known?] = []
        var size = 0
        /// The next place to evict from.
        var hand = 0

        mutating func find(_ id: UInt64) -> Known? {
            guard !places.isEmpty else { return nil }
            let place = Self.place(of: id)
            if let known = places[place], known.id == id { return known }
            guard let known = places[place + 1], known.id == id else { return nil }
            places.swapAt(place, place + 1)
            return known
        }

        /// - Returns: The evicted descriptions, to be released outside the lock.
        mutating func keep(_ known: Known) -> [Known] {
            if places.isEmpty { places = Array(repeating: nil, count: RecentDescriptions.countLimit) }
            var gone: [Known] = []
            if let other = take(known.id) { gone.append(other) }
            let place = Self.place(of: known.id)
            if places[place] != nil {
                if let other = clear(place + 1) { gone.append(other) }
                places.swapAt(place, place + 1)
            }
            places[place] = known
            size += known.bytes.count
            while size > RecentDescriptions.byteLimit {
                if hand != place, let other = clear(hand) { gone.append(other) }
                hand = (hand + 1) % places.count
            }
            return gone
        }

        mutating func take(_ id: UInt64) -> Known? {
            guard !places.isEmpty else { return nil }
            let place = Self.place(of: id)
            for place in place...place + 1 where places[place]?.id == id { return clear(place) }
            return nil
        }

        private mutating func clear(_ place: Int) -> Known? {
            guard let known = places[place] else { return nil }
            places[place] = nil
            size -= known.bytes.count
            return known
        }

        private static func place(of id: UInt64) -> Int { Int(id % UInt64(RecentDescriptions.countLimit / 2)) * 2 }
    }

    private let state = Locked(State())

    package init() {}

    /// Returns the description of an entry.
    ///
    /// - Parameters:
    ///   - id: The entry.
    ///   - bytes: The encoded description.
    ///   - decode: A closure that decodes the bytes, if they differ from those decoded last.
    package func head(
        of id: UInt64,
        _ bytes: UnsafeRawBufferPointer,
        decode: () throws(CacheStoreFault) -> StoredHead
    ) throws(CacheStoreFault) -> StoredHead {
        if let known = state.withLock({ $0.find(id) }), known.isMade(of: bytes) { return known.head }
        let head = try decode()
        guard bytes.count <= Self.lengthLimit else { return head }
        let known = Known(id, bytes, head)
        _ = state.withLock { $0.keep(known) }
        return head
    }

    /// Removes the description of a removed entry.
    package func forget(_ id: UInt64) { _ = state.withLock { $0.take(id) } }

    /// The number of descriptions kept, and the total size of their bytes.
    var usage: (count: Int, bytes: Int) {
        state.withLock { state in (state.places.count { $0 != nil }, state.size) }
    }
}
