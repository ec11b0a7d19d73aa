public import HTTPChainCore

/// Thrown if there is no token to send.
public struct BearerAuthError: NetworkFailure, ExplainedError {
    /// The problem.
    #if hasAttribute(nonexhaustive)
    @nonexhaustive
    #endif
    public enum Problem: Sendable, Hashable {
        /// The token is empty or contains characters that aren't allowed in tokens (RFC 6749 §A.12).
        case malformedToken
        /// A new sign-in is required: there is no refresh token, or it is no longer valid.
        case signInNeeded
        /// Fetching a new token failed. A later attempt may succeed; see the cause.
        case refreshFailed
        /// The limit on refreshes was reached.
        case tooManyRefreshes(RefreshLimit)
        /// The new token could not be saved. Saving is retried before the next call uses it.
        case tokenNotSaved
        /// The token was removed while a new one was being fetched.
        case signedOut
    }

    /// The problem.
    public let problem: Problem
    /// The request at the time of the error, redacted.
    public let exchange: ExchangeSnapshot?
    /// The provider's error, such as an ``OAuthError`` or a transport's error.
    public let underlyingError: (any Error)?

    init(_ problem: Problem, exchange: ExchangeSnapshot, underlyingError: (any Error)? = nil) {
        self.problem = problem
        self.exchange = exchange
        self.underlyingError = underlyingError
    }

    /// Converts the error of a failed refresh.
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

    /// The network failure that prevented fetching credentials; the call is then retried like after any network
    /// failure.
    package var networkFailure: TransportError? {
        TransportError.behind(underlyingError, stage: stage, exchange: exchange)
    }

    package var explanation: Explanation {
        switch problem {
        case .malformedToken:
            Explanation(
                "the token is empty or has invalid characters (RFC 6749 §A.12)",
                "check where it comes from"
            )
        case .signInNeeded:
            Explanation(
                "a new token requires a new sign-in",
                "sign in, and pass the new token to the stage (replaceToken)"
            )
        case .refreshFailed:
            Explanation("no new token could be obtained", "see the cause; the next call tries again")
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
            Explanation(
                "the token was removed while a new one was being fetched",
                "sign in, and send the request again"
            )
        }
    }
}

/// The provider returned a token that can't be sent.
struct MalformedTokenError: Error {}
