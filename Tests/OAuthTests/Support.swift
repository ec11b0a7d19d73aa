#if AllTests
import Foundation
import HTTPChainAuth
import HTTPChainCore
import HTTPChainInMemory
import HTTPChainOAuth
import HTTPChainTesting
import HTTPTypes
import SignInServer

/// Takes the place of a browser: asks the authorization server, and comes back with what it redirects to.
struct BrowserAgent: AuthorizationAgent {
    let server: AuthorizationServer
    /// What somebody on the way makes of the URL that the browser comes back with.
    var change: @Sendable (String) -> String = { $0 }
    /// Whose request the browser opens instead of its own.
    var opens: @Sendable (AuthorizationRequest) -> String = { $0.url }

    func authorize(
        _ begin: @Sendable (_ redirectURI: String) throws -> AuthorizationRequest
    ) async throws -> (request: AuthorizationRequest, callback: String) {
        let request = try begin("http://127.0.0.1:49152/callback")
        let response = try await server.handle(.get(opens(request)))
        return (request, change(response.headers[.location] ?? ""))
    }
}

extension AuthorizationServer {
    var transport: InMemoryTransport { InMemoryTransport { try await self.handle($0) } }

    func signIn() async throws -> AuthorizationCodeSignIn {
        let metadata = try await AuthorizationServerMetadata.discover(issuer, over: transport)
        return try AuthorizationCodeSignIn(metadata, client: client, scope: ["read", "write"])
    }

    var client: OAuthClient { OAuthClient(id: "garden") }
}

func query(_ url: String) -> [String: String] {
    let items = URLComponents(string: url)?.queryItems ?? []
    return Dictionary(items.map { ($0.name, $0.value ?? "") }, uniquingKeysWith: { first, _ in first })
}
#endif
