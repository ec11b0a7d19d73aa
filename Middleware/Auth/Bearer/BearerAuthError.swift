public import HTTPChainCore

/// There is no token to send.
public struct BearerAuthError: NetworkFailure {
    /// The problem.
    #if hasAttribute(nonexhaustive)
    @nonexhaustive
    #endif
    public enum Problem: Sendable, Hashable {
        /// The token holds characters that no token may have (RFC 6749 §A.12), or is empty.
        case malformedToken
        /// A new token is only to be had by a new sign-in: there is no refresh token, or it is not valid any more.
        case signInNeeded
        /// No new token could be had; it may work another time. The cause says more.
        case refreshFailed
        /// Tokens were refreshed as often as the limit allows.
        case tooManyRefreshes(RefreshLimit)
        /// The new token could not be saved; it is tried again before the next call uses it.
        case tokenNotSaved
        /// The token was removed while a new one was fetched.
        case signedOut
    }

    /// The problem.
    public let problem: Problem
    /// The request as it stood, redacted.
    public let exchange: ExchangeSnapshot?
    /// The error that the provider threw, such as an ``OAuthError`` or the error of a transport.
    public let underlyingError: (any Error)?

    init(_ problem: Problem, exchange: ExchangeSnapshot, underlyingError: (any Error)? = nil) {
        self.problem = problem
        self.exchange = exchange
        self.underlyingError = underlyingError
    }

    /// Makes the error that a failed refresh is for a call.
    init(refresh error: any Error, exchange: ExchangeSnapshot) {
        switch error {
        case RefreshError.tooMany(let limit): self.init(.tooManyRefreshes(limit), exchange: exchange)
        case RefreshError.ended: self.init(.signedOut, exchange: exchange)
        case is MalformedTokenError: self.init(.malformedToken, exchange: exchange)
        case RefreshError.notSaved(let cause): self.init(.tokenNotSaved, exchange: exchange, underlyingError: cause)
        case let error as OAuthError where error.needsSignIn:
            self.init(.signInNeeded, exchange: exchange, underlyingError: error)
        default: self.init(.refreshFailed, exchange: exchange, underlyingError: error)
        }
    }

    /// Always "BearerAuthMiddleware".
    public var stage: String { "BearerAuthMiddleware" }

    /// The failure of the network that kept the credentials from being fetched; the call is then retried like any other
    /// that the network failed.
    public var networkFailure: TransportError? {
        TransportError.behind(underlyingError, stage: stage, exchange: exchange)
    }

    /// A description of what happened.
    public var reason: String { explanation.reason }

    /// Advice on what to do about it; `nil` if there is none.
    public var recoverySuggestion: String? { explanation.advice }

    private var explanation: Explanation {
        switch problem {
        case .malformedToken:
            Explanation(
                "the token holds characters that no token may have (RFC 6749 §A.12), or is empty",
                "look where it comes from"
            )
        case .signInNeeded:
            Explanation(
                "a new token is only to be had by a new sign-in",
                "give the stage the token that comes of it (replaceToken)"
            )
        case .refreshFailed:
            Explanation("no new token could be had", "the cause says why, and the next call tries again")
        case .tooManyRefreshes(let limit):
            Explanation(
                "tokens were refreshed too often (the limit is \(limit))",
                "find out why the server rejects them, or why "
                    + "they expire at once"
            )
        case .tokenNotSaved:
            Explanation(
                "the new token could not be saved",
                "it is kept in memory, and the next call tries to save it again"
            )
        case .signedOut:
            Explanation("the token was removed while a new one was fetched", "sign in, and send the request again")
        }
    }
}

/// A provider gave a token that cannot be sent.
struct MalformedTokenError: Error {}
