#if AllTests
import Foundation
import HTTPChainCore
import HTTPChainSigning
import HTTPChainSigningRSA
import HTTPTypes
import Testing

@Suite("Verifying HTTP message signatures", .timeLimit(.minutes(10)))
struct MessageVerifierTests {
    private let now = SignatureVectors.created.addingTimeInterval(10)

    private func problem(
        _ verifier: MessageVerifier,
        _ message: SignedMessage,
        at date: Date? = nil
    ) async throws -> SigningError.Problem? {
        do {
            _ = try await verifier.verify(message, at: date ?? now)
            return nil
        } catch let error as SigningError {
            return error.problem
        }
    }

    private var ed25519: SignatureVectors.Vector { SignatureVectors.requests[4] }

    @Test("The signed requests of RFC 9421, appendix B, count", arguments: SignatureVectors.requests)
    func requests(vector: SignatureVectors.Vector) async throws {
        let verified = try await SignatureVectors.verifier()
            .verify(vector.signed(SignatureVectors.request), at: now)
        #expect(verified?.parameters.created == SignatureVectors.created)
        #expect(vector.input.hasPrefix(try #require(verified).label))
    }

    @Test("Signatures do not count when what they cover was changed", arguments: SignatureVectors.requests.dropFirst())
    func changed(vector: SignatureVectors.Vector) async throws {
        var request = SignatureVectors.request
        request.authority = "example.net"
        #expect(try await problem(SignatureVectors.verifier(), vector.signed(request)) == .wrongSignature)
    }

    @Test("The signed response of appendix B.2.4 counts, and not with another status")
    func response() async throws {
        var response = SignatureVectors.response
        response.headerFields[.signatureInput] = SignatureVectors.responseInput
        response.headerFields[.signature] = SignatureVectors.responseSignature
        let verifier = try SignatureVectors.verifier(requiring: [.status, .contentDigest])
        let verified = try await verifier.verify(SignedMessage(response, answering: nil), at: now)
        #expect(verified?.algorithm == .ecdsaP256SHA256)
        response.status = .created
        #expect(try await problem(verifier, SignedMessage(response, answering: nil)) == .wrongSignature)
    }

    @Test("What intermediaries may do keeps a signature right, and what they may not makes it wrong (appendix B.4)")
    func transformations() async throws {
        func message(
            _ method: HTTPRequest.Method = .get,
            _ authority: String = "example.org",
            query: String = "",
            accept: [String] = ["application/json", "*/*"]
        ) throws -> SignedMessage {
            var request = HTTPRequest(
                method: method,
                scheme: "https",
                authority: authority,
                path: "/demo?name1=Value1&Name2=value2" + query
            )
            request.headerFields = SignatureVectors.fields([
                "Signature-Input":
                    #"transform=("@method" "@path" "@authority" "accept");created=1618884473;keyid="test-key-ed25519""#,
                "Signature":
                    "transform=:ZT1kooQsEHpZ0I1IjCqtQppOmIqlJPeo7DHR3SoMn0s5JZ1eRGS0A+vyYP9t/LXlh5QMFFQ6cpLt2m0pmj3NDA==:",
            ])
            for value in accept { request.headerFields.append(HTTPField(name: .accept, value: value)) }
            return SignedMessage(request)
        }
        let verifier = try SignatureVectors.verifier()
        #expect(try await problem(verifier, message()) == nil)
        #expect(try await problem(verifier, message(query: "&param=added")) == nil)
        #expect(try await problem(verifier, message(accept: ["application/json, */*"])) == nil)
        #expect(try await problem(verifier, message(.post, "example.com")) == .wrongSignature)
        #expect(try await problem(verifier, message(accept: ["*/*", "application/json"])) == .wrongSignature)
    }

