import Foundation
import HTTPChainAuth
package import HTTPChainCore
import HTTPChainSupport

/// A request for a user's authorization, RFC 6749 §4.1.1, and the validation of its callback.
///
/// It is valid for one sign-in, with its own `state` and proof key.
public struct AuthorizationRequest: Sendable, Hashable {
    /// The URL that the browser opens.
    public let url: String
    /// The URI of the browser's callback.
    package let redirectURI: String
    /// The value that must be returned unchanged in the callback (RFC 6749 §10.12).
    package let state: Secret
    /// The proof key whose verifier is sent with the code.
    package let proofKey: ProofKey
    private let issuer: String?
    private let namesIssuer: Bool

    /// Makes a request.
    ///
    /// - Parameters:
    ///   - endpoint: The authorization endpoint; https, or a loopback address. Its query is kept.
    ///   - clientID: The client's identifier.
    ///   - redirectURI: The URI of the browser's callback, as registered with the server.
    ///   - scope: The requested scope. Defaults to the server's choice.
    ///   - parameters: The additional parameters, such as `prompt` or `login_hint`. Defaults to none. They can't
    ///     replace the request's own parameters.
    ///   - issuer: The server's name, which the callback must match if it has one (RFC 9207).
    ///   - namesIssuer: Whether the server always returns its name
    ///     (``AuthorizationServerMetadata/namesIssuerInCallback``). Defaults to `false`.
    ///   - random: The source of `state` and the proof key.
    /// - Throws: ``SignInError`` if the endpoint isn't reached over TLS.
    package init(
        to endpoint: String,
        clientID: String,
        redirectURI: String,
        scope: [String] = [],
        parameters: [String: String] = [:],
        issuer: String? = nil,
        namesIssuer: Bool = false,
        random: some RandomSource
    ) throws(SignInError) {
        guard Origin(endpoint)?.isConfidential == true else { throw SignInError(.insecureEndpoint(endpoint)) }
        state = Secret(Base64URL.encode(random.bytes(16)))
        proofKey = ProofKey(random: random)
        self.redirectURI = redirectURI
        self.issuer = issuer
        self.namesIssuer = namesIssuer
        var query = parameters
        query["response_type"] = "code"
        query["client_id"] = clientID
        query["redirect_uri"] = redirectURI
        query["scope"] = scope.isEmpty ? nil : scope.joined(separator: " ")
        query["state"] = state.revealed
        query["code_challenge"] = proofKey.challenge
        query["code_challenge_method"] = "S256"
        // The query must be before a fragment, which RFC 6749 §3.1 forbids in the endpoint anyway.
        let base = String(endpoint.unicodeScalars.prefix { $0 != "#" })
        let separator =
            base.utf8.contains(UInt8(ascii: "?")) ? (base.ends(with: "?") || base.ends(with: "&") ? "" : "&") : "?"
        url = base + separator + FormEncoding.text(query)
    }

    /// Returns the authorization code in a callback URL, RFC 6749 §4.1.2.
    ///
    /// - Throws: ``SignInError`` if the callback doesn't belong to this request, or is an error of the server.
    package func code(in callback: String) throws(SignInError) -> Secret {
        let (target, query) = Self.split(callback)
        guard String(target).hasSameBytes(as: String(Self.split(redirectURI).target)) else {
            throw SignInError(.malformedCallback("it is not the redirect URI"))
        }
        let values = Self.values(of: query)
        // Checked first: without a valid state, everything else may be forged.
        guard try hasState(values) else { throw SignInError(.wrongState) }
        try checkIssuer(try Self.single("iss", values))
        if let error = try Self.single("error", values) {
            let detail = try Self.single("error_description", values).map { $0.printable(cutAfter: 256) }
            throw SignInError(.refused(error.printable(cutAfter: 256), detail: detail))
        }
        guard let code = try Self.single("code", values), !code.isEmpty else {
            throw SignInError(.malformedCallback("it has no code"))
        }
        return Secret(code)
    }

    /// Whether a callback URL has this request's state, exactly once.
    func hasState(in callback: String) -> Bool {
        (try? hasState(Self.values(of: Self.split(callback).query))) ?? false
    }

    private func hasState(_ values: [(name: String, value: String)]) throws(SignInError) -> Bool {
        try Self.single("state", values).map { ConstantTime.isEqual($0.utf8, state.revealed.utf8) } ?? false
    }

    /// Checks the issuer in a callback, RFC 9207 §2.4.
    private func checkIssuer(_ name: String?) throws(SignInError) {
        guard let issuer else { return }
        if let name, !name.hasSameBytes(as: issuer) { throw SignInError(.wrongIssuer(name.printable(cutAfter: 256))) }
        if name == nil, namesIssuer { throw SignInError(.wrongIssuer(nil)) }
    }

    private static func split(_ url: String) -> (target: Substring, query: Substring) {
        let url = url.unicodeScalars.prefix { $0 != "#" }
        let target = url.prefix { $0 != "?" }
        return (Substring(target), Substring(url[target.endIndex...].dropFirst()))
    }

    private static func values(of query: Substring) -> [(name: String, value: String)] {
        query.pieces(at: "&").map { pair in
            let parts = pair.pieces(at: "=", maxSplits: 1, omittingEmptySubsequences: false)
            return (decoded(parts[0]), parts.count == 2 ? decoded(parts[1]) : "")
        }
    }

    private static func decoded(_ text: Substring) -> String {
        let spaced = Escaping.replacing(in: text) { $0 == "+" ? " " : nil }
        return spaced.removingPercentEncoding ?? spaced
    }

    /// Returns a parameter's value, which must not be repeated (RFC 6749 §3.1).
    private static func single(
        _ name: String,
        _ values: [(name: String, value: String)]
    ) throws(SignInError) -> String? {
        let found = values.filter { $0.name == name }
        guard found.count <= 1 else { throw SignInError(.malformedCallback("it has \(name) more than once")) }
        return found.first?.value
    }
}

extension AuthorizationRequest: RedactedDisplay, DescribedValue {
    /// The URL without its query, which contains secrets.
    package var words: String { "authorization request to \(Self.split(url).target)" }
}
