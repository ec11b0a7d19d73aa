import Foundation
import HTTPChainCore
import HTTPChainSupport

/// The response of a token endpoint, RFC 6749 §5.1 and §5.2.
struct TokenReply: Decodable {
    /// Longer than the lifetime of any token, and short enough to be added to a date.
    private static let longestLifetime = 10 * 365 * 86_400.0
    /// The maximum length of a server's text.
    private static let textLimit = 256

    private let accessToken: String?
    private let tokenType: String?
    private let lifetime: Double?
    private let refreshToken: String?
    private let scope: [String]?
    private let error: String?
    private let errorDescription: String?

    private enum CodingKeys: String, CodingKey {
        case accessToken = "access_token"
        case tokenType = "token_type"
        case lifetime = "expires_in"
        case refreshToken = "refresh_token"
        case scope
        case error
        case errorDescription = "error_description"
    }

    init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        accessToken = container.text(.accessToken)
        // An empty type counts as unsupported.
        tokenType = try? container.decode(String.self, forKey: .tokenType)
        refreshToken = container.text(.refreshToken)
        error = container.text(.error)
        errorDescription = container.text(.errorDescription)
        lifetime = container.number(.lifetime).map { min(max(0, $0), Self.longestLifetime) }
        scope = container.words(.scope)
    }

    /// The facts about the request that are needed to read the response.
    struct Question {
        /// The date of the request: the token's lifetime started no earlier.
        let date: Date
        /// The scope if the response has none (RFC 6749 §5.1).
        let scope: [String]
        /// The refresh token if the response has no new one (RFC 6749 §6).
        let refreshToken: Secret?
        /// The supported token types, ignoring letter case (RFC 6749 §7.1).
        let tokenTypes: [String]
        /// The secrets that were sent and must not appear in an error's text.
        let secrets: [String]
    }

    /// Returns the error described by an unsuccessful response.
    static func problem(status: Int, content: Data, secrets: [String]) -> OAuthError.Problem {
        if (300..<400).contains(status) { return .redirected(status) }
        guard let reply = try? JSONDecoder().decode(TokenReply.self, received: content), let error = reply.error else {
            return .unexpectedStatus(status)
        }
        let detail = reply.errorDescription.map { shown($0, without: secrets) }
        return .refused(code(error, without: secrets), detail: detail)
    }

    /// Returns the token in a response.
    static func token(
        status: Int,
        content: Data,
        to question: Question
    ) -> Result<AccessToken, OAuthError.Problem.Failure> {
        if (300..<400).contains(status) { return .failure(.init(.redirected(status))) }
        let isSuccess = (200..<300).contains(status)
        guard let reply = try? JSONDecoder().decode(TokenReply.self, received: content) else {
            return .failure(.init(isSuccess ? .malformedReply("it is not a JSON object") : .unexpectedStatus(status)))
        }
        // Some servers send errors with the status 200.
        if let error = reply.error, !isSuccess || reply.accessToken == nil {
            let detail = reply.errorDescription.map { shown($0, without: question.secrets) }
            return .failure(.init(.refused(code(error, without: question.secrets), detail: detail)))
        }
        guard isSuccess else { return .failure(.init(.unexpectedStatus(status))) }
        guard let text = reply.accessToken else {
            return .failure(.init(.malformedReply("it has no access_token")))
        }
        if let type = reply.tokenType, !question.tokenTypes.contains(where: { ASCII.equalFolded(type, $0) }) {
            return .failure(.init(.unsupportedTokenType(shown(type, without: question.secrets))))
        }
        let token = AccessToken(
            Secret(text),
            expiration: reply.lifetime.map { question.date.addingTimeInterval($0) },
            refreshToken: reply.refreshToken.map { Secret($0) } ?? question.refreshToken,
            scope: reply.scope ?? question.scope
        )
        guard token.isWellFormed else {
            return .failure(.init(.malformedReply("its access_token has invalid characters")))
        }
        return .success(token)
    }

    /// Returns a server's error code: a registered one unchanged, which a short secret may be part of, and any other
    /// without the secrets that were sent to the server.
    private static func code(_ text: String, without secrets: [String]) -> String {
        registeredCodes.contains(text) ? text : shown(text, without: secrets)
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

    /// Returns a server's text for use in an error: one short line, without the secrets that were sent to the server.
    private static func shown(_ text: String, without secrets: [String]) -> String {
        var scalars = text.unicodeScalars
        for secret in secrets where !secret.isEmpty {
            scalars.replace(secret.unicodeScalars, with: Redaction.placeholder.unicodeScalars)
        }
        return String(scalars).printable(cutAfter: textLimit)
    }
}

extension OAuthError.Problem {
    /// A problem whose exchange isn't known yet.
    struct Failure: Error {
        let problem: OAuthError.Problem

        init(_ problem: OAuthError.Problem) {
            self.problem = problem
        }
    }
}
