#if AllTests
import Foundation
import HTTPChainAuth
import HTTPChainCore
import HTTPChainInMemory
import HTTPTypes
import TestSupport
import Testing

private func readPassword(_ realm: String?) throws -> String { "lovelace" }

private func ask(_ question: String, again: Bool) async -> Credential? { again ? nil : ada }

@Suite("The documentation's examples")
struct DocumentationTests {
    /// A server that takes Basic credentials of a user with an empty or a known password, and says who it was.
    private let transport = InMemoryTransport { request in
        guard let field = request.authorization?.dropFirst("Basic ".count),
            let bytes = Data(base64Encoded: String(field))
        else { return Response(.unauthorized, headers: [.wwwAuthenticate: "Basic realm=\"docs\""]) }
        return Response(.ok, body: HTTPBody(String(decoding: bytes, as: UTF8.self)))
    }

    @Test("The example of Basic works")
    func basic() async throws {
        let chain = try Chain(transport: transport) {
            BasicAuthMiddleware(user: "ada", password: "lovelace", for: "https://api.example.com")
        }
        #expect(try await chain.send(.get(url)).body.text() == "ada:lovelace")
    }

    @Test("The example of Basic with a provider works")
    func provider() async throws {
        let provider = ClosureCredentialProvider(for: "https://api.example.com") { space, rejected in
            await ask("Password for \(space.realm ?? "the server")", again: rejected != nil)
        }
        let stage = BasicAuthMiddleware(provider)
        let chain = try Chain([stage], transport: transport)
        #expect(try await chain.send(.get(url)).body.text() == "ada:lovelace")
    }

    @Test("The example of several schemes works")
    func several() async throws {
        let people = ClosureCredentialProvider(for: "https://files.example.com") { space, rejected in
            rejected == nil ? Credential(user: "ada", password: Secret(try readPassword(space.realm))) : nil
        }
        let chain = try Chain(transport: transport) {
            AuthenticationMiddleware([BasicAuthenticator(people)])
        }
        #expect(try await chain.send(.get("https://files.example.com/x")).body.text() == "ada:lovelace")
    }

    @Test("The example of routes works")
    func routes() async throws {
        let administrator = BasicAuthMiddleware(user: "admin", password: "", for: "https://api.example.com")
        let everybody = BasicAuthMiddleware(user: "all", password: "", for: "https://api.example.com")
        let files = BasicAuthMiddleware(user: "files", password: "", for: "https://files.example.com")

        let chain = try Chain(transport: transport) {
            RoutedAuthMiddleware([
                AuthRoute("files", for: "https://files.example.com", with: files),
                AuthRoute("admin", for: "https://api.example.com", under: "/admin", with: administrator),
                AuthRoute(for: "https://api.example.com", with: everybody),
                .unauthenticated(for: "https://api.example.com", under: "/health"),
            ])
        }
        let users = try await chain.send(.get("https://api.example.com/admin/users"))  // as administrator
        let mine = try await chain.send(.get("https://api.example.com/me").authentication(by: "admin"))

        #expect(try await users.body.text() == "admin:")
        #expect(try await mine.body.text() == "admin:")
        #expect(try await chain.send(.get("https://api.example.com/me")).body.text() == "all:")
        #expect(try await chain.send(.get("https://api.example.com/health")).status == .unauthorized)
    }

    @Test("The example of a store works")
    func store() async throws {
        let scratch = ScratchDirectory()
        let home = scratch.url
        let config = home.appending(path: ".config/tool")
        try FileManager.default.createDirectory(at: config, withIntermediateDirectories: true)
        let prompt = ListedCredentials([ada])

        let store = FileCredentialStore(at: home.appending(path: ".config/tool/credentials.json"))
        let provider = StoredCredentialProvider(store, for: "https://api.example.com", asking: prompt)

        let chain = try Chain([BasicAuthMiddleware(provider)], transport: transport)
        #expect(try await chain.send(.get(url)).body.text() == "ada:lovelace")
        let space = ProtectionSpace(origin: .of(url), realm: "docs", scheme: "basic")
        #expect(try await store.credential(for: space.description) == ada)
    }

    @Test("The example of challenges works")
    func challenges() {
        let challenges = Challenge.parse(["Digest realm=\"a\", nonce=\"b\", Basic realm=\"a\""])
        #expect(challenges[1].is("basic"))
        #expect(challenges[1]["Realm"] == "a")
    }

    @Test(
        "Each example of a page is part of this file, and so compiles",
        arguments: [
            "Basic/BasicAuthMiddleware", "Authentication/AuthenticationMiddleware", "Routing/RoutedAuthMiddleware",
            "Stores/StoredCredentialProvider",
        ]
    )
    func compiles(page: String) throws {
        let here = URL(filePath: #filePath)
        let lines = { (text: String) in
            text.split(separator: "\n").map { $0.replacing("///", with: "").trimmingCharacters(in: .whitespaces) }
                .map { $0.replacing("   //", with: "  //") }.joined(separator: "\n")
        }
        let source = lines(try String(contentsOf: here, encoding: .utf8))
        let text = try Repository.text("Middleware/Auth/\(page).swift")
        let blocks = text.split(separator: "/// ```swift\n").dropFirst().compactMap {
            $0.split(separator: "/// ```").first
        }
        #expect(!blocks.isEmpty)
        for block in blocks { #expect(source.contains(lines(String(block))), "\(block)") }
    }
}
#endif
