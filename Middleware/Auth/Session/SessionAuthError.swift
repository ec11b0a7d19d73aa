public import HTTPChainCore

/// There is no session to send a request in.
public struct SessionAuthError: HTTPChainError {
    /// What went wrong.
    public enum Problem: Sendable, Hashable {
        /// No session could be opened; the cause says why.
        case authenticationFailed
        /// Sessions were opened as often as the limit allows.
        case tooManyAuthentications(RenewalLimit)
        /// The session was ended while another was opened in its place.
        case ended
    }

    /// What went wrong.
    public let problem: Problem
    /// The request as it stood, redacted.
    public let exchange: ExchangeSnapshot?
    /// What the authenticator threw.
    public let underlyingError: (any Error)?

    /// What a failed renewal means for a call.
    init(renewal error: any Error, exchange: ExchangeSnapshot) {
        self.exchange = exchange
        switch error {
        case RenewalError.tooMany(let limit):
            problem = .tooManyAuthentications(limit)
            underlyingError = nil
        case RenewalError.ended:
            problem = .ended
            underlyingError = nil
        default:
            problem = .authenticationFailed
            underlyingError = error
        }
    }

    /// Always "SessionAuthMiddleware".
    public var stage: String { "SessionAuthMiddleware" }

    /// What went wrong and what to do about it.
    public var reason: String {
        switch problem {
        case .authenticationFailed:
            "no session could be opened; the cause says why, and the next call tries again"
        case .tooManyAuthentications(let limit):
            "sessions were opened too often (the limit is \(limit)); find out why each of them ends at once"
        case .ended:
            "the session was ended while another was opened in its place; authenticate, and send the request again"
        }
    }
}
