import HTTPChainAuth
import HTTPChainAuthDigest
public import HTTPChainCore
import HTTPTypes

/// Preemptive credentials, each stage alone, and what digest has to compute.
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

    /// One answer to a challenge, with a nonce that was used before, for each algorithm.
    public static func answers() -> [Scenario] {
        [
            answer(.md5, named: "auth.answer.md5"),
            answer(.sha256, named: "auth.answer.sha256"),
            answer(.sha512256, named: "auth.answer.sha512256"),
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

    private static func answer(_ algorithm: DigestAlgorithm, named name: String) -> Scenario {
        Scenario(name: name) { count in
            var characters = 0
            for number in 0..<count {
                let key = DigestKey(
                    algorithm,
                    username: "Mufasa",
                    realm: "http-auth@example.org",
                    password: "Circle of Life"
                )
                let computation = DigestComputation(
                    method: "GET",
                    uri: "/dir/index.html",
                    nonce: "7ypf/xlj9XXwfDPEoM4URrv/xwf94BcCAzFZH4GiTo0v",
                    qop: .auth,
                    nonceCount: UInt32(truncatingIfNeeded: number),
                    cnonce: "f2/wE4q74E6zIJEtWaHKaf5wv/H5QzzpXusqGemxURZJ"
                )
                characters += computation.response(key).utf8.count
            }
            guard characters >= 32 * count else { throw NoAnswer() }
        }
    }

    private struct NoAnswer: Error {}
}
