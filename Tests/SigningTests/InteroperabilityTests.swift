#if AllTests
import Crypto
import CryptoExtras
import Foundation
import HTTPChainAuth
import HTTPChainCore
import HTTPChainSigning
import HTTPChainSigningRSA
import HTTPChainTesting
import HTTPTypes
import TestSupport
import Testing

/// Keys of one algorithm as a program of others takes them: text that is private and public.
struct ForeignKeys: Sendable {
    let algorithm: String
    let privateKey: String
    let publicKey: String

    static let algorithms = [
        "hmac-sha256", "ed25519", "ecdsa-p256-sha256", "ecdsa-p384-sha384", "rsa-pss-sha512", "rsa-v1_5-sha256",
    ]

    init(_ algorithm: String) throws {
        self.algorithm = algorithm
        switch algorithm {
        case "hmac-sha256": (privateKey, publicKey) = ("a secret of both", "a secret of both")
        case "ed25519":
            (privateKey, publicKey) = (SignatureVectors.ed25519Private.revealed, SignatureVectors.ed25519Public)
        case "ecdsa-p256-sha256":
            let key = P256.Signing.PrivateKey()
            (privateKey, publicKey) = (key.pemRepresentation, key.publicKey.pemRepresentation)
        case "ecdsa-p384-sha384":
            let key = P384.Signing.PrivateKey()
            (privateKey, publicKey) = (key.pemRepresentation, key.publicKey.pemRepresentation)
        default:
            let key = try _RSA.Signing.PrivateKey(keySize: .bits2048)
            (privateKey, publicKey) = (key.pemRepresentation, key.publicKey.pemRepresentation)
        }
    }

    func signing() throws -> MessageSigningKey {
        let secret = Secret(privateKey)
        return switch algorithm {
        case "hmac-sha256": try .hmacSHA256(secret, id: "a")
        case "ed25519": try .ed25519(pem: secret, id: "a")
        case "ecdsa-p256-sha256": try .ecdsaP256(pem: secret, id: "a")
        case "ecdsa-p384-sha384": try .ecdsaP384(pem: secret, id: "a")
        case "rsa-pss-sha512": try .rsaPSS(pem: secret, id: "a")
        default: try .rsaV15(pem: secret, id: "a")
        }
    }

    func verification() throws -> MessageVerificationKey {
        switch algorithm {
        case "hmac-sha256": try .hmacSHA256(Secret(publicKey), id: "a")
        case "ed25519": try .ed25519(pem: publicKey, id: "a")
        case "ecdsa-p256-sha256": try .ecdsaP256(pem: publicKey, id: "a")
        case "ecdsa-p384-sha384": try .ecdsaP384(pem: publicKey, id: "a")
        case "rsa-pss-sha512": try .rsaPSS(pem: publicKey, id: "a")
        default: try .rsaV15(pem: publicKey, id: "a")
        }
    }
}

@Suite("Signatures are those of programs that were not written here", .heavy, .timeLimit(.minutes(10)))
struct InteroperabilityTests {
    private struct Failed: Error, CustomStringConvertible {
        let description: String
    }

    /// The answer of a program of others; `nil` when it is not installed, which is told.
    private func ask(_ task: String, _ values: [String: Any], installing package: String) async throws -> [String: Any]?
    {
        let script = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
            .appendingPathComponent("interoperate.py")
        let outcome = try await runProgram(
            URL(fileURLWithPath: "/usr/bin/env"),
            ["python3", "-B", script.path, task],
            input: try JSONSerialization.data(withJSONObject: values)
        )
        switch outcome.status {
        case 0:
            return try #require(try JSONSerialization.jsonObject(with: outcome.standardOutput) as? [String: Any])
        // 3 is said by the script, 127 by env where there is no Python.
        case 3, 127:
            Programs.notRun("python3 cannot import \(package); install it with: pip install \(package)")
            return nil
        default: throw Failed(description: "\(task): \(outcome.errorText)")
        }
    }

    private func fields(of request: Request) -> [String: String] {
        Dictionary(request.headers.map { ($0.name.rawName, $0.value) }, uniquingKeysWith: { "\($0), \($1)" })
    }

    private let url = "https://example.com/a%20b/c?x=1&y=a+b%2Bc&z=%C3%A4"

    private var components: [SignatureComponent] {
        [
            .method, .targetURI, .authority, .scheme, .requestTarget, .path, .query, .queryParameter("y"),
            .queryParameter("z"), .contentDigest.structured, .contentDigest.key("sha-256"), .field(.accept).binary,
            .field(.contentType),
        ]
    }

    private var request: Request {
        let digest = HTTPField.Name.contentDigest
        return .post(
            url,
            headers: [
                .contentType: "text/plain", .accept: "text/plain, */*",
                digest: "sha-256=:X48E9qOokqqrvdts8nOJRJN3OWDUoyWxBf7kbu9DBPE=:",
            ],
            body: "content"
        )
    }