    @Test("A signature counts within its age, and the clocks may differ a little")
    func age() async throws {
        let message = ed25519.signed(SignatureVectors.request)
        let verifier = try SignatureVectors.verifier()
        let created = SignatureVectors.created
        #expect(try await problem(verifier, message, at: created.addingTimeInterval(330)) == nil)
        #expect(
            try await problem(verifier, message, at: created.addingTimeInterval(331)) == .tooOld(age: .seconds(331))
        )
        #expect(try await problem(verifier, message, at: created.addingTimeInterval(-30)) == nil)
        #expect(
            try await problem(verifier, message, at: created.addingTimeInterval(-31))
                == .createdInFuture(by: .seconds(31))
        )
        #expect(
            try await problem(verifier, message, at: Date(timeIntervalSince1970: 1e300)) == .tooOld(age: .seconds(1e18))
        )
        #expect(
            try await problem(verifier, message, at: Date(timeIntervalSince1970: -1e300))
                == .createdInFuture(by: .seconds(1e18))
        )
        guard case .createdInFuture = try await problem(verifier, message, at: Date(timeIntervalSince1970: .nan)) else {
            Issue.record("it is accepted at a time that isn't a number")
            return
        }
    }

    @Test("What is required must be covered, and said")
    func required() async throws {
        let message = ed25519.signed(SignatureVectors.request)
        #expect(
            try await problem(SignatureVectors.verifier(requiring: [.method, .contentDigest]), message)
                == .notCovered([.contentDigest])
        )
        #expect(
            try await problem(SignatureVectors.verifier(tag: "garden"), message) == .missingParameter("tag \"garden\"")
        )
        #expect(
            try await problem(SignatureVectors.verifier(requiresExpiry: true), message) == .missingParameter("expires")
        )
        #expect(
            try await problem(SignatureVectors.verifier(nonces: NonceMemory()), message) == .missingParameter("nonce")
        )
        #expect(try await problem(SignatureVectors.verifier(), SignedMessage(SignatureVectors.request)) == .unsigned)
    }

    @Test("A nonce counts once, until its signature is too old")
    func nonces() async throws {
        let memory = NonceMemory()
        let verifier = try SignatureVectors.verifier(nonces: memory)
        let message = SignatureVectors.requests[0].signed(SignatureVectors.request)
        #expect(try await problem(verifier, message) == nil)
        #expect(try await problem(verifier, message) == .replayed(nonce: "b3k2pp5k7z-50gnwp.yemd"))
        #expect(memory.count == 1)
    }

    @Test("A memory of nonces that is full refuses what is new, until some have run out")
    func fullMemory() throws {
        let memory = NonceMemory(limit: 2)
        let end = now.addingTimeInterval(60)
        try memory.note("a", by: nil, until: end, now: now)
        try memory.note("b", by: nil, until: end, now: now)
        let error = try #require(throws: SigningError.self) { try memory.note("c", by: nil, until: end, now: now) }
        #expect(error.problem == .tooManyNonces(limit: 2))
        try memory.note("c", by: nil, until: end.addingTimeInterval(90), now: end.addingTimeInterval(1))
        #expect(memory.count == 1)
    }

    @Test("A wrong signature leaves no nonce behind")
    func wrongNonce() async throws {
        let memory = NonceMemory()
        var request = SignatureVectors.request
        request.headerFields = SignatureVectors.fields([
            "Signature-Input": #"a=();created=1618884473;keyid="test-key-ed25519";nonce="x""#, "Signature": "a=:AAAA:",
        ])
        #expect(
            try await problem(SignatureVectors.verifier(nonces: memory), SignedMessage(request)) == .wrongSignature
        )
        #expect(memory.count == 0)
    }

    @Test("The algorithm is that of the key, whatever the signature declares")
    func algorithm() async throws {
        var request = SignatureVectors.request
        request.headerFields = SignatureVectors.fields([
            "Signature-Input": #"a=();created=1618884473;keyid="test-key-rsa-pss";alg="hmac-sha256""#,
            "Signature": "a=:AAAA:",
        ])
        #expect(
            try await problem(SignatureVectors.verifier(), SignedMessage(request))
                == .algorithmMismatch(declared: "hmac-sha256", key: "rsa-pss-sha512")
        )
    }

    @Test("One signature that counts is enough beside others by keys that are not known")
    func several() async throws {
        let message = { (request: HTTPRequest) in
            var request = request
            request.headerFields[.signatureInput] =
                #"tr=("x";tr), proxy=("@status";req);created=1;keyid="other", "# + self.ed25519.input
            request.headerFields[.signature] = "tr=:AAAA:, proxy=:AAAA:, " + self.ed25519.signature
            return SignedMessage(request)
        }
        let verified = try await SignatureVectors.verifier().verify(message(SignatureVectors.request), at: now)
        #expect(verified?.label == "sig-b26")
    }

    @Test(
        "Malformed fields are errors that name the field",
        arguments: [
            (#"a=("date")"#, ""), (#"a=("date")"#, "b=:AAAA:"), (#"a=1"#, "a=:AAAA:"), ("a=(", "a=:AAAA:"),
            (#"a=("date");created="x""#, "a=:AAAA:"), (#"a=("date" "date")"#, "a=:AAAA:"), (#"a=(date)"#, "a=:AAAA:"),
            (#"a=("date");created=1.5"#, "a=:AAAA:"), (#"a=("date")"#, "a=?1"),
            ("a=(" + String(repeating: #""x" "#, count: 65) + ")", "a=:AAAA:"),
            (String(repeating: "a", count: 20_000), "a=:AAAA:"),
        ]
    )
    func malformed(input: String, signature: String) async throws {
        var request = SignatureVectors.request
        request.headerFields[.signatureInput] = input
        request.headerFields[.signature] = signature
        guard
            case .malformedField(let name, _)? = try await problem(SignatureVectors.verifier(), SignedMessage(request))
        else {
            Issue.record("it is not refused as malformed")
            return
        }
        #expect(name.hasPrefix("Signature"))
    }

    @Test("Keys that are none are refused, with a hint")
    func invalidKeys() {
        #expect(throws: SigningError.self) { try MessageSigningKey.ed25519(pem: "x") }
        #expect(throws: SigningError.self) { try MessageSigningKey.ed25519(pem: Secret(SignatureVectors.p256Public)) }
        #expect(throws: SigningError.self) { try MessageSigningKey.ecdsaP256(pem: SignatureVectors.ed25519Private) }
        #expect(throws: SigningError.self) { try MessageSigningKey.ecdsaP384(pem: "x") }
        #expect(throws: SigningError.self) { try MessageSigningKey.hmacSHA256(base64: "?") }
        #expect(throws: SigningError.self) { try MessageVerificationKey.ecdsaP384(pem: SignatureVectors.p256Public) }
        #expect(throws: SigningError.self) { try MessageVerificationKey.ed25519(pem: SignatureVectors.p256Public) }
        #expect(throws: SigningError.self) { try MessageSigningKey.rsaPSS(pem: "x") }
        #expect(throws: SigningError.self) { try MessageVerificationKey.rsaV15(pem: SignatureVectors.p256Public) }
    }

    @Test("A shared secret of less than 16 bytes is refused, and the error says why")
    func shortKeys() throws {
        for secret in ["", "s", "fifteen bytes!!"] {
            let encoded = Secret(Data(secret.utf8).base64EncodedString())
            let makers: [() throws -> Void] = [
                { _ = try MessageSigningKey.hmacSHA256(Secret(secret)) },
                { _ = try MessageVerificationKey.hmacSHA256(Secret(secret)) },
                { _ = try MessageSigningKey.hmacSHA256(base64: encoded) },
                { _ = try MessageVerificationKey.hmacSHA256(base64: encoded) },
            ]
            for make in makers {
                let error = #expect(throws: SigningError.self) { try make() }
                #expect(error?.problem == .keyTooShort(bytes: secret.utf8.count))
                #expect(error?.reason.contains("less than 16") == true)
                #expect(error?.recoverySuggestion?.contains("32 random bytes") == true)
            }
        }
        _ = try MessageVerificationKey.hmacSHA256("sixteen bytes!!!")
    }

    @Test("Keys do not show themselves")
    func secrecy() throws {
        let key = MessageSigningKey.shared(id: "a")
        let verifying = try MessageVerificationKey.hmacSHA256("a shared secret of the tests", id: "a")
        var text = "\(key) \(String(reflecting: key)) \(verifying) \(String(reflecting: verifying))"
        dump(key, to: &text)
        dump(verifying, to: &text)
        #expect(text.contains("hmac-sha256") && !text.contains("shared secret"))
    }
}
#endif
