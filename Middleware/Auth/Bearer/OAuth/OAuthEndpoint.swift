package import Foundation
package import HTTPChainCore
import HTTPChainSupport
import HTTPTypes

/// An endpoint of an authorization server that accepts forms: token, device authorization or revocation.
///
/// Each request authenticates the client. It is sent only over TLS, unless plaintext is allowed, and its redirects
/// aren't followed.
package struct OAuthEndpoint: Sendable {
    /// The endpoint's URL.
    package let url: String
    /// The client that sends the requests.
    package let client: OAuthClient
    private let transport: (any Transport)?
    private let replyLimit: ByteCount
    private let allowsPlaintext: Bool

    package init(
        _ url: String,
        client: OAuthClient,
        over transport: (any Transport)? = nil,
        replyLimit: ByteCount = .kibibytes(64),
        allowsPlaintext: Bool = false
    ) {
        self.url = url
        self.client = client
        self.transport = transport
        self.replyLimit = replyLimit
        self.allowsPlaintext = allowsPlaintext
    }

    /// Sends a form and authenticates the client.
    ///
    /// - Throws: ``OAuthError`` if the request may not be sent or the response can't be read; rethrows the transport's
    ///   errors.
    package func post(_ parameters: [String: String], in context: RefreshContext) async throws -> Reply {
        guard allowsPlaintext || Origin(url)?.isConfidential == true else { throw OAuthError(.insecureEndpoint) }
        let transport = self.transport ?? context
        guard
            transport.capabilities.contains(.redirectsOnlyWhenAllowed)
                || !transport.capabilities.contains(.followsRedirects)
        else { throw OAuthError(.transportFollowsRedirects) }
        let parameters = parameters.merging(client.bodyParameters) { _, ours in ours }
        var request = makeRequest(parameters)
        request.environment = context.environment
        let head = request.head
        let response = try await transport.send(request)
        let exchange = ExchangeSnapshot(
            response.request ?? head,
            response: response.head,
            redaction: context.environment.redaction
        )
        let content: Data
        do {
            content = try await response.body.collect(upTo: replyLimit)
        } catch let error as BodyError {
            throw OAuthError(.malformedReply("it cannot be read"), exchange: exchange, underlyingError: error)
        }
        return Reply(
            status: response.status.code,
            content: content,
            exchange: exchange,
            secrets: secrets(in: parameters)
        )
    }

    /// Returns the values that must not appear in an error's text, RFC 6749 §4 and RFC 7521 §4.2.
    private func secrets(in parameters: [String: String]) -> [String] {
        Self.secretNames.compactMap { parameters[$0] } + [client.secret?.revealed].compactMap { $0 }
    }

    private static let secretNames = [
        "refresh_token", "code", "code_verifier", "password", "assertion", "client_assertion", "subject_token",
        "actor_token", "device_code", "token",
    ]

    private func makeRequest(_ parameters: [String: String]) -> Request {
        var request = Request.post(
            url,
            headers: [.contentType: "application/x-www-form-urlencoded", .accept: "application/json"],
            body: HTTPBody(FormEncoding.text(parameters))
        ).authentication(false).redirects(false)
        if let credentials = client.basicCredentials {
            request.head.headerFields[.authorization] = credentials
            if let origin = request.origin { request.options[OriginBoundFieldsNote.self][.authorization] = origin }
        }
        return request
    }
}

extension OAuthEndpoint {
    /// The response of an endpoint, RFC 6749 §5.1 and §5.2.
    package struct Reply: Sendable {
        /// The maximum lifetime; it is longer than that of any real token, and short enough to be added to a date.
        private static let longestLifetime = 10 * 365 * 86_400.0
        /// The maximum length of a server's text.
        private static let textLimit = 256

        package let status: Int
        package let content: Data
        /// The request and the response head, redacted.
        package let exchange: ExchangeSnapshot
        /// The secrets that were sent and must not appear in an error's text.
        fileprivate let secrets: [String]
    }
}

extension OAuthEndpoint.Reply {
    /// Whether the endpoint did what was requested.
    package var isSuccess: Bool { (200..<300).contains(status) }

