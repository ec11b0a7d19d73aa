import Foundation
import HTTPChainCore

/// The token in use, and when to ask for the next; an object, because every call takes hold of it.
final class BearerToken: Sendable {
    let token: AccessToken
    private let renewalDate: Date?

    /// Takes a token into use.
    ///
    /// - Parameters:
    ///   - token: The token.
    ///   - leeway: How long before its end a new one is asked for.
    ///   - now: When it was made, if that is known: of a life that is short, no more than half is given up.
    init(_ token: AccessToken, leeway: Duration, now: Date? = nil) {
        self.token = token
        renewalDate = token.expiration.map { expiration in
            let seconds = Double(leeway.components.seconds) + Double(leeway.components.attoseconds) * 1e-18
            let life = now.map { expiration.timeIntervalSince($0) } ?? .infinity
            return expiration.addingTimeInterval(-min(seconds, max(0, life / 2)))
        }
    }

    /// Whether the calendar has to be asked at all.
    var expires: Bool { renewalDate != nil }

    /// Whether a new token should be asked for.
    func isDue(at date: Date) -> Bool {
        renewalDate.map { $0 <= date } ?? false
    }
}
