#if AllTests
import Foundation
import HTTPChainAuth
import HTTPChainAuthDigest
import HTTPChainCore
import HTTPChainInMemory
import HTTPTypes
import Testing

/// The examples in the documentation comments, line for line.
@Suite("The examples of the documentation")
struct DocumentationTests {
    @Test("The example of DigestAuthMiddleware works")
    func stage() async throws {
        let server = DigestServer { $0.qop = "auth,auth-int" }
        let transport = server.transport
        let report = URL(fileURLWithPath: #filePath)
        let chain = try Chain(transport: transport) {
            DigestAuthMiddleware(user: "ada", password: "lovelace", for: "https://api.example.com")
        }
        let response = try await chain.send(.put("https://api.example.com/reports/7", body: .file(report)))
        #expect(response.status == .ok)
    }

    @Test("The example of DigestAuthenticator works")
    func authenticator() async throws {
        let password: Secret = "lovelace"
        let stage = AuthenticationMiddleware([
            DigestAuthenticator(.fixed(user: "ada", password: password, for: "https://cam.example")),
            BasicAuthenticator(.fixed(user: "ada", password: password, for: "https://cam.example")),
        ])
        let chain = try Chain(transport: DigestServer().transport) { stage }
        #expect(try await chain.send(.get("https://cam.example/image")).status == .ok)
    }

    @Test("The example of DigestChallenge works")
    func challenge() throws {
        let response = Response(.unauthorized, headers: [.wwwAuthenticate: "Basic realm=a, Digest realm=b, nonce=n"])
        var realms: [String] = []
        for challenge in response.challenges(.origin) {
            if let digest = DigestChallenge(challenge) { realms.append(digest.realm) }
        }
        #expect(realms == ["b"])
    }

    @Test("Basic beside Digest is used only where Digest is not offered, and never after it was refused")
    func beside() async throws {
        func chain(_ server: DigestServer) throws -> Chain {
            let both = ClosureCredentialProvider(for: "https://cam.example") { _, rejected in
                rejected == nil ? Credential(user: "ada", password: "lovelace") : nil
            }
            let transport = InMemoryTransport { request in
                var response = try await server.handle(request)
                if response.status == .unauthorized {
                    response.headers.append(HTTPField(name: .wwwAuthenticate, value: "Basic realm=\"plants\""))
                }
                return response
            }
            return try Chain(transport: transport) {
                AuthenticationMiddleware([BasicAuthenticator(both), DigestAuthenticator(both)])
            }
        }
        let server = DigestServer()
        #expect(try await chain(server).send(.get("https://cam.example/a")).status == .ok)
        let strict = DigestServer { $0.refusesAll = true }
        #expect(try await chain(strict).send(.get("https://cam.example/a")).status == .unauthorized)
        #expect(strict.refused == ["response"])
    }
}
#endif
