#if AllTests
import Foundation
import HTTPChainAuth
import HTTPChainCore
import HTTPChainInMemory
import HTTPChainTesting
import HTTPTypes
import TestSupport
import Testing

private func readPassword(_ realm: String?) throws -> String { "lovelace" }

/// The code of the page of the module, which compiles here.
private enum Page {
    static func token(_ transport: some Transport, _ endpoint: TokenEndpoint, in home: URL) async throws -> Chain {
        // begin
        let store = FileTokenStore(at: home.appending(path: ".config/garden/token.json"))
        let kept = try await store.token()
        let chain = try Chain(transport: transport) {
            BearerAuthMiddleware(
                .refreshToken(at: endpoint),
                for: "https://api.example.com",
                token: kept,
                saving: store
            )
        }
        // end
        return chain
    }

    static func several(_ endpoint: TokenEndpoint, _ password: Secret) -> AuthenticationMiddleware {
        // begin
        AuthenticationMiddleware([
            BearerAuthenticator(.clientCredentials(at: endpoint), for: "https://api.example.com"),
            BasicAuthenticator(.fixed(user: "ada", password: password, for: "https://api.example.com")),
        ])
        // end
    }

    static func prompt(in home: URL) -> BasicAuthMiddleware {
        // begin
        let prompt = ClosureCredentialProvider(for: "https://api.example.com") { space, rejected in
            rejected == nil ? Credential(user: "ada", password: Secret(try readPassword(space.realm))) : nil
        }
        let store = FileCredentialStore(at: home.appending(path: ".config/garden/credentials.json"))
        return BasicAuthMiddleware(StoredCredentialProvider(store, for: "https://api.example.com", asking: prompt))
        // end
    }

    static func tokens(
        _ endpoint: TokenEndpoint,
        _ kept: AccessToken?,
        _ people: any CredentialProvider
    ) throws -> Chain {
        let transport = InMemoryTransport()
        // begin
        let tokens = BearerAuthenticator(.refreshToken(at: endpoint), for: "https://api.example.com", token: kept)
        let chain = try Chain(transport: transport) {
            AuthenticationMiddleware([tokens, BasicAuthenticator(people)])
        }
        // end
        return chain
    }
}

@Suite("The page of the module", .timeLimit(.minutes(10)))
struct PageTests {
    private let endpoint = TokenEndpoint(
        "https://auth.example.com/token",
        client: OAuthClient(id: "garden", secret: "s")
    )

    private func home() throws -> ScratchDirectory {
        let home = ScratchDirectory()
        try FileManager.default.createDirectory(at: home.file(".config/garden"), withIntermediateDirectories: true)
        return home
    }

    @Test("A token is refreshed, kept, and there again at the next start")
    func token() async throws {
        let home = try home()
        let file = FileTokenStore(at: home.file(".config/garden/token.json"))
        try await file.save(AccessToken("old", refreshToken: "r"))
        let transport = InMemoryTransport()
        transport.on(.post, "/token") { _ in
            Response(.ok, body: #"{"access_token": "new", "token_type": "Bearer"}"#)
        }
        transport.on(.get, "/plants") { $0.token == "new" ? Response(.ok) : Response(.unauthorized) }
        for _ in 1...2 {
            let chain = try await Page.token(transport, endpoint, in: home.url)
            #expect(try await chain.send(.get("https://api.example.com/plants")).status == .ok)
        }
        #expect(transport.requests.count { $0.head.path == "/token" } == 1)
    }

    @Test("Tokens and passwords stand in one stage")
    func several() async throws {
        let stage = Page.several(endpoint, "lovelace")
        #expect(stage.summary.settings.contains { $0.value == "Bearer, Basic" })
        let people = ClosureCredentialProvider.fixed(
            user: ada.user,
            password: ada.password,
            for: "https://api.example.com"
        )
        #expect(try Page.tokens(endpoint, AccessToken("a"), people).stages.count == 1)
    }

    @Test("People are asked once")
    func prompt() async throws {
        let home = try home()
        let outcome = await StageHarness(Page.prompt(in: home.url)).send(.get(url), answering: .challenge("Basic"), .ok)
        #expect(outcome.authorizations == [nil, adaField])
    }

    @Test(
        "Each example is part of this file",
        arguments: ["Auth.docc/Auth.md", "Bearer/BearerAuthenticator.swift"]
    )
    func compiles(page: String) throws {
        let here = URL(filePath: #filePath)
        func plain(_ line: Substring) -> String {
            line.replacing("///", with: "").replacing("return ", with: "").trimmingCharacters(in: .whitespaces)
        }
        let source = Set(try String(contentsOf: here, encoding: .utf8).split(separator: "\n").map(plain))
        let text = try Repository.text("Middleware/Auth/\(page)")
        var isCode = false
        var count = 0
        for line in text.split(separator: "\n").map(plain) where !line.isEmpty {
            guard !line.hasPrefix("```") else {
                isCode = line == "```swift"
                continue
            }
            guard isCode else { continue }
            #expect(source.contains(line), "not compiled: \(line)")
            count += 1
        }
        #expect(count > 3)
    }
}
#endif
