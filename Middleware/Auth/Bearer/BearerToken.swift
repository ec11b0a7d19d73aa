package import Foundation
import HTTPChainCore

/// The token in use, with its refresh date; it is a class, because every call retains it.
package final class BearerToken: Sendable {
    package let token: AccessToken
    /// Whether the store already has it, so that it isn't saved again.
    let isSaved: Bool
    private let refreshDate: Date?
    /// The monotonic time at which this stage fetched the token, or `nil` if it didn't.
    private let fetched: Duration?

    /// Makes a token for use.
    ///
    /// - Parameters:
    ///   - token: The token.
    ///   - leeway: The time before expiration at which a new one is requested.
    ///   - now: The issue date, if known. For a token with a short lifetime, the leeway is then at most half of the
    ///     lifetime.
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

    /// Whether the token has a refresh date to check.
    package var expires: Bool { refreshDate != nil }

    /// Whether this stage fetched it.
    var isFetched: Bool { fetched != nil }

    /// Whether the token was fetched so recently that it is unlikely to be the reason for a 401 that gives none.
    func isYoung(at now: Duration, under limit: RefreshLimit) -> Bool {
        fetched.map { now - $0 < limit.interval } ?? false
    }

    /// Whether a new token should be requested.
    package func isDue(at date: Date) -> Bool {
        refreshDate.map { $0 <= date } ?? false
    }
}
