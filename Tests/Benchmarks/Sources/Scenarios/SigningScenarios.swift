import Foundation
public import HTTPChainCore
import HTTPChainSigning
import HTTPTypes

/// Signatures of a small request, each scheme alone, and the verification of one.
public enum SigningScenarios {
    /// The chain without a signature.
    public static let baseline = "signing.none"

    /// The baseline, and a stage over it for each scheme.
    public static func signatures() throws -> [Scenario] {
        let aws = AWSSigner(
            region: "eu-central-1",
            service: "execute-api",
            credentials: AWSCredentials(accessKeyID: "AKIDEXAMPLE", secretAccessKey: "wJalrXUtnFEMI/K7MDENG+bPxRfi")
        )
        let webhook = BuiltInSigner.webhook(keys: [try WebhookKey("whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw")])
        // The key of RFC 9421, Appendix B.1.4.
        let ed25519 = try MessageSigningKey.ed25519(
            pem: """
                -----BEGIN PRIVATE KEY-----
                MC4CAQAwBQYDK2VwBCIEIJ+DYvh6SEqVTm50DFtMDoQikTmiCqirVv9mWG9qfSnF
                -----END PRIVATE KEY-----
                """,
            id: "a"
        )
        return [
            scenario(baseline, try Chain([], transport: CannedTransport())),
            try scenario("signing.message.hmac", message(.hmacSHA256("a shared secret of the tests", id: "a"))),
            try scenario("signing.message.ed25519", message(ed25519)),
            try scenario("signing.aws", aws),
            try scenario("signing.webhook", webhook),
        ]
    }

    private static let origin = "https://api.example.com"

    private static var request: Request {
        Request.post(
            "https://api.example.com/plants/7?color=red",
            headers: [.contentType: "application/json", .authorization: "Bearer mF_9.B5f-4.1JqM"],
            body: "{\"name\":\"rose\"}"
        )
    }

    private static func message(_ key: MessageSigningKey) -> BuiltInSigner {
        .messageSignature(
            key,
            covering: [.method, .targetURI, .field(.contentType)],
            whenPresent: [.field(.authorization)]
        )
    }

    private static func scenario(_ name: String, _ signer: some RequestSigner) throws -> Scenario {
        scenario(name, try Chain([SigningMiddleware(signer, for: origin)], transport: CannedTransport()))
    }

    private static func scenario(_ name: String, _ chain: Chain) -> Scenario {
        // Only the signer of webhooks reads it.
        let template =
            name == "signing.webhook" ? request.signing(webhookID: "msg_27UH4WbU6Z5A5EzD8u03UvzRbpk") : request
        return Scenario(name: name) { count in
            for _ in 0..<count {
                guard try await chain.send(template).status == .ok else { throw Wrong() }
            }
        }
    }

    /// The verification of a request that was signed once.
    public static func verification(named name: String) async throws -> Scenario {
        var signed = request
        guard let origin = Origin(origin) else { throw Wrong() }
        try await message(.hmacSHA256("a shared secret of the tests", id: "a")).sign(&signed, for: origin)
        let verifier = MessageVerifier(
            keys: [try .hmacSHA256("a shared secret of the tests", id: "a")],
            requiring: [.method, .targetURI, .field(.contentType)]
        )
        let message = SignedMessage(signed.head)
        return Scenario(name: name) { count in
            for _ in 0..<count {
                guard try await verifier.verify(message, at: Date()) != nil else { throw Wrong() }
            }
        }
    }

    private struct Wrong: Error {}
}
