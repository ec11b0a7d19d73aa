import HTTPChainSupport

/// Limits the number of bytes that are being written and don't belong to an entry yet.
package final class FlightBudget: Sendable {
    private let limit: Int64
    private let taken = Locked<Int64>(0)

    package init(limit: Int64) {
        self.limit = limit
    }

    /// Reserves bytes.
    ///
    /// - Returns: Whether enough was left.
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

/// A writer's share of a budget; it is returned on deinitialization.
package final class FlightShare: Sendable {
    private let budget: FlightBudget
    private let taken = Locked(0)
    private let refused = Locked(false)

    package init(of budget: FlightBudget) {
        self.budget = budget
    }

    deinit { giveBack() }

    /// Reserves more bytes.
    ///
    /// - Returns: Whether enough was left.
    package func take(_ bytes: Int) -> Bool {
        guard budget.take(bytes) else {
            refused.withLock { $0 = true }
            return false
        }
        taken.withLock { $0 += bytes }
        return true
    }

    /// Whether a reservation ever failed.
    package var isRefused: Bool { refused.withLock { $0 } }

    package func giveBack() {
        budget.giveBack(
            taken.withLock { taken in
                defer { taken = 0 }
                return taken
            }
        )
    }
}

/// A writer that may exhaust the budget even if its entry isn't too large.
package protocol FlightLimitedWriter: CacheWriter {
    /// Whether the writer stopped because the budget was exhausted.
    var hasSpentBudget: Bool { get }
}

extension CacheWriter {
    /// The reason why a writer accepts no more bytes.
    var refusal: String {
        let isSpent = (self as? any FlightLimitedWriter)?.hasSpentBudget ?? false
        return isSpent ? "too much else is being stored at the same time" : "it is too large for the store"
    }
}

/// A store that can append to a stored body without rewriting it.
package protocol BodyAppending: CacheStore {
    /// Creates a writer that extends an entry's body.
    ///
    /// - Parameters:
    ///   - entry: The entry. It keeps its identifier, and until the commit also its body.
    ///   - metadata: The description of the extended entry.
    ///   - length: The number of bytes to append, if known.
    /// - Returns: `nil` if the body can't be extended, or would be too large. It must then be rewritten.
    func makeAppender(
        to entry: CacheEntry,
        _ metadata: CacheMetadata,
        expecting length: Int64?
    ) async throws -> (any CacheWriter)?
}
