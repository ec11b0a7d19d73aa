import HTTPChainCache
import HTTPChainSupport

/// A log of removals during running calls, so that a reply that arrives after its removal isn't stored.
final class RemovalLog: Sendable {
    /// The properties of a reply that removals select by.
    struct Place: Sendable {
        let key: CacheKey
        let classification: String?
    }

    private struct State: Sendable {
        var now: UInt64 = 0
        var running = 0
        var removals: [(at: UInt64, isRemoved: @Sendable (Place) -> Bool)] = []
    }

    private let state = Locked(State())
    private static let limit = 1_000

    /// Records that a call begins, and returns a timestamp.
    func begin() -> UInt64 {
        state.withLock { state in
            state.running += 1
            return state.now
        }
    }

    /// Records that a call has ended.
    func end() {
        state.withLock { state in
            state.running -= 1
            if state.running == 0 { state.removals = [] }
        }
    }

    /// Records a removal.
    func note(_ isRemoved: @escaping @Sendable (Place) -> Bool) {
        state.withLock { state in
            guard state.running > 0 else { return }
            state.now += 1
            state.removals.append((state.now, isRemoved))
            // If in doubt, discards replies instead of storing them.
            if state.removals.count > Self.limit { state.removals = [(state.now, { @Sendable _ in true })] }
        }
    }

    /// Whether a reply was removed since a timestamp.
    func isRemoved(_ place: Place, since stamp: UInt64) -> Bool {
        state.withLock { $0.removals }.contains { $0.at > stamp && $0.isRemoved(place) }
    }
}
