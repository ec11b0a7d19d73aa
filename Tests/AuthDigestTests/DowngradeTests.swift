#if AllTests
import HTTPChainAuth
import HTTPChainAuthDigest
import HTTPChainCore
import HTTPChainInMemory
import HTTPChainTesting
import HTTPTypes
import Testing

private let home: OriginSet = "https://plants.example"

@Suite("Digest is not weakened")
struct DowngradeTests {
    private static var ada: ClosureCredentialProvider { .fixed(user: "ada", password: "lovelace", for: home) }

    @Test("A bare Basic challenge gets no password once Digest was accepted, whatever realm it names")
    func bareBasic() async throws {
        let server = DigestServer()
        let isAttacked = Locked(false)
        let transport = InMemoryTransport { request in
            guard isAttacked.withLock({ $0 }) else { return try await server.handle(request) }
            return Response(.unauthorized, headers: [.wwwAuthenticate: #"Basic realm="printers""#])
        }
        let chain = try Chain(transport: transport) {
            AuthenticationMiddleware([DigestAuthenticator(Self.ada), BasicAuthenticator(Self.ada)])
        }
        #expect(try await chain.send(.get("https://plants.example/a")).status == .ok)
        isAttacked.withLock { $0 = true }
        let response = try await chain.send(.get("https://plants.example/a"))
        #expect(response.status == .unauthorized)
        #expect(response.authenticationRefusal == .wouldWeaken(from: "Digest", to: "Basic"))
        #expect(!transport.requests.contains { $0.headers[.authorization]?.hasPrefix("Basic") == true })
    }

    @Test("MD5 is not answered once SHA-256 was accepted, whatever realm it names", arguments: ["plants", "other"])
    func weakerHash(realm: String) async throws {
        let server = DigestServer()
        let chain = try server.chain(DigestAuthMiddleware(user: "ada", password: "lovelace", for: home))
        #expect(try await chain.send(.get("https://plants.example/a")).status == .ok)
        server.restart()
        server.set {
            $0.algorithms = [.md5]
            $0.realm = realm
        }
        let response = try await chain.send(.get("https://plants.example/a"))
        #expect(response.status == .unauthorized)
        #expect(response.authenticationRefusal == .wouldWeaken(from: "Digest SHA-256", to: "Digest MD5"))
        #expect(server.accepted.count == 1)
    }

    @Test("A server that knows MD5 alone is answered")
    func onlyMD5() async throws {
        let server = DigestServer { $0.algorithms = [.md5] }
        let chain = try server.chain(DigestAuthMiddleware(user: "ada", password: "lovelace", for: home))
        for _ in 1...2 { #expect(try await chain.send(.get("https://plants.example/a")).status == .ok) }
    }

    @Test("Protection of the content that is required is never given up, and is given where it is offered")
    func requiredProtection() async throws {
        let stage = DigestAuthMiddleware(DigestAuthenticator(Self.ada, requiring: .authInt))
        for qop in ["auth", nil] {
            let server = DigestServer { $0.qop = qop }
            let response = try await server.chain(stage).send(.post("https://plants.example/a", body: "seeds"))
            #expect(response.status == .unauthorized)
            guard case .unsupportedChallenge(_, let why) = response.authenticationRefusal else {
                Issue.record("\(String(describing: response.authenticationRefusal))")
                continue
            }
            #expect(why.contains("auth-int"))
            #expect(server.accepted.isEmpty && server.refused.isEmpty)
        }
        let server = DigestServer { $0.qop = "auth, auth-int" }
        let chain = try server.chain(DigestAuthMiddleware(DigestAuthenticator(Self.ada, requiring: .authInt)))
        #expect(try await chain.send(.post("https://plants.example/a", body: "seeds")).status == .ok)
        #expect(chain.explain().contains("protects: auth-int, required"))
    }

    @Test("An origin without TLS is a warning, in the table of the chain too, and none for this machine")
    func plaintextWarning() throws {
        let chain = try Chain(transport: InMemoryTransport()) {
            DigestAuthMiddleware(user: "ada", password: "lovelace", for: ["http://cam.example", "http://localhost:80"])
        }
        #expect(chain.warnings.count == 1)
        let warning = try #require(chain.warnings.first)
        #expect(warning.severity == .warning && warning.problem.contains("http://cam.example without TLS"))
        #expect(chain.explain().contains("warning: DigestAuthMiddleware"))
        let secure = try Chain(transport: InMemoryTransport()) {
            DigestAuthMiddleware(user: "ada", password: "lovelace", for: home)
        }
        #expect(secure.warnings.isEmpty && !secure.explain().contains("warning"))
    }
}
#endif
