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

/// The share of one writer in a budget, given back with it.
package final class FlightShare: Sendable {
    private let budget: FlightBudget
    private let taken = Locked(0)
    private let refused = Locked(false)

    package init(of budget: FlightBudget) {
        self.budget = budget
    }

    deinit { giveBack() }

    /// Takes more of the budget.
    ///
    /// - Returns: Whether there was so much left.
    package func take(_ bytes: Int) -> Bool {
        guard budget.take(bytes) else {
            refused.withLock { $0 = true }
            return false
        }
        taken.withLock { $0 += bytes }
        return true
    }

    /// Whether there was too little left at some time.
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

/// A writer that may find the budget spent, though its entry is not too large by itself.
package protocol FlightLimitedWriter: CacheWriter {
    /// Whether it had to end for that reason.
    var hasSpentBudget: Bool { get }
}

extension CacheWriter {
    /// Why a writer takes no more.
    var refusal: String {
        let isSpent = (self as? any FlightLimitedWriter)?.hasSpentBudget ?? false
        return isSpent ? "too much else is being stored at the same time" : "it is too large for the store"
    }
}

/// A store that can put bytes behind a stored body without writing the body again.
package protocol BodyAppending: CacheStore {
    /// Begins to write what continues an entry's body.
    ///
    /// - Parameters:
    ///   - entry: The entry; it keeps its name, and until the commit its body.
    ///   - metadata: Its description once it is longer.
    ///   - length: How much is put behind, where that is known.
    /// - Returns: `nil` where the body cannot be continued, or would become too large: then it has to be written anew.
    func makeAppender(
        to entry: CacheEntry,
        _ metadata: CacheMetadata,
        expecting length: Int64?
    ) async throws -> (any CacheWriter)?
}
