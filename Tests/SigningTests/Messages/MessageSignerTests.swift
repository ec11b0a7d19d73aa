#if AllTests
import Foundation
import HTTPChainAuth
import HTTPChainCore
import HTTPChainSigning
import HTTPChainSigningRSA
import HTTPChainTesting
import HTTPTypes
import TestSupport
import Testing

@Suite("Signing requests by HTTP message signatures", .timeLimit(.minutes(10)))
struct MessageSignerTests {
    private let url = "https://example.com/foo?param=Value&Pet=dog"

    /// Sends the request of RFC 9421, appendix B.2, at the time at which its signatures were made.
    private func sent(
        by signer: BuiltInSigner,
        _ request: Request? = nil,
        answers: StageHarness.Answer...
    ) async throws -> Request {
        let stage = SigningMiddleware(signer, for: "https://example.com")
        let harness = StageHarness(stage, clock: VirtualClock(start: SignatureVectors.created))
        let request = request ?? Request(head: SignatureVectors.request, body: #"{"hello": "world"}"#)
        let outcome = await harness.send(request, answering: answers.isEmpty ? [.ok] : answers)
        _ = try outcome.response()
        return try #require(outcome.requests.last)
    }

    private func field(_ name: String, of request: Request) throws -> String? {
        request.headers[try #require(HTTPField.Name(name))]
    }

    @Test("The signatures that RFC 9421 prints are made byte by byte: appendix B.2.5 and B.2.6")
    func vectors() async throws {
        let secret = try MessageSigningKey.hmacSHA256(base64: SignatureVectors.sharedSecret, id: "test-shared-secret")
        var request = try await sent(
            by: BuiltInSigner.messageSignature(
                secret,
                covering: [.field(.date), .authority, .field(.contentType)],
                label: "sig-b25"
            )
        )
        #expect(try field("Signature-Input", of: request) == SignatureVectors.requests[3].input)
        #expect(try field("Signature", of: request) == SignatureVectors.requests[3].signature)
        let key = try MessageSigningKey.ed25519(pem: SignatureVectors.ed25519Private, id: "test-key-ed25519")
        let covered: [SignatureComponent] = [
            .field(.date), .method, .path, .authority, .field(.contentType), .field(.contentLength),
        ]
        // Without its length, which the transport writes.
        var message = Request(head: SignatureVectors.request, body: #"{"hello": "world"}"#)
        message.headers[.contentLength] = nil
        request = try await sent(by: BuiltInSigner.messageSignature(key, covering: covered, label: "sig-b26"), message)
        #expect(try field("Signature-Input", of: request) == SignatureVectors.requests[4].input)
        #expect(try field("Signature", of: request) == SignatureVectors.requests[4].signature)
    }

    @Test("What each algorithm signs counts by its public key", arguments: TestKeys.all)
    func algorithms(pair: TestKeys) async throws {
        let signer = BuiltInSigner.messageSignature(
            try pair.signing(),
            covering: [.method, .targetURI, .contentDigest],
            expiresAfter: .seconds(60),
            hasNonce: true,
            namesAlgorithm: true,
            tag: "garden"
        )
        let request = try await sent(by: signer)
        let verifier = MessageVerifier(
            keys: [try pair.verification()],
            requiring: [.method, .targetURI, .contentDigest],
            tag: "garden",
            requiresExpiry: true,
            nonces: NonceMemory()
        )
        let now = SignatureVectors.created
        let verified = try await verifier.verify(SignedMessage(request.head), at: now)
        #expect(verified?.parameters.algorithm == pair.algorithm)
        #expect(verified?.parameters.expires == now.addingTimeInterval(60))
        var changed = request.head
        changed.path = "/other"
        await #expect(throws: SigningError.self) { try await verifier.verify(SignedMessage(changed), at: now) }
        await #expect(throws: SigningError.self) {
            try await verifier.verify(SignedMessage(request.head), at: now.addingTimeInterval(91))
        }
    }

    @Test("A nonce is another one for each request")
    func nonce() async throws {
        let signer = BuiltInSigner.messageSignature(.shared(), covering: [.method], hasNonce: true)
        let harness = StageHarness(SigningMiddleware(signer, for: .any))
        let first = try #require(await harness.send(.get(url), answering: .ok).requests.first)
        let second = try #require(await harness.send(.get(url), answering: .ok).requests.first)
        #expect(try field("Signature-Input", of: first) != field("Signature-Input", of: second))
    }

    @Test("Content that is to be covered needs its digest, and a request without content needs none")
    func contentDigest() async throws {
        let signer = BuiltInSigner.messageSignature(.shared(), covering: [.method, .contentDigest])
        let stage = SigningMiddleware(signer, for: "https://example.com")
        let failed = await StageHarness(stage).send(.post(url, body: "content"), answering: .ok)
        let error = try #require(failed.error as? SigningError)
        #expect(error.problem == .noContentDigest)
        #expect(error.recoverySuggestion?.contains("ContentDigestMiddleware") == true)
        #expect(failed.requests.isEmpty)
        let request = try await sent(by: signer, .get(url))
        #expect(try field("Signature-Input", of: request)?.hasPrefix(#"sig=("@method");"#) == true)
    }

    @Test("A field that is covered must be there, and one that is optional may be")
    func optional() async throws {
        let signer = BuiltInSigner.messageSignature(
            .shared(),
            covering: [.method],
            whenPresent: [.field(.authorization), .field(.accept)]
        )
        let request = try await sent(by: signer, .get(url, headers: [.accept: "text/plain"]))
        #expect(try field("Signature-Input", of: request)?.hasPrefix(#"sig=("@method" "accept");"#) == true)
        let strict = SigningMiddleware(
            BuiltInSigner.messageSignature(.shared(), covering: [.field(.accept)]),
            for: .any
        )
        let error = await StageHarness(strict).send(.get(url), answering: .ok).error as? SigningError
        #expect(error?.problem == .missingComponent(.field(.accept)))
        #expect(error?.exchange?.url == url)
    }

    @Test("A date that is covered is set")
    func date() async throws {
        let signer = BuiltInSigner.messageSignature(.shared(), covering: [.field(.date)])
        let request = try await sent(by: signer, .get(url))
        #expect(request.headers[.date] == "Tue, 20 Apr 2021 02:07:53 GMT")
    }

    @Test("A signature is added to existing ones, under its own label")
    func label() async throws {
        var request = Request.get(url)
        request.headers = SignatureVectors.fields(["Signature-Input": "a=()", "Signature": "a=:AAAA:"])
        let signer = BuiltInSigner.messageSignature(.shared(), covering: [.method], label: "b")
        let signed = try await sent(by: signer, request)
        #expect(try field("Signature-Input", of: signed)?.hasPrefix(#"a=(), b=("@method");created="#) == true)
        #expect(try field("Signature", of: signed)?.hasPrefix("a=:AAAA:, b=:") == true)
        let same = SigningMiddleware(
            BuiltInSigner.messageSignature(.shared(), covering: [.method], label: "a"),
            for: .any
        )
        let error = await StageHarness(same).send(request, answering: .ok).error as? SigningError
        #expect(error?.problem == .labelInUse("a"))
    }

    @Test("A key that is kept elsewhere is asked, and its failure is the cause")
    func remoteKey() async throws {
        struct VaultError: Error {}
        let key = MessageSigningKey(.ed25519, id: "a") { _ in Data([1, 2, 3]) }
        let request = try await sent(by: BuiltInSigner.messageSignature(key, covering: [.method]))
        #expect(try field("Signature", of: request) == "sig=:AQID:")
        let broken = MessageSigningKey(.ed25519) { _ in throw VaultError() }
        let stage = SigningMiddleware(BuiltInSigner.messageSignature(broken, covering: [.method]), for: .any)
        let error = await StageHarness(stage).send(.get(url), answering: .ok).error as? SigningError
        #expect(error?.problem == .keyFailed)
        #expect(error?.underlyingError is VaultError)
    }

    @Test("What a server asks for is covered by the requests that follow, and by one that it has rejected")
    func acceptSignature() async throws {
        let name = try #require(HTTPField.Name("Accept-Signature"))
        let asking: HTTPFields = [
            name:
                #"server=("@authority" "x-missing" "@query" "@query-param";name="missing");created;nonce="abc";tag="x""#
        ]
        let signer = BuiltInSigner.messageSignature(.shared(), covering: [.method], acceptSignature: true)
        let harness = StageHarness(SigningMiddleware(signer, for: .any))
        let outcome = await harness.send(.get(url), answering: .status(.unauthorized, headers: asking), .ok)
        #expect(try outcome.response().status == .ok)
        #expect(outcome.requests.count == 2)
        let first = try #require(try field("Signature-Input", of: outcome.requests[0]))
        #expect(first.hasPrefix(#"sig=("@method");"#))
        let second = try #require(try field("Signature-Input", of: outcome.requests[1]))
        #expect(second.hasPrefix(#"server=("@method" "@authority" "@query");"#))
        #expect(second.hasSuffix(#";nonce="abc";tag="x""#))
        // The nonce was for one request.
        let third = try #require(await harness.send(.get(url), answering: .ok).requests.first)
        let input = try #require(try field("Signature-Input", of: third))
        #expect(input.hasPrefix("server=(") && input.contains(";nonce=") && !input.contains("abc"))
    }

    @Test("A body that can be read only once is not sent again, and the requests that follow are signed as asked")
    func acceptSignatureOnce() async throws {
        let asking: HTTPFields = [SignatureVectors.name("Accept-Signature"): #"server=("@path")"#]
        let signer = BuiltInSigner.messageSignature(.shared(), covering: [.method], acceptSignature: true)
        let harness = StageHarness(SigningMiddleware(signer, for: .any))
        let body = HTTPBody.chunks([String]())
        let outcome = await harness.send(.post(url, body: body), answering: .status(.unauthorized, headers: asking))
        #expect(try outcome.response().status == .unauthorized)
        let second = try #require(await harness.send(.get(url), answering: .ok).requests.first)
        #expect(try field("Signature-Input", of: second)?.hasPrefix(#"server=("@method" "@path");"#) == true)
    }

    @Test(
        "What the key cannot do, what is of a response and what is malformed is not followed",
        arguments: [
            #"a=("@status")"#, #"a=("@method";req)"#, #"a=("@path");alg="ed25519""#, #"a=("@path");keyid="other""#,
            "a=(",
            "a=1", #"a=("@path");tag="another""#,
        ]
    )
    func notFollowed(asked: String) async throws {
        let name = try #require(HTTPField.Name("Accept-Signature"))
        let signer = BuiltInSigner.messageSignature(
            .shared(id: "mine"),
            covering: [.method],
            tag: "garden",
            acceptSignature: true
        )
        let outcome = await StageHarness(SigningMiddleware(signer, for: .any))
            .send(.get(url), answering: .status(.unauthorized, headers: [name: asked]), .ok)
        #expect(try outcome.response().status == .unauthorized)
    }

    @Test(
        "Settings that make no signature are told when the chain is built",
        arguments: [
            [SignatureComponent.status], [.method.fromRequest], [.field(.date).structured.binary], [.method.key("a")],
        ]
    )
    func faults(components: [SignatureComponent]) {
        let transport = TestKeys.Nowhere()
        #expect(throws: ChainOrderError.self) {
            try Chain(transport: transport) {
                SigningMiddleware(
                    BuiltInSigner.messageSignature(.shared(), covering: components),
                    for: "https://example.com"
                )
            }
        }
        #expect(throws: ChainOrderError.self) {
            try Chain(transport: transport) {
                SigningMiddleware(
                    BuiltInSigner.messageSignature(.shared(), covering: [.method], label: "No Label"),
                    for: "https://example.com"
                )
            }
        }
    }
}
#endif
