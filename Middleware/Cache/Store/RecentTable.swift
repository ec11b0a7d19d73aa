import HTTPChainSupport

/// A small table of recently used values; an identifier selects the place of its value.
package final class RecentTable<Value: Sendable>: Sendable {
    private let places: Locked<[(id: UInt64, value: Value)?]>
    private let size: UInt64

    /// Creates an empty table.
    ///
    /// - Parameter size: The maximum number of values.
    package init(size: Int) {
        self.size = UInt64(size)
        places = Locked(Array(repeating: nil, count: size))
    }

    /// Returns the value for an identifier, if it is still in the table.
    package func value(of id: UInt64) -> Value? {
        let place = places.withLock { $0[Int(id % size)] }
        return place?.id == id ? place?.value : nil
    }

    /// Stores a value, replacing the one at the same place.
    package func keep(_ value: Value, of id: UInt64) {
        // The replaced value is released outside the lock, because its deallocation may close a file.
        let other = places.withLock { places in
            let index = Int(id % size)
            defer { places[index] = (id, value) }
            return places[index]
        }
        withExtendedLifetime(other) {}
    }

    /// Releases all values.
    package func clear() {
        let all = places.withLock { places in
            defer { places = Array(repeating: nil, count: places.count) }
            return places
        }
        withExtendedLifetime(all) {}
    }

    /// The number of values.
    package var count: Int { places.withLock { places in places.count { $0 != nil } } }
}