    @Test(
        "http-message-signatures accepts what is signed here, and refuses it when it was changed",
        arguments: ForeignKeys.algorithms
    )
    func verifiedByOthers(algorithm: String) async throws {
        let keys = try ForeignKeys(algorithm)
        let signer = BuiltInSigner.messageSignature(
            try keys.signing(),
            covering: components,
            expiresAfter: .seconds(300),
            hasNonce: true,
            namesAlgorithm: true,
            tag: "garden"
        )
        var request = request
        request.environment = .live
        let outcome = await StageHarness(SigningMiddleware(signer, for: .any)).send(request, answering: .ok)
        let sent = try #require(outcome.requests.first)
        var task: [String: Any] = [
            "method": "POST", "url": url, "fields": fields(of: sent), "algorithm": keys.algorithm,
            "public": keys.publicKey,
        ]
        guard let result = try await ask("verify_message", task, installing: "http-message-signatures") else { return }
        #expect((result["covered"] as? [String])?.count == components.count + 1)
        task["method"] = "PUT"
        await #expect(throws: Failed.self) {
            _ = try await ask("verify_message", task, installing: "http-message-signatures")
        }
    }

    @Test("What http-message-signatures signs is accepted here", arguments: ForeignKeys.algorithms)
    func signedByOthers(algorithm: String) async throws {
        let keys = try ForeignKeys(algorithm)
        var request = request
        let task: [String: Any] = [
            "method": "POST", "url": url, "fields": fields(of: request), "algorithm": keys.algorithm,
            "private": keys.privateKey, "public": keys.publicKey,
            "components": components.map(\.description),
        ]
        guard let result = try await ask("sign_message", task, installing: "http-message-signatures") else { return }
        for (name, value) in try #require(result["fields"] as? [String: String]) {
            request.headers[try #require(HTTPField.Name(name))] = value
        }
        let verifier = MessageVerifier(keys: [try keys.verification()], requiring: components, tag: "garden")
        let verified = try await verifier.verify(SignedMessage(request.head), at: Date())
        #expect(verified?.label == "theirs" && verified?.parameters.nonce == "n")
    }

    @Test(
        "botocore makes the same AWS signature",
        arguments: [
            ("s3", "GET", "https://b.s3.eu-central-1.amazonaws.com/a/b%20c/../d//e?list-type=2&prefix=x%2Fy&empty="),
            ("s3", "PUT", "https://b.s3.eu-central-1.amazonaws.com/%C3%A4.txt"),
            ("execute-api", "POST", "https://api.example.com/a%20b//c/./d/../e/?b=2&a=1&a=0&B=%20"),
            ("dynamodb", "POST", "https://dynamodb.eu-central-1.amazonaws.com/"),
        ]
    )
    func botocore(service: String, method: String, url: String) async throws {
        let content = method == "GET" ? "" : "content ä"
        var request = Request(
            HTTPRequest.Method(method) ?? .get,
            url,
            headers: [.contentType: "text/plain;  charset=utf-8"]
        )
        if !content.isEmpty { request.body = HTTPBody(content) }
        let signer = AWSSigner(
            region: "eu-central-1",
            service: service,
            credentials: AWSCredentials(
                accessKeyID: "AKIDEXAMPLE",
                secretAccessKey: "wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY",
                sessionToken: "a/token+of="
            )
        )
        let clock = VirtualClock(start: Date(timeIntervalSince1970: 1_440_938_160))
        let outcome = await StageHarness(SigningMiddleware(signer, for: .any), clock: clock)
            .send(request, answering: .ok)
        let sent = try #require(outcome.requests.first)
        let task: [String: Any] = [
            "service": service, "region": "eu-central-1", "method": method, "url": url, "content": content,
            "fields": ["Content-Type": "text/plain;  charset=utf-8"], "date": "20150830T123600Z", "key": "AKIDEXAMPLE",
            "secret": "wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY", "token": "a/token+of=",
        ]
        guard let result = try await ask("aws", task, installing: "botocore") else { return }
        #expect(result["authorization"] as? String == sent.headers[.authorization])
    }

    @Test("standardwebhooks accepts what is signed here, and the other way round")
    func webhooks() async throws {
        let secret = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"
        let key = try WebhookKey(Secret(secret))
        let content = #"{"plant": "Rose ä"}"#
        var request = Request.post("https://a.example.com/", body: HTTPBody(content)).signing(webhookID: "msg_1")
        request.environment = .live
        let stage = SigningMiddleware(.webhook(keys: [key]), for: .any)
        let sent = try #require(await StageHarness(stage).send(request, answering: .ok).requests.first)
        let received: [String: Any] = ["secret": secret, "content": content, "fields": fields(of: sent)]
        guard let result = try await ask("verify_webhook", received, installing: "standardwebhooks") else { return }
        #expect(result["content"] as? [String: String] == ["plant": "Rose ä"])
        let made = try await ask(
            "sign_webhook",
            ["secret": secret, "id": "msg_2", "time": 1_614_265_330, "content": content],
            installing: "standardwebhooks"
        )
        let signature = try #require(made?["signature"] as? String)
        let fields = SignatureVectors.fields([
            "webhook-id": "msg_2", "webhook-timestamp": "1614265330", "webhook-signature": signature,
        ])
        let now = Date(timeIntervalSince1970: 1_614_265_330)
        #expect(try StandardWebhook.verify(fields, content: Data(content.utf8), keys: [key], at: now).id == "msg_2")
    }
}
#endif
