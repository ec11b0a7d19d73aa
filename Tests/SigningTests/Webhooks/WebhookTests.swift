#if AllTests
import Foundation
import HTTPChainAuth
import HTTPChainCore
import HTTPChainSigning
import HTTPChainTesting
import HTTPTypes
import TestSupport
import Testing

/// With the example of the Standard Webhooks specification ("Signature scheme", and the tests of its libraries).
@Suite("Webhooks", .timeLimit(.minutes(10)))
struct WebhookTests {
    private static let secret: Secret = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"
    private let id = "msg_p5jXN8AQM9LWM0D4loKWxJek"
    private let date = Date(timeIntervalSince1970: 1_614_265_330)
    private let content = #"{"test": 2432232314}"#
    private let signature = "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE="

    private func fields(_ signature: String? = nil, time: String = "1614265330") -> HTTPFields {
        SignatureVectors.fields([
            "webhook-id": id, "webhook-timestamp": time, "webhook-signature": signature ?? self.signature,
        ])
    }

    private func verify(
        _ fields: HTTPFields,
        _ content: String? = nil,
        keys: [Secret] = [secret],
        at now: Date? = nil
    ) throws -> StandardWebhook {
        try StandardWebhook.verify(
            fields,
            content: Data((content ?? self.content).utf8),
            keys: keys.map { try WebhookKey($0) },
            at: now ?? date
        )
    }

    private func problem(_ work: () throws -> StandardWebhook) throws -> SigningError.Problem {
        try #require(throws: SigningError.self) { _ = try work() }.problem
    }

    @Test("The webhook of the specification counts")
    func example() throws {
        let webhook = try verify(fields())
        #expect(webhook.id == id && webhook.timestamp == date)
    }

