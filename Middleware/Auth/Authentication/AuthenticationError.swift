public import HTTPChainCore

/// Credentials cannot be made.
public struct AuthenticationError: NetworkFailure {
    /// The problem.
    #if hasAttribute(nonexhaustive)
    @nonexhaustive
    #endif
    public enum Problem: Sendable, Hashable {
        /// The provider of credentials threw; ``AuthenticationError/underlyingError`` is what it threw.
        case providerFailed(ProtectionSpace)
        /// The provider of credentials waits for itself: it sends a request that needs the credential it is to provide.
        case providerWaitsForItself(ProtectionSpace)
        /// The scheme (first) cannot carry the credential for the reason given (second).
        case invalidCredential(scheme: String, why: String)
        /// The server's own proof is wrong or missing: it may not be who it says it is.
        case serverNotProven(why: String)
        /// The scheme covers the content, and the request's body can be read only once: reading it for that would leave
        /// nothing to send.
        case bodyReadableOnce(scheme: String)
    }

    /// The problem.
    public let problem: Problem
    /// The stage that failed.
    public let stage: String
    /// The request as it stood, redacted.
    public let exchange: ExchangeSnapshot?
    /// The error that the provider threw.
    public let underlyingError: (any Error)?

    /// Makes the error.
    public init(
        _ problem: Problem,
        stage: String,
        exchange: ExchangeSnapshot? = nil,
        underlyingError: (any Error)? = nil
    ) {
        self.problem = problem
        self.stage = stage
        self.exchange = exchange
        self.underlyingError = underlyingError
    }

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
        case .providerFailed(let space):
            Explanation("the credential for \(space) could not be had", "see the cause, which is the provider's error")
        case .providerWaitsForItself(let space):
            Explanation(
                "the provider of the credential for \(space) sends a request that needs this credential, and would wait "
                    + "for itself",
                "send its requests through a chain of their own, or with unauthenticated()"
            )
        case .invalidCredential(let scheme, let why):
            Explanation("\(scheme) cannot carry the credential: \(why)")
        case .serverNotProven(let why):
            Explanation("the server did not prove that it knows the password: \(why)", "do not trust the response")
        case .bodyReadableOnce(let scheme):
            Explanation(
                "\(scheme) has to cover the content, and the body can be read only once",
                "send a body that can be read again, such as body.buffered(upTo:)"
            )
        }
    }
}
