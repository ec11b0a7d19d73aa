import Foundation
public import HTTPChainCore
import HTTPTypes

/// Where an authorization server hands out tokens, RFC 6749 §3.2.
///
/// ```swift
/// let endpoint = TokenEndpoint("https://auth.example.com/token", client: OAuthClient(id: "garden", secret: secret))
/// let auth = BearerAuthMiddleware(ClientCredentialsGrant(at: endpoint), for: "https://api.example.com")
/// ```
///
/// ``ClientCredentialsGrant`` and ``RefreshTokenGrant`` ask it; a grant of another kind does so with
/// ``token(grantType:parameters:in:)``, such as that of an authorization code at the end of a sign-in:
///
/// ```swift
/// let token = try await endpoint.token(
///     grantType: "authorization_code",
///     parameters: ["code": code, "redirect_uri": redirectURI, "code_verifier": verifier],
///     in: RenewalContext(over: transport)
/// )
/// ```
public struct TokenEndpoint: Sendable {
    /// The endpoint's URL.
    public let url: String
    /// Who asks.
    public let client: OAuthClient
    private let transport: (any Transport)?
    private let parameters: [String: String]
    private let replyLimit: ByteCount
    private let allowsPlaintext: Bool

    /// Describes an endpoint.
    ///
    /// - Parameters:
    ///   - url: The endpoint's URL; https, or a loopback address.
    ///   - client: Who asks.
    ///   - transport: What carries the requests; by default the stages inside the authentication stage.
    ///   - parameters: What else every request says, such as `audience` or `resource` (RFC 8707); nothing by default.
    ///   - replyLimit: How much of a reply is read; 64 KiB by default.
    ///   - allowsPlaintext: Whether the endpoint may be reached without TLS, where secrets are read by whoever listens;
    ///     `false` by default.
    public init(
        _ url: String,
        client: OAuthClient,
        over transport: (any Transport)? = nil,
        parameters: [String: String] = [:],
        replyLimit: ByteCount = .kibibytes(64),
        allowsPlaintext: Bool = false
    ) {
        self.url = url
        self.client = client
        self.transport = transport
        self.parameters = parameters
        self.replyLimit = replyLimit
        self.allowsPlaintext = allowsPlaintext
    }

    /// Asks for a token.
    ///
    /// - Parameters:
    ///   - grantType: On what ground, such as `client_credentials`.
    ///   - parameters: What belongs to the grant; it goes before the endpoint's own parameters.
    ///   - context: Time and chance, and the transport where the endpoint has none of its own.
    /// - Returns: The token; its scope is the one asked for unless the reply names another, its refresh token the one
    ///   given in `refresh_token` unless there is a new one.
    /// - Throws: ``OAuthError``; what sending throws.
    public func token(
        grantType: String,
        parameters: [String: String] = [:],
        in context: RenewalContext
    ) async throws -> AccessToken {
        guard allowsPlaintext || Origin(url)?.isConfidential == true else { throw OAuthError(.insecureEndpoint) }
        let parameters = self.parameters.merging(parameters) { _, ours in ours }
            .merging(client.bodyParameters) { _, ours in ours }
            .merging(["grant_type": grantType]) { _, ours in ours }
        let question = TokenReply.Question(
            date: context.environment.time.date,
            scope: parameters["scope"]?.split(separator: " ").map(String.init) ?? [],
            refreshToken: parameters["refresh_token"].map { Secret($0) },
            secrets: Self.secretNames.compactMap { parameters[$0] } + [client.secret?.revealed].compactMap { $0 }
        )
        var request = makeRequest(parameters)
        request.environment = context.environment
        let head = request.head
        let response = try await (transport ?? context).send(request)
        return try await read(response, to: question, request: response.request ?? head)
    }

    /// The parameters that are secrets, RFC 6749 §4 and RFC 7521 §4.2.
    private static let secretNames = [
        "refresh_token", "code", "code_verifier", "password", "assertion", "client_assertion", "subject_token",
        "actor_token", "device_code",
    ]

    private func makeRequest(_ parameters: [String: String]) -> Request {
        var request = Request.post(
            url,
            headers: [.contentType: "application/x-www-form-urlencoded", .accept: "application/json"],
            body: HTTPBody(FormEncoding.text(parameters))
        ).unauthenticated()
        if let credentials = client.basicCredentials {
            request.head.headerFields[.authorization] = credentials
            if let origin = request.origin { request.options[OriginBoundFields.self][.authorization] = origin }
        }
        return request
    }

    private func read(
        _ response: Response,
        to question: TokenReply.Question,
        request: HTTPRequest
    ) async throws -> AccessToken {
        let exchange = ExchangeSnapshot(request, response: response.head)
        let content: Data
        do {
            content = try await response.body.collect(upTo: replyLimit)
        } catch let error as BodyError {
            throw OAuthError(.malformedReply("it cannot be read"), exchange: exchange, underlyingError: error)
        }
        switch TokenReply.token(status: response.status.code, content: content, to: question) {
        case .success(let token): return token
        case .failure(let failure): throw OAuthError(failure.problem, exchange: exchange)
        }
    }
}

extension TokenEndpoint: CustomStringConvertible {
    /// The URL, secrets redacted.
    public var description: String { Redaction.standard.url(url) }
}
