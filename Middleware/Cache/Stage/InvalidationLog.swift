import Foundation
import HTTPChainCore
import HTTPChainSupport

/// A store with its own log, which all stages that use the store share.
package protocol InvalidationKeeping: CacheStore {
    var invalidations: InvalidationLog { get }
}

/// Keeps three things for a store: recent invalidations, so that a response that was in flight at the time isn't stored
/// afterwards; the recordings in progress; and the stored responses that the next look-up must invalidate.
package final class InvalidationLog: Sendable {
    private struct State {
        var now: UInt64 = 0
        /// The number of responses stored.
        var commits: UInt64 = 0
        /// The stamp of each URL's last invalidation.
        var urls: [ExactText: UInt64] = [:]
        /// The stamp of the last invalidation of everything, or of more URLs than are kept individually.
        var everything: UInt64 = 0
        var superseded: [CacheKey: SupersededVariants] = [:]

        mutating func supersede(_ variants: SupersededVariants, of key: CacheKey) {
            // If there are too many, they are forgotten. Serving an old response is better than using unlimited memory.
            if superseded[key] == nil, superseded.count >= InvalidationLog.limit { superseded = [:] }
            superseded[key, default: SupersededVariants()].merge(variants)
        }
    }

    /// The state that joined logs share.
    private final class Core: Sendable {
        let state = Locked(State())
        let claims = RecordingClaims()
        /// The core that this one was merged into, if any.
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

    /// The responses being stored.
    var claims: RecordingClaims { core.claims }

    /// Merges another log into this one; used if the store of one is part of the other's.
    ///
    /// Responses in flight during the merge are not stored.
    func join(_ other: InvalidationLog) {
        let (whole, part) = (core, other.core)
        guard whole !== part else { return }
        let (now, commits, superseded) = part.state.withLock { ($0.now, $0.commits, $0.superseded) }
        whole.state.withLock { state in
            for (key, variants) in superseded { state.supersede(variants, of: key) }
            // The new stamp is later than any stamp of either log.
            state.now = max(state.now, now) + 1
            state.commits = max(state.commits, commits) + 1
            state.everything = state.now
            state.urls = [:]
        }
        part.whole.withLock { $0 = whole }
    }

    /// The number of responses stored so far.
    var commits: UInt64 { state.withLock { $0.commits } }

    func noteCommit() { state.withLock { $0.commits += 1 } }

    /// The current stamp; it is compared when the response is complete.
    var stamp: UInt64 { state.withLock { $0.now } }

    package func note(_ selection: CacheSelection) {
        state.withLock { state in
            state.now += 1
            if let url = selection.commonURL, state.urls.count < Self.limit {
                state.urls[ExactText(url)] = state.now
            } else {
                state.urls = [:]
                state.everything = state.now
            }
        }
    }

    /// Whether no invalidation since the stamp can include a response to this URL.
    package func isCurrent(_ url: String, since stamp: UInt64) -> Bool {
        state.withLock { $0.everything <= stamp && ($0.urls[ExactText(url)] ?? 0) <= stamp }
    }

    /// Records stored responses that were superseded by a newer one that isn't stored.
    ///
    /// They are invalidated by the next look-up. This can't be done immediately, because the caller of the newer
    /// response may stop reading at a point where nothing can wait for the store.
    func noteSuperseded(_ entries: [CacheEntry]) {
        guard !entries.isEmpty else { return }
        state.withLock { state in
            for entry in entries { state.supersede(SupersededVariants(entry), of: entry.key) }
        }
    }

    /// The stored responses to a key that must be invalidated; nil if there are none.
    func superseded(of key: CacheKey) -> SupersededVariants? {
        state.withLock { $0.superseded.isEmpty ? nil : $0.superseded[key] }
    }

    /// Removes the record of stored responses that have been invalidated, unless others of the same key were added
    /// meanwhile.
    func forget(_ superseded: SupersededVariants, of key: CacheKey) {
        state.withLock { state in
            if state.superseded[key] == superseded { state.superseded[key] = nil }
        }
    }
}

/// The stored responses to a key that were superseded by newer ones.
struct SupersededVariants: Equatable {
    /// The time when each of them arrived; a response that replaces one of them, and a validated one, is newer.
    private var times: [CacheVariant: Date] = [:]

    init() {}

    init(_ entry: CacheEntry) {
        times[entry.response.metadata.variant] = entry.response.metadata.responseTime
    }

    mutating func merge(_ other: SupersededVariants) { times.merge(other.times, uniquingKeysWith: max) }

    /// Returns the invalidated description of an entry; nil if the entry isn't superseded.
    func invalidated(_ entry: CacheEntry) -> CacheMetadata? {
        var metadata = entry.response.metadata
        guard !metadata.isInvalidated, let time = times[metadata.variant], metadata.responseTime <= time else {
            return nil
        }
        metadata.isInvalidated = true
        return metadata
    }
}
