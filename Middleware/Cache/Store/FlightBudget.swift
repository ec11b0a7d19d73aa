import HTTPChainSupport

/// Bounds the bytes that are being written and in no entry yet.
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

/// What one writer has of a budget, given back with it.
package final class FlightShare: Sendable {
    private let budget: FlightBudget
    private let taken = Locked(0)

    package init(of budget: FlightBudget) {
        self.budget = budget
    }

    deinit { giveBack() }

    /// Takes more of the budget.
    ///
    /// - Returns: Whether there was so much left.
    package func take(_ bytes: Int) -> Bool {
        guard budget.take(bytes) else { return false }
        taken.withLock { $0 += bytes }
        return true
    }

    package func giveBack() {
        budget.giveBack(
            taken.withLock { taken in
                defer { taken = 0 }
                return taken
            }
        )
    }
}