    private var members: LenientMembers? { try? JSONDecoder().decode(LenientMembers.self, received: content) }

    /// Returns the token in the response of a token endpoint.
    ///
    /// - Parameters:
    ///   - parameters: The parameters of the request. Their scope and refresh token are used if the response has none
    ///     (RFC 6749 §5.1, §6).
    ///   - date: The date of the request. The token's lifetime can't have started earlier.
    ///   - types: The supported token types, ignoring letter case (RFC 6749 §7.1).
    func token(
        for parameters: [String: String],
        at date: Date,
        ofTypes types: [String]
    ) throws(OAuthError) -> AccessToken {
        guard isSuccess else { throw failure() }
        guard let members else { throw error(.malformedReply("it is not a JSON object")) }
        guard let text = members.text("access_token") else {
            // Some servers send errors with the status 200.
            throw members.text("error") == nil ? error(.malformedReply("it has no access_token")) : failure()
        }
        if let type = members.string("token_type"), !types.contains(where: { ASCII.equalFolded(type, $0) }) {
            throw error(.unsupportedTokenType(shown(type)))
        }
        let lifetime = members.number("expires_in").map { min(max(0, $0), Self.longestLifetime) }
        let token = AccessToken(
            Secret(text),
            expiration: lifetime.map { date.addingTimeInterval($0) },
            refreshToken: (members.text("refresh_token") ?? parameters["refresh_token"]).map { Secret($0) },
            scope: members.words("scope") ?? parameters["scope"]?.pieces(at: " ").map(String.init) ?? []
        )
        guard token.isWellFormed else { throw error(.malformedReply("its access_token has invalid characters")) }
        return token
    }

    /// Returns the error described by an unsuccessful response.
    package func failure() -> OAuthError {
        if (300..<400).contains(status) { return error(.redirected(status)) }
        guard let members, let code = members.text("error") else { return error(.unexpectedStatus(status)) }
        // A registered code is shown unredacted, because a short secret may be part of it by coincidence.
        let isRegistered = Self.registeredCodes.contains(code)
        return error(.refused(isRegistered ? code : shown(code), detail: members.text("error_description").map(shown)))
    }

    private func error(_ problem: OAuthError.Problem) -> OAuthError { OAuthError(problem, exchange: exchange) }

    /// Returns a server's text for use in an error: one short line, without the secrets that were sent to the server.
    private func shown(_ text: String) -> String {
        var scalars = text.unicodeScalars
        for secret in secrets where !secret.isEmpty {
            scalars.replace(secret.unicodeScalars, with: Redaction.placeholder.unicodeScalars)
        }
        return String(scalars).printable(cutAfter: Self.textLimit)
    }

    /// The codes of RFC 6749 §4.1.2.1 and §5.2, and those in the OAuth Extensions Error registry of IANA.
    private static let registeredCodes: Set<String> = [
        "access_denied", "invalid_client", "invalid_grant", "invalid_request", "invalid_scope", "server_error",
        "temporarily_unavailable", "unauthorized_client", "unsupported_grant_type", "unsupported_response_type",
        // RFC 8628 §3.5.
        "authorization_pending", "expired_token", "slow_down",
        // RFC 6750 §3.1, RFC 9470 §3.
        "insufficient_scope", "invalid_token", "insufficient_user_authentication",
        // RFC 7009 §2.2.1, RFC 7591 §3.2.2, RFC 8707 §2, RFC 9396 §5, RFC 9449 §5 and §8.
        "unsupported_token_type", "invalid_client_metadata", "invalid_redirect_uri", "invalid_software_statement",
        "unapproved_software_statement", "invalid_target", "invalid_authorization_details", "invalid_dpop_proof",
        "use_dpop_nonce",
        // OpenID Connect Core §3.1.2.6, RFC 9101 §7.
        "account_selection_required", "consent_required", "interaction_required", "login_required",
        "invalid_request_object", "invalid_request_uri", "registration_not_supported", "request_not_supported",
        "request_uri_not_supported",
        // OpenID Connect CIBA §11 and §13.
        "expired_login_hint_token", "invalid_binding_message", "invalid_user_code", "missing_user_code",
        "transaction_failed", "unknown_user_id",
    ]
}
