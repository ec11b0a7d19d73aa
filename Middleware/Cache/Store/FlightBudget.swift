import HTTPChainSupport

/// Bounds the bytes that are in memory and in no entry yet.
package final class FlightBudget: Sendable {
    private let limit: Int64
    private let taken = Locked<Int64>(0)

    package init(limit: Int64) {
        self.limit = limit
    }

    /// Takes some of the budget.
    ///
    /// - Returns: Whether there was so much left.
    package func take(_ bytes: Int) -> Bool {
        taken.withLock { taken in
            guard taken + Int64(bytes) <= limit else { return false }
            taken += Int64(bytes)
            return true
        }
    }

    package func giveBack(_ bytes: Int) {
        taken.withLock { $0 -= Int64(bytes) }
    }
}
