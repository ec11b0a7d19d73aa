public import HTTPChainCore
import HTTPTypes

/// A server's challenge to a request with a rejected Bearer token, RFC 6750 §3.
public struct BearerChallenge: Sendable, Hashable {
    /// The name of the protection space, or `nil` if none is given.
    package let realm: String?
    /// The server's reason for rejecting the token, or `nil` if it gave none, as for a request without a token.
    ///
    /// `invalid_token`: it has expired, was revoked, or wasn't issued by this server. `insufficient_scope`: it is valid,
    /// but its ``scope`` is insufficient. `invalid_request`: the request is malformed, and another token would not help
    /// (RFC 6750 §3.1). Servers may use other codes.
    public let error: String?
    /// The server's explanation for developers.
    public let detail: String?
    /// The required permissions; empty if the server doesn't name them.
    public let scope: [String]

    /// Selects a response's Bearer challenge: the first that has an error, otherwise the first; returns `nil` if there
    /// is none.
    package init?(_ challenges: [Challenge]) {
        let own = challenges.filter { $0.is("Bearer") }
        guard let challenge = own.first(where: { $0["error"] != nil }) ?? own.first else { return nil }
        realm = challenge.realm
        error = challenge["error"]
        detail = challenge["error_description"]
        scope = challenge["scope"]?.pieces(at: " ").map(String.init) ?? []
    }

    /// The reason why a new token would not help, or `nil` if it might help.
    ///
    /// A new token might help if the server says `invalid_token`, a code that RFC 6750 doesn't define, or nothing.
    package var objection: String? {
        switch error {
        case "invalid_request": "the request is malformed (invalid_request), and another token does not help"
        case "insufficient_scope":
            "the token does not allow this (insufficient_scope)"
                + (scope.isEmpty ? "" : "; one with the scope \(scope.joined(separator: " ")) is needed")
        default: nil
        }
    }
}

extension Response {
    /// The server's challenge to this call's token, in a response with status 400, 401 or 403; `nil` if there is none,
    /// or if the response came from an origin that the token isn't for.
    ///
    /// ```swift
    /// if let challenge = response.bearerChallenge, challenge.error == "insufficient_scope" {
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

extension BearerChallenge: CustomStringConvertible, DescribedValue {
    /// The code, scope and server's explanation, on one line.
    package var words: String {
        var text = error ?? "no error"
        if let detail { text += " (\(detail))" }
        if !scope.isEmpty { text += ", scope \(scope.joined(separator: " "))" }
        return text
    }
}
