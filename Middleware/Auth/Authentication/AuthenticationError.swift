public import HTTPChainCore

/// Thrown if credentials can't be created.
public struct AuthenticationError: NetworkFailure, ExplainedError {
    /// The problem.
    #if hasAttribute(nonexhaustive)
    @nonexhaustive
    #endif
    public enum Problem: Sendable, Hashable {
        /// The credential provider threw ``AuthenticationError/underlyingError``.
        case providerFailed(ProtectionSpace)
        /// The credential provider depends on itself: it sends a request that needs the credential it is providing.
        case providerWaitsForItself(ProtectionSpace)
        /// The scheme (first) can't carry the credential, for the given reason (second).
        case invalidCredential(scheme: String, why: String)
        /// The server's own proof is wrong or missing: the server may be an impostor.
        case serverNotProven(why: String)
        /// The scheme covers the content, and the request's body can be read only once, so that nothing would be left
        /// to send.
        case bodyReadableOnce(scheme: String)
        /// The request names a route (first) that ``RoutedAuthMiddleware`` doesn't have; those with a name are the second.
        case unknownRoute(String, known: [String])
    }

    /// The problem.
    public let problem: Problem
    /// The stage that failed.
    public let stage: String
    /// The request at the time of the error, redacted.
    public let exchange: ExchangeSnapshot?
    /// The provider's error.
    public let underlyingError: (any Error)?

    package init(
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

    /// The network failure that prevented fetching credentials; the call is then retried like after any network
    /// failure.
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
                "send its requests through a separate chain, or with unauthenticated()"
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
        }
    }
}
