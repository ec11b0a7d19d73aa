/// A queue whose first waiter has the turn until it leaves.
///
/// Joining, leaving and passing the turn take constant time on average, even if many waiters wait or leave together.
package struct TurnQueue<Waiter: Sendable>: Sendable {
    /// The waiters by ID, which is their order of arrival.
    private var waiters: [UInt64: Waiter] = [:]
    private var lastID: UInt64 = 0
    /// The ID of the last waiter that was offered the turn.
    private var lastOffered: UInt64 = 0
    /// The ID of the waiter that has the turn.
    private var current: UInt64?

    package init() {}

    package var count: Int { waiters.count }
    package var isEmpty: Bool { waiters.isEmpty }

    /// The waiters that don't have the turn, in no particular order.
    package var withoutTurn: [Waiter] { waiters.lazy.filter { $0.key != current }.map(\.value) }

    /// Adds a waiter.
    ///
    /// - Returns: The waiter's ID, which it needs to leave.
    package mutating func join(_ waiter: Waiter) -> UInt64 {
        lastID += 1
        waiters[lastID] = waiter
        return lastID
    }

    /// Removes a waiter, and its turn if it has it.
    package mutating func leave(_ id: UInt64) {
        waiters[id] = nil
        if current == id { current = nil }
    }

    /// If no waiter has the turn, offers it to one after another until one accepts.
    ///
    /// - Parameter offer: Returns whether a waiter accepts. One that doesn't is about to leave, and isn't asked again.
    ///   Otherwise, if many left together, each departure would ask all the others again.
    package mutating func passTurn(_ offer: (Waiter) -> Bool) {
        while current == nil, lastOffered < lastID {
            lastOffered += 1
            if let waiter = waiters[lastOffered], offer(waiter) { current = lastOffered }
        }
    }
}
