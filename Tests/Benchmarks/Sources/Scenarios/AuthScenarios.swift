import HTTPChainAuth
import HTTPChainAuthDigest
public import HTTPChainCore
import HTTPTypes

/// Preemptive credentials, each stage alone.
public enum AuthScenarios {
    /// The chain without credentials.
    public static let baseline = "auth.none"

    /// The baseline, and the stages over it that send credentials with the first request.
    public static func stages() async throws -> [Scenario] {
        let digest = DigestAuthMiddleware(user: "Mufasa", password: "Circle of Life", for: origin)
        try await learnNonce(digest)
        return [
            try scenario(baseline, []),
            try scenario("auth.bearer", [BearerAuthMiddleware(token: "mF_9.B5f-4.1JqM", for: origin)]),
            try scenario(
                "auth.basic",
                [BasicAuthMiddleware(user: "Aladdin", password: "open sesame", for: origin, sending: .preemptively)]
            ),
            try scenario("auth.digest", [digest]),
        ]
    }

    private static let origin: OriginSet = "https://api.example.com"

    private static func scenario(_ name: String, _ stages: [any Middleware]) throws -> Scenario {
        let chain = try Chain(stages, transport: CannedTransport())
        let template = ChainScenarios.request()
        return Scenario(name: name) { count in
            for _ in 0..<count {
                _ = try await chain.send(template)
            }
        }
    }

    /// Lets the stage answer one challenge, so that it goes on preemptively with its nonce.
    private static func learnNonce(_ stage: DigestAuthMiddleware) async throws {
        let challenge = #"Digest realm="r", nonce="7ypf/xlj9XXwfDPEoM4URrv", qop="auth", algorithm=SHA-256"#
        let chain = try Chain(transport: CannedTransport()) {
            stage
            ClosureMiddleware("Challenge") { request, next in
                guard request.head.headerFields[.authorization] == nil else { return try await next(request) }
                return Response(.unauthorized, headers: [.wwwAuthenticate: challenge])
            }
        }
        guard try await chain.send(ChainScenarios.request()).status == .ok else { throw NoAnswer() }
    }

    private struct NoAnswer: Error {}
}
