import Foundation
import HTTPChainCore

/// The token in use, and when to ask for the next; an object, because every call takes hold of it.
final class BearerToken: Sendable {
    let token: AccessToken
    private let refreshDate: Date?
    /// When it was fetched, by the clock that only runs; `nil` when that was before this stage.
    private let fetched: Duration?

    /// Takes a token into use.
    ///
    /// - Parameters:
    ///   - token: The token.
    ///   - leeway: How long before its end a new one is asked for.
    ///   - now: When it was made, if that is known: of a life that is short, no more than half is given up.
    ///   - fetched: When it was fetched.
    init(_ token: AccessToken, leeway: Duration, now: Date? = nil, fetched: Duration? = nil) {
        self.token = token
        self.fetched = fetched
        refreshDate = token.expiration.map { expiration in
            let life = now.map { expiration.timeIntervalSince($0) } ?? .infinity
            return expiration.addingTimeInterval(-min(leeway.inSeconds, max(0, life / 2)))
        }
    }

    /// Whether the calendar has to be asked at all.
    var expires: Bool { refreshDate != nil }

    /// Whether it was fetched so short a time ago that a 401 without a reason is hardly about it.
    func isYoung(at now: Duration, under limit: RefreshLimit) -> Bool {
        fetched.map { now - $0 < limit.interval } ?? false
    }

    /// Whether a new token should be asked for.
    func isDue(at date: Date) -> Bool {
        refreshDate.map { $0 <= date } ?? false
    }
}
