public import HTTPChainCore

/// There is no token to send.
public struct BearerAuthError: HTTPChainError {
    /// What went wrong.
    public enum Problem: Sendable, Hashable {
        /// The token holds characters that no token may have (RFC 6750 §2.1).
        case malformedToken
        /// A new token is only to be had by a new sign-in: there is no refresh token, or it is not valid any more.
        case signInNeeded
        /// No new token could be had; it may work another time. The cause says more.
        case renewalFailed
        /// Tokens were renewed as often as the limit allows.
        case tooManyRenewals(RenewalLimit)
        /// The new token could not be saved; it is tried again before the next call uses it.
        case tokenNotSaved
        /// The token was taken away while a new one was fetched in its place.
        case signedOut
    }

    /// What went wrong.
    public let problem: Problem
    /// The request as it stood, redacted.
    public let exchange: ExchangeSnapshot?
    /// What the provider threw, such as an ``OAuthError`` or the error of a transport.
    public let underlyingError: (any Error)?

    init(_ problem: Problem, exchange: ExchangeSnapshot, underlyingError: (any Error)? = nil) {
        self.problem = problem
        self.exchange = exchange
        self.underlyingError = underlyingError
    }

    /// What a failed renewal means for a call.
    init(renewal error: any Error, exchange: ExchangeSnapshot) {
        switch error {
        case RenewalError.tooMany(let limit): self.init(.tooManyRenewals(limit), exchange: exchange)
        case RenewalError.ended: self.init(.signedOut, exchange: exchange)
        case is MalformedTokenError: self.init(.malformedToken, exchange: exchange)
        case RenewalError.notSaved(let cause): self.init(.tokenNotSaved, exchange: exchange, underlyingError: cause)
        case let error as OAuthError where error.needsSignIn:
            self.init(.signInNeeded, exchange: exchange, underlyingError: error)
        default: self.init(.renewalFailed, exchange: exchange, underlyingError: error)
        }
    }

    /// Always "BearerAuthMiddleware".
    public var stage: String { "BearerAuthMiddleware" }

    /// What went wrong and what to do about it.
    public var reason: String {
        switch problem {
        case .malformedToken:
            "the token holds characters that no token may have (RFC 6750 §2.1), or is empty; look where it comes from"
        case .signInNeeded:
            "a new token is only to be had by a new sign-in; give the stage the token that comes of it (replaceToken)"
        case .renewalFailed:
            "no new token could be had; the cause says why, and the next call tries again"
        case .tooManyRenewals(let limit):
            "tokens were renewed too often (the limit is \(limit)); find out why the server takes none, or why "
                + "they expire at once"
        case .tokenNotSaved:
            "the new token could not be saved; it is kept in memory, and the next call tries to save it again"
        case .signedOut:
            "the token was taken away while a new one was fetched in its place; sign in, and send the request again"
        }
    }
}

/// A provider gave a token that cannot be sent.
struct MalformedTokenError: Error {}
