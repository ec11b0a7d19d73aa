import Foundation
public import HTTPChainCore
import HTTPChainOAuth
import HTTPTypes

/// A small in-memory authorization server that strictly checks the standards' requirements for clients.
///
/// It supports the authorization code flow with PKCE (RFC 6749, RFC 7636), the device flow (RFC 8628), single-use
/// refresh tokens, revocation (RFC 7009) and metadata (RFC 8414). Its tokens give access to a resource, `/me`. It is
/// for examples and tests. It has no real users, so ``answer(with:)`` sets their decision.
public final class AuthorizationServer: Sendable {
    /// The user's decision.
    public enum Decision: Sendable {
        /// Allows access.
        case allow
        /// Denies access.
        case deny
    }

    struct Code {
        let redirectURI: String
        let challenge: String
        let clientID: String
        var tokens: [String] = []
        var isUsed = false
    }

    struct Device {
        var decision: Decision?
        var lastPoll: Date?
        let expiration: Date
    }

    struct State {
        var decision = Decision.allow
        var codes: [String: Code] = [:]
        var devices: [String: Device] = [:]
        /// The valid access tokens, by the refresh tokens issued with them.
        var tokens: [String: String] = [:]
        var revoked: [String] = []
        var count = 0
    }

    /// The server's name.
    public let issuer: String
    let clientID: String
    let state = Locked(State())

    /// Creates a server.
    ///
    /// - Parameters:
    ///   - issuer: The server's name.
    ///   - clientID: The only registered client. It is public, and has a redirect URI on a loopback address.
    public init(issuer: String = "https://auth.example", clientID: String = "garden") {
        self.issuer = issuer
        self.clientID = clientID
    }

    /// Sets the decision of all users from now on.
    public func answer(with decision: Decision) {
        state.withLock { state in
            state.decision = decision
            for code in state.devices.keys { state.devices[code]?.decision = decision }
        }
    }

    /// The tokens that were revoked, in order.
    public var revoked: [String] { state.withLock { $0.revoked } }

    /// Responds to a request.
    public func handle(_ request: Request) async throws -> Response {
        let parts = (request.head.path ?? "/").split(separator: "?", maxSplits: 1).map(String.init)
        let body = String(decoding: try await request.body.collect(upTo: .kibibytes(16)), as: UTF8.self)
        let now = request.environment.time.date
        switch (request.head.method, parts.first ?? "/") {
        case (.get, "/.well-known/oauth-authorization-server"): return Self.json(metadata)
        case (.get, "/authorize"): return authorize(Self.values(parts.count > 1 ? parts[1] : ""))
        case (.post, "/token"): return token(Self.values(body), now: now)
        case (.post, "/device"): return device(Self.values(body), now: now)
        case (.post, "/revoke"): return revoke(Self.values(body))
        case (.get, "/me"): return resource(request.head.headerFields[.authorization])
        default: return Response(.notFound)
        }
    }

    private var metadata: [String: any Sendable] {
        [
            "issuer": issuer,
            "authorization_endpoint": "\(issuer)/authorize",
            "token_endpoint": "\(issuer)/token",
            "device_authorization_endpoint": "\(issuer)/device",
            "revocation_endpoint": "\(issuer)/revoke",
            "code_challenge_methods_supported": ["S256"],
            "authorization_response_iss_parameter_supported": true,
        ]
    }

    private func authorize(_ query: [String: String]) -> Response {
        // RFC 6749 §4.1.2.1: never redirect to a URI that isn't the client's.
        guard query["client_id"] == clientID, let redirectURI = query["redirect_uri"],
            Self.isLoopback(redirectURI)
        else { return Response(.badRequest) }
        var answer = ["iss": issuer]
        answer["state"] = query["state"]
        let decision = state.withLock { $0.decision }
        if query["response_type"] != "code" {
            answer["error"] = "unsupported_response_type"
        } else if query["code_challenge_method"] != "S256" || query["code_challenge"]?.count != 43 {
            answer["error"] = "invalid_request"
        } else if decision == .deny {
            answer["error"] = "access_denied"
            answer["error_description"] = "The user said no."
        } else {
            let code = UUID().uuidString
            answer["code"] = code
            state.withLock {
                $0.codes[code] = Code(
                    redirectURI: redirectURI,
                    challenge: query["code_challenge"] ?? "",
                    clientID: clientID
                )
            }
        }
        return Response(.found, headers: [.location: redirectURI + "?" + Self.form(answer)])
    }

    private func resource(_ authorization: String?) -> Response {
        let token = authorization.map { String($0.dropFirst("Bearer ".count)) }
        guard let token, state.withLock({ $0.tokens.values.contains(token) }) else {
            return Response(.unauthorized, headers: [.wwwAuthenticate: #"Bearer error="invalid_token""#])
        }
        return Self.json(["name": "Ada"])
    }

    private func revoke(_ form: [String: String]) -> Response {
        guard form["client_id"] == clientID, let token = form["token"] else {
            return Self.refusal("invalid_client", .unauthorized)
        }
        state.withLock { state in
            state.revoked.append(token)
            // Revoking a refresh token also revokes its access token, and vice versa.
            state.tokens = state.tokens.filter { $0.key != token && $0.value != token }
        }
        return Response(.ok)
    }

    /// Returns whether a URI has a loopback address, with any port, RFC 8252 §7.3.
    private static func isLoopback(_ uri: String) -> Bool {
        guard let components = URLComponents(string: uri) else { return false }
        return components.scheme == "http" && components.host == "127.0.0.1" && components.path == "/callback"
    }
}

extension AuthorizationServer {
    static func json(_ object: [String: any Sendable], _ status: HTTPResponse.Status = .ok) -> Response {
        let data = (try? JSONSerialization.data(withJSONObject: object, options: [.sortedKeys])) ?? Data()
        return Response(
            status,
            headers: [.contentType: "application/json", .cacheControl: "no-store"],
            body: HTTPBody(data)
        )
    }

    static func refusal(_ code: String, _ status: HTTPResponse.Status = .badRequest) -> Response {
        json(["error": code], status)
    }

    static func values(_ form: String) -> [String: String] {
        let pairs = form.split(separator: "&").map { pair -> (String, String) in
            let parts = pair.split(separator: "=", maxSplits: 1).map {
                let text = $0.replacingOccurrences(of: "+", with: " ")
                return text.removingPercentEncoding ?? text
            }
            return (parts.first ?? "", parts.count > 1 ? parts[1] : "")
        }
        return Dictionary(pairs, uniquingKeysWith: { first, _ in first })
    }

    static func form(_ values: [String: String]) -> String {
        var allowed = CharacterSet.alphanumerics
        allowed.insert(charactersIn: "-._~")
        return values.sorted { $0.key < $1.key }.map { name, value in
            "\(name)=\(value.addingPercentEncoding(withAllowedCharacters: allowed) ?? "")"
        }.joined(separator: "&")
    }
}
