public import HTTPChainCore

/// Thrown if there is no session for a request.
public struct SessionAuthError: NetworkFailure, ExplainedError {
    /// The problem.
    #if hasAttribute(nonexhaustive)
    @nonexhaustive
    #endif
    public enum Problem: Sendable, Hashable {
        /// No session could be opened; see the cause.
        case authenticationFailed
        /// The limit on opening sessions was reached.
        case tooManyAuthentications(RefreshLimit)
        /// The session was ended while another was being opened.
        case ended
        /// There is no open session, and the stage doesn't open one automatically.
        case noSession
    }

    /// The problem.
    public let problem: Problem
    /// The request at the time of the error, redacted.
    public let exchange: ExchangeSnapshot?
    /// The authenticator's error.
    public let underlyingError: (any Error)?

    init(_ problem: Problem, exchange: ExchangeSnapshot?) {
        self.problem = problem
        self.exchange = exchange
        underlyingError = nil
    }

    /// Converts the error of a failed refresh.
    init(refresh error: any Error, exchange: ExchangeSnapshot?) {
        self.exchange = exchange
        switch error {
        case RefreshError.tooMany(let limit):
            problem = .tooManyAuthentications(limit)
            underlyingError = nil
        case RefreshError.ended:
            problem = .ended
            underlyingError = nil
        default:
            problem = .authenticationFailed
            underlyingError = error
        }
    }

    /// Always "SessionAuthMiddleware".
    public var stage: String { "SessionAuthMiddleware" }

    /// The network failure that prevented opening a session; the call is then retried like after any network failure.
    package var networkFailure: TransportError? {
        TransportError.behind(underlyingError, stage: stage, exchange: exchange)
    }

    package var explanation: Explanation {
        switch problem {
        case .authenticationFailed:
            Explanation("no session could be opened", "see the cause; the next call tries again")
        case .tooManyAuthentications(let limit):
            Explanation(
                "sessions were opened too often (the limit is \(limit))",
                "find out why each of them ends at once"
            )
        case .ended:
            Explanation(
                "the session was ended while another was being opened",
                "authenticate, and send the request again"
            )
        case .noSession:
            Explanation("there is no open session", "open one (openSession), and send the request again")
        }
    }
}
