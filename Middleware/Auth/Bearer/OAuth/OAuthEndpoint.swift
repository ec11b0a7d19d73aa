package import Foundation
package import HTTPChainCore
import HTTPTypes

/// An authorization server's endpoint for forms: token, device authorization, revocation.
///
/// Each request authenticates the client. It is sent only over TLS, unless plaintext is allowed, and isn't redirected.
package struct OAuthEndpoint: Sendable {
    /// The endpoint's URL.
    package let url: String
    /// The client that sends the requests.
    package let client: OAuthClient
    private let transport: (any Transport)?
    private let replyLimit: ByteCount
    private let allowsPlaintext: Bool

    /// The response of an endpoint.
    package struct Reply: Sendable {
        /// The status.
        package let status: Int
        /// The body.
        package let content: Data
        /// The request and the response head, redacted.
        package let exchange: ExchangeSnapshot
        fileprivate let secrets: [String]

        /// Returns the error described by an unsuccessful response, RFC 6749 §5.2.
        package func failure() -> OAuthError {
            OAuthError(TokenReply.problem(status: status, content: content, secrets: secrets), exchange: exchange)
        }
    }

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
    func secrets(in parameters: [String: String]) -> [String] {
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
        ).unauthenticated().withoutRedirects()
        if let credentials = client.basicCredentials {
            request.head.headerFields[.authorization] = credentials
            if let origin = request.origin { request.options[OriginBoundFields.self][.authorization] = origin }
        }
        return request
    }
}
