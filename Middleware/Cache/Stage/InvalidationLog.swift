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
        /// How many responses were stored.
        var commits: UInt64 = 0
        /// When each URL was made invalid last.
        var urls: [ExactText: UInt64] = [:]
        /// When everything was, or more than is kept one by one.
        var everything: UInt64 = 0
    }
    private static let limit = 4096
    private let state = Locked(State())

    /// Which responses are being stored.
    let claims = RecordingClaims()

    package init() {}

    /// How many responses were stored until now.
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