    @Test("One key of several is enough, and one signature of several")
    func rotation() throws {
        let other: Secret = "whsec_AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA"
        #expect(try verify(fields(), keys: [other, Self.secret]).id == id)
        #expect(try verify(fields("v1,AAAA v2,x v1a,y \(signature)")).id == id)
        #expect(try problem { try verify(fields(), keys: [other]) } == .wrongSignature)
        #expect(try problem { try verify(fields(), keys: []) } == .wrongSignature)
        #expect(
            try problem { try verify(fields("v2,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=")) } == .wrongSignature
        )
    }

    @Test("Another content, another time, or a field that is missing does not count")
    func wrong() throws {
        #expect(try problem { try verify(fields(), "{}") } == .wrongSignature)
        #expect(try problem { try verify(fields(time: "1614265331")) } == .wrongSignature)
        #expect(try problem { try verify(fields(), at: date.addingTimeInterval(301)) } == .tooOld(age: .seconds(301)))
        #expect(
            try problem { try verify(fields(), at: date.addingTimeInterval(-301)) }
                == .createdInFuture(by: .seconds(301))
        )
        for now in [Date(timeIntervalSince1970: .nan), Date(timeIntervalSince1970: 1e300)] {
            guard case .tooOld = try problem({ try verify(fields(), at: now) }) else {
                Issue.record("it is accepted at \(now.timeIntervalSince1970)")
                continue
            }
        }
        #expect(
            try problem { try verify(fields(), at: Date(timeIntervalSince1970: -1e300)) }
                == .createdInFuture(by: .seconds(1e18))
        )
        for time in ["", "soon", "-1", "99999999999999999999", "1e9"] {
            #expect(throws: SigningError.self) { try verify(fields(time: time)) }
        }
        for name in ["webhook-id", "webhook-timestamp", "webhook-signature"] {
            var fields = fields()
            fields[try #require(HTTPField.Name(name))] = nil
            #expect(try problem { try verify(fields) } == .missingParameter(name))
        }
    }

    @Test("Keys are whsec_ and base64, of 24 to 64 bytes, and do not show themselves")
    func keys() throws {
        #expect(throws: SigningError.self) { try WebhookKey("whsec_AAAA") }
        #expect(throws: SigningError.self) { try WebhookKey("whsec_?") }
        for text: Secret in [Self.secret, "MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"] {
            let key = try WebhookKey(text)
            #expect("\(key)" == "<secret>" && Mirror(reflecting: key).children.isEmpty)
        }
    }

    @Test("A webhook is sent with the signature of the specification, by each key")
    func signing() async throws {
        let stage = SigningMiddleware(
            .webhook(keys: [try WebhookKey(Self.secret), try WebhookKey(Self.secret)]),
            for: "https://receiver.example.com"
        )
        let harness = StageHarness(stage, clock: VirtualClock(start: date))
        let url = "https://receiver.example.com/hooks"
        let outcome = await harness.send(
            Request.post(url, body: HTTPBody(content)).signing(webhookID: id),
            answering: .ok
        )
        let sent = try #require(outcome.requests.first)
        #expect(sent.headers[try #require(HTTPField.Name("webhook-signature"))] == "\(signature) \(signature)")
        #expect(try verify(sent.headers).id == id)
        let missing = await harness.send(.post(url, body: HTTPBody(content)), answering: .ok)
        #expect((missing.error as? SigningError)?.problem == .noWebhookID)
    }

    @Test("Large content in a file is signed in one pass, and counts")
    func file() async throws {
        let bytes = Data((0..<300_000).map { UInt8(truncatingIfNeeded: $0) })
        let scratch = try ScratchDirectory.created()
        let file = try scratch.file("event", bytes)
        let key = try WebhookKey(Self.secret)
        let harness = StageHarness(
            SigningMiddleware(.webhook(keys: [key]), for: .any),
            clock: VirtualClock(start: date)
        )
        let request = Request.post("https://a.example.com/", body: .file(file)).signing(webhookID: id)
        let sent = try #require(await harness.send(request, answering: .ok).requests.first)
        #expect(try StandardWebhook.verify(sent.headers, content: bytes, keys: [key], at: date).id == id)
    }

    @Test("A signer without keys is reported when the chain is built")
    func noKeys() {
        #expect(throws: ChainOrderError.self) {
            try Chain(transport: TestKeys.Nowhere()) {
                SigningMiddleware(.webhook(keys: []), for: "https://a.example.com")
            }
        }
    }

    @Test("An HMAC with an empty key is refused when the chain is built, and signs nothing")
    func emptyKey() async throws {
        let signer = HMACScheme(.sha256, key: "", covering: .content()) {
            $1.headers[.authorization] = $0.hexadecimal
        }
        let stage = SigningMiddleware(signer, for: .any)
        let error = #expect(throws: ChainOrderError.self) { try Chain(transport: TestKeys.Nowhere()) { stage } }
        #expect(error?.reason.contains("empty key") == true)
        let outcome = await StageHarness(stage).send(.get("https://a.example.com/"))
        #expect((outcome.error as? SigningError)?.problem == .keyTooShort(bytes: 0))
        #expect(outcome.requests.isEmpty)
    }

    /// Test case 2 of RFC 4231, whose key and data are text.
    @Test("An HMAC of text is that of RFC 4231, and stands where it is put, bound to the origin")
    func hmac() async throws {
        func code(_ hash: HMACSigner.Hash, _ payload: HMACSigner.Payload, _ body: HTTPBody = .empty) async throws
            -> Request
        {
            let signer = HMACScheme(hash, key: "Jefe", covering: payload) { code, request in
                request.headers[.authorization] = "HMAC \(code.hexadecimal)"
            }
            let harness = StageHarness(SigningMiddleware(signer, for: .any))
            return try #require(
                await harness.send(.post("https://a.example.com/", body: body), answering: .ok).requests.first
            )
        }
        let sha256 = "HMAC 5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843"
        let text = "what do ya want for nothing?"
        let sent = try await code(.sha256, .head { _ in text })
        #expect(sent.headers[.authorization] == sha256)
        #expect(sent.options[OriginBoundFieldsNote.self][.authorization] == Origin("https://a.example.com"))
        #expect(try await code(.sha256, .content(), HTTPBody(text)).headers[.authorization] == sha256)
        #expect(
            try await code(.sha256, .content { _ in "what do ya " }, "want for nothing?").headers[.authorization]
                == sha256
        )
        #expect(
            try await code(.sha512, .head { _ in text }).headers[.authorization]?.hasPrefix(
                "HMAC 164b7a7bfcf819e2e395fbe7"
            )
                == true
        )
    }
}
#endif
