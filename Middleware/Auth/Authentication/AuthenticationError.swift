public import HTTPChainCore

/// Thrown if there are no credentials to send: no password, no token, or no session.
///
/// If a custom provider or authenticator failed, its error is the `underlyingError`. If a refresh failed, it is the
/// ``OAuthError`` or the transport's error.
public struct AuthenticationError: NetworkFailure, ExplainedError {
    /// The problem.
    #if hasAttribute(nonexhaustive)
    @nonexhaustive
    #endif
    public enum Problem: Sendable, Hashable {
        /// The credential provider threw the `underlyingError`.
        case providerFailed(ProtectionSpace)
        /// The credential provider depends on itself: it sends a request that needs the credential it is providing.
        case providerWaitsForItself(ProtectionSpace)
        /// The scheme (first) can't carry the credential, for the given reason (second).
        case invalidCredential(scheme: String, why: String)
        /// The server's own proof is wrong or missing, so the server may be an impostor.
        case serverNotProven(why: String)
        /// The scheme covers the content, but the request's body can be read only once, so that nothing would be left
        /// to send.
        case bodyReadableOnce(scheme: String)
        /// The request names a route (first) that ``RoutedAuthMiddleware`` doesn't have.
        ///
        /// The second value lists the routes that have names.
        case unknownRoute(String, known: [String])
        /// The token is empty or contains characters that aren't allowed in tokens (RFC 6749 §A.12).
        case malformedToken
        /// A new sign-in is required: there is no refresh token, or it is no longer valid.
        case signInNeeded
        /// Fetching a new token failed. A later attempt may succeed; see the cause.
        case refreshFailed
        /// The limit on refreshes of a token was reached.
        case tooManyRefreshes(RefreshLimit)
        /// The new token could not be saved. Saving is retried before the next call uses it.
        case tokenNotSaved
        /// The token was removed while a new one was being fetched.
        case signedOut
        /// No session could be opened; see the cause.
        case authenticationFailed
        /// The limit on opening sessions was reached.
        case tooManyAuthentications(RefreshLimit)
        /// The session was ended while another was being opened.
        case sessionEnded
        /// There is no open session, and the stage doesn't open one automatically.
        case noSession
    }

    /// The problem.
    public let problem: Problem
    package let failedStage: String
    package let failedExchange: ExchangeSnapshot?
    package let cause: (any Error)?
    /// The notes of outer stages.
    package var notes = ErrorNotes()

    package init(
        _ problem: Problem,
        stage: String,
        exchange: ExchangeSnapshot? = nil,
        underlyingError: (any Error)? = nil
    ) {
        self.problem = problem
        failedStage = stage
        failedExchange = exchange
        cause = underlyingError
    }

    /// The network failure that prevented fetching credentials; the call is then retried as after any network failure.
    package var networkFailure: TransportError? {
        TransportError.behind(underlyingError, stage: stage, exchange: exchange)
    }

    package var explanation: Explanation {
        switch problem {
        case .providerFailed(let space):
            Explanation(
                "the credential for \(space) could not be obtained",
                "see the cause, which is the provider's error"
            )
        case .providerWaitsForItself(let space):
            Explanation(
                "the provider of the credential for \(space) sends a request that needs this credential, and would wait "
                    + "for itself",
                "send its requests through a separate chain, or with authentication(false)"
            )
        case .invalidCredential(let scheme, let why):
            Explanation("\(scheme) cannot carry the credential: \(why)")
        case .serverNotProven(let why):
            Explanation("the server did not prove that it knows the password: \(why)", "do not trust the response")
        case .unknownRoute(let name, let known):
            Explanation(
                "there is no route called \"\(name)\"",
                known.isEmpty ? "no route has a name" : "those with a name are \(known.joined(separator: ", "))"
            )
        case .bodyReadableOnce(let scheme):
            Explanation(
                "\(scheme) must cover the content, but the body can be read only once",
                "send a body that can be read again, such as body.buffered(upTo:)"
            )
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
        case .refreshFailed:
            Explanation("no new token could be obtained", "see the cause; the next call tries again")
        case .tooManyAuthentications(let limit):
            Explanation(
                "sessions were opened too often (the limit is \(limit))",
                "find out why each of them ends at once"
            )
        case .sessionEnded:
            Explanation(
                "the session was ended while another was being opened",
                "authenticate, and send the request again"
            )
        case .noSession:
            Explanation("there is no open session", "open one (openSession), and send the request again")
        case .authenticationFailed:
            Explanation("no session could be opened", "see the cause; the next call tries again")
        }
    }
}

extension AuthenticationError {
    /// Converts the error of a failed token refresh.
    init(ofToken error: any Error, exchange: ExchangeSnapshot) {
        let (problem, cause): (Problem, (any Error)?) =
            switch error {
            case RefreshError.tooMany(let limit): (.tooManyRefreshes(limit), nil)
            case RefreshError.ended: (.signedOut, nil)
            case RefreshError.malformed: (.malformedToken, nil)
            case RefreshError.notSaved(let cause): (.tokenNotSaved, cause)
            case let error as OAuthError where error.needsSignIn: (.signInNeeded, error)
            default: (.refreshFailed, error)
            }
        self.init(problem, stage: "BearerAuthMiddleware", exchange: exchange, underlyingError: cause)
    }

    /// Converts the error of a session that could not be opened.
    init(ofSession error: any Error, exchange: ExchangeSnapshot?) {
        let (problem, cause): (Problem, (any Error)?) =
            switch error {
            case RefreshError.tooMany(let limit): (.tooManyAuthentications(limit), nil)
            case RefreshError.ended: (.sessionEnded, nil)
            default: (.authenticationFailed, error)
            }
        self.init(problem, stage: "SessionAuthMiddleware", exchange: exchange, underlyingError: cause)
    }
}
