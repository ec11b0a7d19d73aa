/// A queue whose first waiter has the turn until it leaves.
///
/// Joining, leaving, and passing the turn take constant time on average, however many wait or leave together.
package struct TurnQueue<Waiter: Sendable>: Sendable {
    /// The waiters by ID, which is their order of arrival.
    private var waiters: [UInt64: Waiter] = [:]
    private var lastID: UInt64 = 0
    /// The last waiter that was offered the turn.
    private var lastOffered: UInt64 = 0
    /// The waiter that has the turn.
    private var current: UInt64?

    package init() {}

    package var count: Int { waiters.count }
    package var isEmpty: Bool { waiters.isEmpty }

    /// The waiters that don't have the turn, in no order.
    package var withoutTurn: [Waiter] { waiters.lazy.filter { $0.key != current }.map(\.value) }

    /// Adds a waiter.
    ///
    /// - Returns: Its ID, with which it leaves.
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

    /// Gives the turn to the first waiter that accepts it, if no waiter has it.
    ///
    /// - Parameter offer: Returns whether a waiter accepts. One that doesn't is about to leave, and isn't asked again:
    ///   if many leave together, the rest would be asked with each departure.
    package mutating func passTurn(_ offer: (Waiter) -> Bool) {
        while current == nil, lastOffered < lastID {
            lastOffered += 1
            if let waiter = waiters[lastOffered], offer(waiter) { current = lastOffered }
        }
    }
}
