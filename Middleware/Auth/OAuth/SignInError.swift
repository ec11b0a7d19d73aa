import HTTPChainAuth
public import HTTPChainCore

/// Thrown if a sign-in results in no token.
///
/// If the token endpoint refuses, an `OAuthError` is thrown instead.
public struct SignInError: ExplainedError {
    /// The problem.
    #if hasAttribute(nonexhaustive)
    @nonexhaustive
    #endif
    public enum Problem: Sendable, Hashable {
        /// The authorization server returned an error (RFC 6749 §4.1.2.1, RFC 8628 §3.5), such as `access_denied` if
        /// the user declined, with its code and its explanation for developers, if any.
        case refused(String, detail: String?)
        /// The callback's `state` is wrong or missing (RFC 6749 §10.12), so the callback doesn't belong to the request.
        ///
        /// An attacker may be trying to sign the user in to another account.
        case wrongState
        /// The callback names another authorization server than the request's (RFC 9207 §2.4).
        ///
        /// `nil` if a required name is missing.
        case wrongIssuer(String?)
        /// The callback isn't a response to an authorization request, for this reason.
        case malformedCallback(String)
        /// The user did not sign in before the code expired (RFC 8628 §3.5).
        case expired
        /// This endpoint's URL isn't absolute, or is reached neither over TLS nor on this machine.
        case insecureEndpoint(String)
        /// The server's metadata is invalid, for this reason (RFC 8414 §3.3).
        case unusableMetadata(String)
        /// The server's metadata doesn't contain this endpoint.
        case noEndpoint(String)
        /// Listening for the browser's callback failed, for this reason.
        case cannotListen(String)
        /// The user closed the sign-in, or the system's sign-in session failed.
        case dismissed
    }

    /// The problem.
    public let problem: Problem
    package let failedExchange: ExchangeSnapshot?
    package let cause: (any Error)?

    /// Makes the error.
    public init(_ problem: Problem, exchange: ExchangeSnapshot? = nil, underlyingError: (any Error)? = nil) {
        self.problem =
            switch problem {
            case .insecureEndpoint(let url): .insecureEndpoint(Redaction.standard.url(url))
            case .refused(let code, let detail): .refused(code, detail: detail.map { Redaction.standard.text($0) })
            case .wrongIssuer(let issuer): .wrongIssuer(issuer.map { Redaction.standard.url($0) })
            default: problem
            }
        failedExchange = exchange
        cause = underlyingError
    }

    package var failedStage: String { "OAuth" }

    package var explanation: Explanation {
        switch problem {
        case .refused(let code, let detail):
            Explanation(
                "the authorization server rejected the request with \(code)" + (detail.map { " (\($0))" } ?? ""),
                code == "access_denied" ? "ask the user again only when they want it" : nil
            )
        case .wrongState:
            Explanation("the callback belongs to another sign-in (its state differs)", "start again")
        case .wrongIssuer(let issuer):
            Explanation(
                "the callback is from "
                    + (issuer.map { "another authorization server, \($0)" } ?? "a server that does not name itself"),
                "start again, and find out who sent it"
            )
        case .malformedCallback(let why):
            Explanation(
                "the callback is invalid: \(why)",
                "check the redirect URI"
            )
        case .expired:
            Explanation("the user did not sign in before the code expired", "start again")
        case .insecureEndpoint(let url):
            Explanation("\(url) is not an absolute https URL (RFC 6749 §3.1)", "change it")
        case .unusableMetadata(let why):
            Explanation(
                "the authorization server's metadata is invalid: \(why)",
                "check the issuer"
            )
        case .noEndpoint(let name):
            Explanation("the authorization server's metadata has no \(name)", "the server does not offer this")
        case .cannotListen(let why):
            Explanation("cannot listen for the browser's callback: \(why)")
        case .dismissed:
            Explanation("the user closed the sign-in")
        }
    }
}
