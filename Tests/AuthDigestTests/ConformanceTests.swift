#if AllTests
import HTTPChainAuth
import HTTPChainAuthDigest
import HTTPChainCore
import HTTPChainTesting
import HTTPTypes
import Testing

@Suite("The stage keeps the rules", .timeLimit(.minutes(10)))
struct ConformanceTests {
    private static func stage() -> DigestAuthMiddleware {
        DigestAuthMiddleware(user: "ada", password: "lovelace", for: "https://conformance.example")
    }

    @Test("The stage keeps the rules with a server that does not ask", arguments: StageConformance.Check.allCases)
    func preemptive(check: StageConformance.Check) async throws {
        try await StageConformance(calls: .exactlyOnce) { Self.stage() }.verify(check)
    }

    @Test(
        "The stage keeps the rules with a server that asks",
        arguments: StageConformance.Check.allCases,
        ["auth", "auth-int"]
    )
    func asked(check: StageConformance.Check, qop: String) async throws {
        let challenge = "Digest realm=\"r\", nonce=\"n\", qop=\"\(qop)\", algorithm=SHA-256"
        try await StageConformance(
            calls: .any,
            answers: {
                [
                    .status(.unauthorized, headers: [.wwwAuthenticate: challenge], body: "who are you?"),
                    .status(.ok, headers: [.contentType: "text/plain"], body: "what is answered"),
                ]
            }
        ) { Self.stage() }.verify(check)
    }

    @Test("The summary shows origins and settings, and no secret")
    func summary() throws {
        let stage = DigestAuthMiddleware(
            DigestAuthenticator(
                .fixed(user: "ada", password: "lovelace", for: "https://plants.example"),
                algorithms: [.sha256, .sha512256],
                serverProof: .required
            )
        )
        let chain = try Chain(transport: NoTransport()) { stage }
        let text = chain.explain()
        #expect(text.contains("DigestAuthMiddleware") && text.contains("https://plants.example"))
        #expect(text.contains("SHA-256, SHA-512-256") && text.contains("required"))
        #expect(!text.contains("lovelace"))
    }

    @Test("Settings that make no sense are found when the chain is built")
    func problems() throws {
        let nowhere = ClosureCredentialProvider.fixed(user: "a", password: "b", for: "plants")
        #expect(throws: ChainOrderError.self) {
            try Chain(transport: NoTransport()) { DigestAuthMiddleware(nowhere) }
        }
        #expect(throws: ChainOrderError.self) {
            try Chain(transport: NoTransport()) {
                DigestAuthMiddleware(
                    DigestAuthenticator(
                        .fixed(user: "a", password: "b", for: "https://plants.example"),
                        algorithms: []
                    )
                )
            }
        }
    }

    private struct NoTransport: Transport {
        let capabilities: TransportCapabilities = []
        func send(_ request: consuming Request) async throws -> Response { Response(.ok) }
    }
}
#endif
