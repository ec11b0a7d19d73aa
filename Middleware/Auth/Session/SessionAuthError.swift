public import HTTPChainCore

/// There is no session to send a request in.
public struct SessionAuthError: NetworkFailure {
    /// The problem.
    #if hasAttribute(nonexhaustive)
    @nonexhaustive
    #endif
    public enum Problem: Sendable, Hashable {
        /// No session could be opened; the cause says why.
        case authenticationFailed
        /// Sessions were opened as often as the limit allows.
        case tooManyAuthentications(RefreshLimit)
        /// The session was ended while another was opened.
        case ended
        /// There is no open session, and the stage is set to open none by itself.
        case noSession
    }

    /// The problem.
    public let problem: Problem
    /// The request as it stood, redacted.
    public let exchange: ExchangeSnapshot?
    /// The error that the authenticator threw.
    public let underlyingError: (any Error)?

    init(_ problem: Problem, exchange: ExchangeSnapshot?) {
        self.problem = problem
        self.exchange = exchange
        underlyingError = nil
    }

    /// Makes the error that a failed refresh is for a call.
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
        case .authenticationFailed:
            Explanation("no session could be opened", "the cause says why, and the next call tries again")
        case .tooManyAuthentications(let limit):
            Explanation(
                "sessions were opened too often (the limit is \(limit))",
                "find out why each of them ends at once"
            )
        case .ended:
            Explanation("the session was ended while another was opened", "authenticate, and send the request again")
        case .noSession:
            Explanation("there is no open session", "open one (openSession), and send the request again")
        }
    }
}
