import HTTPChainCore
import HTTPChainSupport

/// A store with a log of its own, which all stages share that use the store.
package protocol InvalidationKeeping: CacheStore {
    var invalidations: InvalidationLog { get }
}

/// Remembers what was made invalid lately, so that a response that was in flight meanwhile is not stored after it, and
/// what is being stored.
package final class InvalidationLog: Sendable {
    private struct State {
        var now: UInt64 = 0
        /// The number of responses that were stored.
        var commits: UInt64 = 0
        /// When each URL was made invalid last.
        var urls: [ExactText: UInt64] = [:]
        /// When everything was, or more than is kept one by one.
        var everything: UInt64 = 0
    }

    /// The state that joined logs share.
    private final class Core: Sendable {
        let state = Locked(State())
        let claims = RecordingClaims()
        /// The one that this one has become a part of.
        let whole = Locked<Core?>(nil)

        var root: Core {
            var core = self
            while let next = core.whole.withLock({ $0 }) { core = next }
            return core
        }
    }
    private static let limit = 4096
    private let own = Core()

    package init() {}

    private var core: Core { own.root }
    private var state: Locked<State> { core.state }

    /// The responses that are being stored.
    var claims: RecordingClaims { core.claims }

    /// Makes one log of this one and another, for stores of which one is a part of the other.
    ///
    /// Responses that are in flight meanwhile are not stored.
    func join(_ other: InvalidationLog) {
        let (whole, part) = (core, other.core)
        guard whole !== part else { return }
        let (now, commits) = part.state.withLock { ($0.now, $0.commits) }
        whole.state.withLock { state in
            // Stamps of both are before it.
            state.now = max(state.now, now) + 1
            state.commits = max(state.commits, commits) + 1
            state.everything = state.now
            state.urls = [:]
        }
        part.whole.withLock { $0 = whole }
    }

    /// The number of responses that were stored until now.
    var commits: UInt64 { state.withLock { $0.commits } }

    func noteCommit() { state.withLock { $0.commits += 1 } }

    /// The moment, to be shown again when the response is complete.
    var stamp: UInt64 { state.withLock { $0.now } }

    package func note(_ selection: CacheSelection) {
        state.withLock { state in
            state.now += 1
            let url: String? =
                switch selection {
                case .url(let url): url
                case .key(let key): key.url
                default: nil
                }
            if let url, state.urls.count < Self.limit {
                state.urls[ExactText(url)] = state.now
            } else {
                state.urls = [:]
                state.everything = state.now
            }
        }
    }

    /// Whether nothing has been made invalid since that a response to this URL may be among.
    func isCurrent(_ url: String, since stamp: UInt64) -> Bool {
        state.withLock { $0.everything <= stamp && ($0.urls[ExactText(url)] ?? 0) <= stamp }
    }
}
