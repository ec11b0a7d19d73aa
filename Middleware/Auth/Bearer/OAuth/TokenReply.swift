import Foundation
import HTTPChainCore
import HTTPChainSupport

/// The reply of a token endpoint, RFC 6749 §5.1 and §5.2.
struct TokenReply: Decodable {
    /// Longer than any token lives, and short enough to be added to a date.
    private static let longestLifetime = 10 * 365 * 86_400.0
    /// How much of a server's text is kept.
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
        // An empty type is one that nobody understands.
        tokenType = try? container.decode(String.self, forKey: .tokenType)
        refreshToken = container.text(.refreshToken)
        error = container.text(.error)
        errorDescription = container.text(.errorDescription)
        lifetime = container.number(.lifetime).map { min(max(0, $0), Self.longestLifetime) }
        scope = container.words(.scope)
    }

    /// The question to the endpoint, as far as the reply is read by it.
    struct Question {
        /// When it was sent: the token's life began no earlier.
        let date: Date
        /// The permissions that count when the reply names no scope (RFC 6749 §5.1).
        let scope: [String]
        /// The token that stays when the reply brings no new one (RFC 6749 §6).
        let refreshToken: Secret?
        /// The types of tokens that are understood, letter case aside (RFC 6749 §7.1).
        let tokenTypes: [String]
        /// The secrets that were sent and must not come back in an error's text.
        let secrets: [String]
    }

    /// Returns the error that a reply without success describes.
    static func problem(status: Int, content: Data, secrets: [String]) -> OAuthError.Problem {
        if (300..<400).contains(status) { return .redirected(status) }
        guard let reply = try? JSONDecoder().decode(TokenReply.self, received: content), let error = reply.error else {
            return .unexpectedStatus(status)
        }
        let detail = reply.errorDescription.map { shown($0, without: secrets) }
        return .refused(.init(rawValue: shown(error, without: secrets)), detail: detail)
    }

    /// The token in a reply.
    static func token(
        status: Int,
        content: Data,
        to question: Question
    ) -> Result<AccessToken, OAuthError.Problem.Failure> {
        if (300..<400).contains(status) { return .failure(.init(.redirected(status))) }
        let isSuccess = (200..<300).contains(status)
        guard let reply = try? JSONDecoder().decode(TokenReply.self, received: content) else {
            return .failure(.init(isSuccess ? .malformedReply("it is no JSON object") : .unexpectedStatus(status)))
        }
        // Some servers refuse with 200.
        if let error = reply.error, !isSuccess || reply.accessToken == nil {
            let detail = reply.errorDescription.map { shown($0, without: question.secrets) }
            return .failure(.init(.refused(.init(rawValue: shown(error, without: question.secrets)), detail: detail)))
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
            return .failure(.init(.malformedReply("its access_token holds characters that no token may have")))
        }
        return .success(token)
    }

    /// A server's text as it may stand in an error: one line, not long, and with nothing that was confided to it.
    private static func shown(_ text: String, without secrets: [String]) -> String {
        var scalars = text.unicodeScalars
        for secret in secrets where !secret.isEmpty {
            scalars.replace(secret.unicodeScalars, with: Redaction.placeholder.unicodeScalars)
        }
        return String(scalars).printable(cutAfter: textLimit)
    }
}

extension OAuthError.Problem {
    /// A problem that is thrown within the stage, until it is known in which exchange.
    struct Failure: Error {
        let problem: OAuthError.Problem

        init(_ problem: OAuthError.Problem) {
            self.problem = problem
        }
    }
}
