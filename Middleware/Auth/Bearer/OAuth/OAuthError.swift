public import HTTPChainCore

/// A token endpoint gave no token.
public struct OAuthError: HTTPChainError {
    /// The code of an error, RFC 6749 §5.2; other documents and servers have further ones.
    public struct Code: RawRepresentable, Sendable, Hashable, CustomStringConvertible {
        /// The code as the server writes it.
        public let rawValue: String

        /// A code as the server writes it.
        public init(rawValue: String) {
            self.rawValue = rawValue
        }

        /// A parameter is missing, repeated or wrong.
        public static let invalidRequest = Code(rawValue: "invalid_request")
        /// The client is not known, or did not prove who it is.
        public static let invalidClient = Code(rawValue: "invalid_client")
        /// The refresh token or authorization code is not valid, or no longer: the user has to sign in again.
        public static let invalidGrant = Code(rawValue: "invalid_grant")
        /// This client may not get a token in this way.
        public static let unauthorizedClient = Code(rawValue: "unauthorized_client")
        /// The server does not know this way to get a token.
        public static let unsupportedGrantType = Code(rawValue: "unsupported_grant_type")
        /// The scope is unknown, malformed or more than was granted.
        public static let invalidScope = Code(rawValue: "invalid_scope")

        /// The code as the server writes it.
        public var description: String { rawValue }
    }

    /// The problem.
    #if hasAttribute(nonexhaustive)
    @nonexhaustive
    #endif
    public enum Problem: Sendable, Hashable {
        /// The server refused, RFC 6749 §5.2: its code, and what it says to developers, where it says something.
        case refused(Code, detail: String?)
        /// The status is neither success nor comes with an error of OAuth.
        case unexpectedStatus(Int)
        /// The reply is no token, for this reason.
        case malformedReply(String)
        /// The token is of a type that is not understood, and must not be used (RFC 6749 §7.1).
        case unsupportedTokenType(String)
        /// The URL of the token endpoint is not an absolute one that is reached over TLS (RFC 6749 §3.2).
        case insecureEndpoint
        /// The endpoint redirects, which is not followed: the request holds secrets that are for the endpoint alone.
        case redirected(Int)
        /// The transport follows redirects itself, and would take the secrets in the request along.
        case transportFollowsRedirects
        /// There is no refresh token to ask for a new token with.
        case noRefreshToken
    }

    /// The problem.
    public let problem: Problem
    /// The request to the token endpoint and the head of its reply, redacted; `nil` when there was no request.
    public let exchange: ExchangeSnapshot?
    /// Why the reply could not be read.
    public let underlyingError: (any Error)?

    /// Makes the error, as a provider of tokens throws it.
    public init(_ problem: Problem, exchange: ExchangeSnapshot? = nil, underlyingError: (any Error)? = nil) {
        self.problem =
            switch problem {
            case .refused(let code, let detail): .refused(code, detail: detail.map { Redaction.standard.text($0) })
            case .malformedReply(let why): .malformedReply(Redaction.standard.text(why))
            case .unsupportedTokenType(let type): .unsupportedTokenType(Redaction.standard.text(type))
            default: problem
            }
        self.exchange = exchange
        self.underlyingError = underlyingError
    }

    /// The server's code; `nil` when it did not refuse with one.
    public var code: Code? {
        if case .refused(let code, _) = problem { code } else { nil }
    }

    /// Whether only a new sign-in helps: the grant is not valid any more, or there is none.
    public var needsSignIn: Bool { code == .invalidGrant || problem == .noRefreshToken }

    /// Always "TokenEndpoint".
    public var stage: String { "TokenEndpoint" }

    /// A description of what happened.
    public var reason: String { explanation.reason }

    /// Advice on what to do about it; `nil` if there is none.
    public var recoverySuggestion: String? { explanation.advice }

    private var explanation: Explanation {
        switch problem {
        case .refused(let code, let detail):
            Explanation(
                "the authorization server refused with \(code)" + (detail.map { " (\($0))" } ?? ""),
                Self.advice(code)
            )
        case .unexpectedStatus(let status):
            Explanation("the token endpoint answered \(status) and no error of OAuth", "look whether its URL is right")
        case .malformedReply(let why):
            Explanation("the reply of the token endpoint is no token: \(why)", "look whether its URL is right")
        case .unsupportedTokenType(let type):
            Explanation(
                "the server sent a token of the type \"\(type)\", and only Bearer tokens can be used (RFC 6749 §7.1)",
                "ask for a Bearer token; if this is one under another name, accept it: "
                    + "TokenEndpoint.accepting(tokenTypes:)"
            )
        case .insecureEndpoint:
            Explanation(
                "the URL of the token endpoint must be absolute, and https (RFC 6749 §3.2)",
                "change it, or allow plaintext where the network is your own"
            )
        case .redirected(let status):
            Explanation(
                "the token endpoint answered \(status), a redirect, which is not followed: the request holds secrets "
                    + "that are for the endpoint alone",
                "write the URL where it is now"
            )
        case .transportFollowsRedirects:
            Explanation(
                "the transport follows redirects itself, and would take the secrets in the request along",
                "switch that off in the transport"
            )
        case .noRefreshToken:
            Explanation(
                "there is no refresh token",
                "sign in, and give the stage the token (with its refresh token) that comes of it"
            )
        }
    }

    private static func advice(_ code: Code) -> String? {
        switch code {
        case .invalidGrant: "sign in again"
        case .invalidClient: "look at the client's identifier and secret, and how they are sent (basic or body)"
        case .invalidScope: "ask for less, or for what the server knows"
        default: nil
        }
    }
}
