import HTTPChainCache
import HTTPChainSupport

/// Remembers what was removed while calls are running, so that a reply in flight is not stored after its removal.
final class RemovalLog: Sendable {
    /// The place by which a removal chooses replies.
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

    /// A call begins; returns the moment.
    func begin() -> UInt64 {
        state.withLock { state in
            state.running += 1
            return state.now
        }
    }

    /// A call has ended.
    func end() {
        state.withLock { state in
            state.running -= 1
            if state.running == 0 { state.removals = [] }
        }
    }

    /// Something is removed.
    func note(_ isRemoved: @escaping @Sendable (Place) -> Bool) {
        state.withLock { state in
            guard state.running > 0 else { return }
            state.now += 1
            state.removals.append((state.now, isRemoved))
            // Rather a reply too few than one too many.
            if state.removals.count > Self.limit { state.removals = [(state.now, { @Sendable _ in true })] }
        }
    }

    /// Whether a reply was removed after a moment.
    func isRemoved(_ place: Place, since stamp: UInt64) -> Bool {
        state.withLock { $0.removals }.contains { $0.at > stamp && $0.isRemoved(place) }
    }
}
