import HTTPChainCore
import HTTPChainSupport

/// The number of a client's running calls that show activity.
struct CallActivity: Sendable {
    struct State: Sendable {
        var count = 0
        var isOver = false
        /// Whether there has ever been a listener; until then, calls skip the search for listeners.
        var isHeard = false
    }

    let state = Watched(State())

    /// The counts: the current one, then the newest whenever it has changed.
    var counts: CallUpdates<Int> {
        CallUpdates { [state] in
            let last = Locked<Int?>(nil)
            return {
                let before = last.withLock { $0 }
                let next: Int?? = try? await state.wait { state in
                    if state.count != before { return .some(state.count) }
                    return state.isOver && state.count == 0 ? .some(nil) : nil
                }
                let count = next ?? nil
                last.withLock { $0 = count }
                return count
            }
        }
    }
}
