public import HTTPChainCore
import HTTPTypes

/// A server's challenge to a request whose Bearer token it rejects, RFC 6750 §3.
public struct BearerChallenge: Sendable, Hashable, CustomStringConvertible {
    /// Why the token is rejected, RFC 6750 §3.1; other servers have further codes.
    public struct Code: RawRepresentable, Sendable, Hashable, CustomStringConvertible {
        /// The code as the server writes it.
        public let rawValue: String

        /// A code as the server writes it.
        public init(rawValue: String) {
            self.rawValue = rawValue
        }

        /// The request is malformed; another token would not help.
        public static let invalidRequest = Code(rawValue: "invalid_request")
        /// The token has expired, was revoked, or is no token of this server.
        public static let invalidToken = Code(rawValue: "invalid_token")
        /// The token is good, but not for this; see ``BearerChallenge/scope``.
        public static let insufficientScope = Code(rawValue: "insufficient_scope")

        /// The code as the server writes it.
        public var description: String { rawValue }
    }

    /// The name of the protection space; `nil` when none is given.
    public let realm: String?
    /// Why the token is rejected; `nil` when the server does not say, as for a request that had none.
    public let error: Code?
    /// The server's explanation for developers.
    public let detail: String?
    /// The permissions that a token must give; empty when the server does not say.
    public let scope: [String]

    /// The Bearer challenge among those of a response: the first that gives an error, else the first; `nil` when there
    /// is none.
    public init?(_ challenges: [Challenge]) {
        let own = challenges.filter { $0.is("Bearer") }
        guard let challenge = own.first(where: { $0["error"] != nil }) ?? own.first else { return nil }
        realm = challenge.realm
        error = challenge["error"].map(Code.init)
        detail = challenge["error_description"]
        scope = challenge["scope"]?.pieces(at: " ").map(String.init) ?? []
    }

    /// Why a new token would not help; `nil` when it might.
    ///
    /// It might when the server says `invalid_token`, something that RFC 6750 does not know, or nothing.
    public var objection: String? {
        switch error {
        case .invalidRequest: "the request is malformed (invalid_request), and no other token mends that"
        case .insufficientScope:
            "the token is not good for this (insufficient_scope)"
                + (scope.isEmpty ? "" : "; one with the scope \(scope.joined(separator: " ")) is needed")
        default: nil
        }
    }

    /// Code, scope and the server's words, on one line.
    public var description: String {
        var text = error?.rawValue ?? "no error"
        if let detail { text += " (\(detail))" }
        if !scope.isEmpty { text += ", scope \(scope.joined(separator: " "))" }
        return text
    }
}

extension Response {
    /// The server's challenge about the token of this call, in the challenges of a response with the status 400, 401 or
    /// 403; `nil` when it says nothing, and when the response came from another origin than the token is for.
    ///
    /// ```swift
    /// if let challenge = response.bearerChallenge, challenge.error == .insufficientScope {
    ///     askUser(toAllow: challenge.scope)
    /// }
    /// ```
    public var bearerChallenge: BearerChallenge? {
        if case .otherOrigin = authenticationRefusal { return nil }
        switch status.code {
        case 400, 401, 403: return BearerChallenge(challenges(.origin))
        default: return nil
        }
    }
}
