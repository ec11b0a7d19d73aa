public import HTTPChainCore

/// Thrown if a token endpoint returns no token.
public struct OAuthError: ExplainedError {
    /// The problem.
    #if hasAttribute(nonexhaustive)
    @nonexhaustive
    #endif
    public enum Problem: Sendable, Hashable {
        /// The server refused, with its code, such as `invalid_grant` (RFC 6749 §5.2), and its explanation for
        /// developers, if any.
        case refused(String, detail: String?)
        /// The status isn't a success, and the response has no OAuth error.
        case unexpectedStatus(Int)
        /// The response isn't a token, for this reason.
        case malformedReply(String)
        /// The token's type isn't supported, so the token must not be used (RFC 6749 §7.1).
        case unsupportedTokenType(String)
        /// The token endpoint's URL isn't absolute or isn't reached over TLS (RFC 6749 §3.2).
        case insecureEndpoint
        /// The endpoint redirects. The redirect isn't followed, because the request contains secrets for the endpoint
        /// only.
        case redirected(Int)
        /// The transport follows redirects itself, and would forward the request's secrets.
        case transportFollowsRedirects
        /// There is no refresh token for getting a new token.
        case noRefreshToken
    }

    /// The problem.
    public let problem: Problem
    package let failedExchange: ExchangeSnapshot?
    package let cause: (any Error)?

    /// Makes the error, for token providers.
    public init(_ problem: Problem, exchange: ExchangeSnapshot? = nil, underlyingError: (any Error)? = nil) {
        self.problem =
            switch problem {
            case .refused(let code, let detail): .refused(code, detail: detail.map { Redaction.standard.text($0) })
            case .malformedReply(let why): .malformedReply(Redaction.standard.text(why))
            case .unsupportedTokenType(let type): .unsupportedTokenType(Redaction.standard.text(type))
            default: problem
            }
        failedExchange = exchange
        cause = underlyingError
    }

    /// The server's code, such as `invalid_client`, or `nil` if there is none; see also ``needsSignIn``.
    public var code: String? {
        if case .refused(let code, _) = problem { code } else { nil }
    }

    /// Whether a new sign-in is required, because the grant is no longer valid or there is none.
    public var needsSignIn: Bool { code == "invalid_grant" || problem == .noRefreshToken }

    package var failedStage: String { "TokenEndpoint" }

    package var explanation: Explanation {
        switch problem {
        case .refused(let code, let detail):
            Explanation(
                "the authorization server rejected the request with \(code)" + (detail.map { " (\($0))" } ?? ""),
                Self.advice(code)
            )
        case .unexpectedStatus(let status):
            Explanation("the token endpoint responded with \(status) and no OAuth error", "check its URL")
        case .malformedReply(let why):
            Explanation("the response of the token endpoint has no token: \(why)", "check its URL")
        case .unsupportedTokenType(let type):
            Explanation(
                "the server sent a token of the type \"\(type)\", but only Bearer tokens can be used (RFC 6749 §7.1)",
                "ask for a Bearer token; if this is one under another name, accept it: "
                    + "TokenEndpoint.accepting(tokenTypes:)"
            )
        case .insecureEndpoint:
            Explanation(
                "the URL of the token endpoint must be absolute and https (RFC 6749 §3.2)",
                "change it, or allow plaintext if the network is your own"
            )
        case .redirected(let status):
            Explanation(
                "the token endpoint responded with \(status), a redirect, which is not followed: the request contains secrets "
                    + "that are only for the endpoint",
                "use the endpoint's current URL"
            )
        case .transportFollowsRedirects:
            Explanation(
                "the transport follows redirects itself, and would send the request's secrets along",
                "switch that off in the transport"
            )
        case .noRefreshToken:
            Explanation(
                "there is no refresh token",
                "sign in, and pass the new token (with its refresh token) to the stage"
            )
        }
    }

    private static func advice(_ code: String) -> String? {
        switch code {
        case "invalid_grant": "sign in again"
        case "invalid_client": "check the client's identifier and secret, and how they are sent (basic or body)"
        case "invalid_scope": "request fewer scopes, or ones that the server supports"
        default: nil
        }
    }
}
