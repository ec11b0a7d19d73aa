package import Foundation
import HTTPChainCore

/// The token in use and its refresh date; a class, because every call retains it.
package final class BearerToken: Sendable {
    package let token: AccessToken
    /// Whether the store already has it, so that it isn't saved again.
    let isSaved: Bool
    private let refreshDate: Date?
    /// The monotonic time at which it was fetched, or `nil` if that was elsewhere or before this stage existed.
    private let fetched: Duration?

    /// Makes a token for use.
    ///
    /// - Parameters:
    ///   - token: The token.
    ///   - leeway: The time before expiration at which a new one is requested.
    ///   - now: The issue date, if known: at most half of a short lifetime is lost to the leeway.
    ///   - fetched: The time at which it was fetched.
    ///   - isSaved: Whether the store already has it.
    package init(
        _ token: AccessToken,
        leeway: Duration,
        now: Date? = nil,
        fetched: Duration? = nil,
        isSaved: Bool = false
    ) {
        self.token = token
        self.isSaved = isSaved
        self.fetched = fetched
        refreshDate = token.expiration.map { expiration in
            let life = now.map { expiration.timeIntervalSince($0) } ?? .infinity
            return expiration.addingTimeInterval(-min(leeway.inSeconds, max(0, life / 2)))
        }
    }

    /// Whether the date has to be checked at all.
    package var expires: Bool { refreshDate != nil }

    /// Whether this stage fetched it.
    var isFetched: Bool { fetched != nil }

    /// Whether it was fetched so recently that a 401 without a reason is unlikely to be caused by it.
    func isYoung(at now: Duration, under limit: RefreshLimit) -> Bool {
        fetched.map { now - $0 < limit.interval } ?? false
    }

    /// Whether a new token should be requested.
    package func isDue(at date: Date) -> Bool {
        refreshDate.map { $0 <= date } ?? false
    }
}
