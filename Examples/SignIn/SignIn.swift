import Foundation
import HTTPChain
import HTTPChainInMemory
import HTTPChainOAuth
import SignInServer

/// Signs in with a browser, stores the token, uses it, and signs out, against an authorization server in this process.
///
/// `swift run SignIn`: no user is present, so the program itself follows the redirect of the authorization page, as a
/// browser does. Everything else is as in a real program: the redirect leads to a server on a loopback address.
@main
enum SignIn {
    static func main() async throws {
        let server = AuthorizationServer()
        let transport = InMemoryTransport { try await server.handle($0) }
        let file = FileManager.default.temporaryDirectory.appending(path: "sign-in-\(UUID().uuidString).json")
        let store = FileTokenStore(at: file)
        defer {
            try? FileManager.default.removeItem(at: file)
            try? FileManager.default.removeItem(atPath: file.path + ".lock")
        }

        let metadata = try await AuthorizationServerMetadata.discover(server.issuer, over: transport)
        let client = OAuthClient(id: "garden")
        let signIn = try AuthorizationCodeSignIn(metadata, client: client, scope: ["profile"])
        let token = try await signIn.token(
            by: LoopbackAgent { url in
                print("Open \(url.prefix { $0 != "?" })")
                try await browse(url, over: transport)
            },
            over: transport
        )
        try await store.save(token)
        print("Signed in: \(token)")

        let stage = BearerAuthMiddleware(
            .refreshToken(at: try metadata.tokenEndpoint(client: client)),
            for: server.issuer,
            token: try await store.token(),
            saving: store
        )
        let chain = try Chain([stage], transport: transport)
        let response = try await chain.send(.get("\(server.issuer)/me"))
        print("Who am I: \(try await response.body.text())")

        stage.replaceToken(with: nil)
        try await store.removeToken()
        try await TokenRevocation(metadata, client: client).revoke(token, over: transport)
        print("Signed out: \(server.revoked.count) tokens revoked")
    }

    /// Acts as the browser: shows the page and, because the user allows access, follows the server's redirect.
    private static func browse(_ url: String, over transport: InMemoryTransport) async throws {
        let page = try await transport.send(.get(url))
        guard let callback = page.headers[.location] else { throw SignInError(.malformedCallback("no redirect")) }
        _ = try await URLSessionTransport().send(.get(callback)).body.collect(upTo: .kibibytes(16))
    }
}
