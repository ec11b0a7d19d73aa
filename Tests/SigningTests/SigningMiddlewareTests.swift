#if AllTests
import Foundation
import HTTPChainAuth
import HTTPChainContentDigest
import HTTPChainCore
import HTTPChainHeaders
import HTTPChainInMemory
import HTTPChainRedirect
import HTTPChainRetry
import HTTPChainSigning
import HTTPChainTesting
import HTTPTypes
import TestSupport
import Testing

@Suite("Signing", .timeLimit(.minutes(10)))
struct SigningMiddlewareTests {
    private let url = "https://api.example.com/plants"
    private let input = HTTPField.Name.signatureInput
    private let signature = HTTPField.Name.signature

    private var signer: BuiltInSigner {
        .messageSignature(.shared(id: "a"), covering: [.method, .targetURI])
    }

    private var stage: SigningMiddleware { SigningMiddleware(signer, for: "https://api.example.com") }

    @Test("Requests to the origin are signed, and no others, nor those that say so")
    func origins() async throws {
        let harness = StageHarness(stage)
        func isSigned(_ request: Request) async throws -> Bool {
            let outcome = await harness.send(request, answering: .ok)
            return try #require(outcome.requests.first).headers.contains(signature)
        }
        #expect(try await isSigned(.get(url)))
        #expect(try await !isSigned(.get("https://other.example.com/plants")))
        #expect(try await !isSigned(.get("http://api.example.com/plants")))
        #expect(try await !isSigned(Request.get(url).signing(false)))
    }

    @Test("A signature is bound to its origin, and is shown to nobody")
    func bound() async throws {
        let outcome = await StageHarness(stage).send(.get(url), answering: .ok)
        var sent = try #require(outcome.requests.first)
        let value = try #require(sent.headers[signature])
        #expect(!"\(ExchangeSnapshot(sent.head, redaction: sent.redaction).requestFields)".contains(value))
        sent.removeFields(boundToOthersThan: Origin("https://other.example.com"))
        #expect(!sent.headers.contains(signature) && !sent.headers.contains(input))
    }

    @Test("A closure signs as it likes")
    func closure() async throws {
        let stage = SigningMiddleware(
            .closure("by hand") { request, origin in request.headers[.authorization] = "Signed \(origin.host)" },
            for: "https://api.example.com"
        )
        let outcome = await StageHarness(stage).send(.get(url), answering: .ok)
        #expect(outcome.requests.first?.headers[.authorization] == "Signed api.example.com")
        #expect(stage.summary.purpose == "signs requests: by hand")
    }

    @Test("The target that is signed is the one that is sent, with its brackets encoded")
    func brackets() async throws {
        let stage = SigningMiddleware(
            .closure("by hand") { request, _ in request.headers[.authorization] = request.head.path },
            for: "https://api.example.com"
        )
        let outcome = await StageHarness(stage).send(.get(url + "?f[x]=%41"), answering: .ok)
        let sent = try #require(outcome.requests.first)
        #expect(sent.headers[.authorization] == "/plants?f%5Bx%5D=%41")
        #expect(try sent.forWire().head.path == "/plants?f%5Bx%5D=%41")
    }

    // MARK: Responses

    private func verifier(
        requiring required: [SignatureComponent] = [
            .status, .method.fromRequest, .field(.signature).key("sig").fromRequest,
        ],
        acceptsUnsigned: Bool = false,
        asks: Bool = false
    ) -> MessageVerifier {
        MessageVerifier(
            keys: [.shared(id: "s")],
            requiring: required,
            acceptsUnsigned: acceptsUnsigned,
            asks: asks
        )
    }

    /// Answers with a signature of the response and of parts of the request, over a base that is written out here.
    private func answering(
        _ status: HTTPResponse.Status = .ok,
        method: String? = nil,
        at date: Date
    ) -> @Sendable (Request) async throws -> Response {
        { [signature, input] request in
            let fields = request.headers
            let own = try #require(fields[signature]).dropFirst(4)
            let parameters =
                #"("@status" "@method";req "signature";key="sig";req);created=\#(Int(date.timeIntervalSince1970));keyid="s""#
            let base = """
                "@status": \(status.code)
                "@method";req: \(method ?? request.method.rawValue)
                "signature";key="sig";req: \(own)
                "@signature-params": \(parameters)
                """
            let code = SigningMiddleware(
                .hmac(.sha256, key: "a shared secret of the tests", covering: .head { _ in base }) {
                    $1.headers[.authorization] = $0.bytes.base64EncodedString()
                },
                for: .any
            )
            let made = await StageHarness(code).send(.get("https://x.example.com/"), answering: .ok)
            let value = try #require(made.requests.first?.headers[.authorization])
            return Response(status, headers: [input: "r=\(parameters)", signature: "r=:\(value):"], body: "content")
        }
    }

    private func outcome(
        _ verifier: MessageVerifier,
        _ answer: @escaping @Sendable (Request) async throws -> Response
    ) async -> StageHarness.Outcome {
        let stage = SigningMiddleware(signer, for: "https://api.example.com", verifying: verifier)
        return await StageHarness(stage, clock: VirtualClock(start: SignatureVectors.created))
            .send(.get(url), answering: .perform(answer))
    }

    @Test("A response counts that is signed with parts of the request that it answers")
    func verified() async throws {
        let outcome = await outcome(verifier(), answering(at: SignatureVectors.created))
        let response = try outcome.response()
        guard case .verified(let verified) = response.signatureVerification else {
            Issue.record("it does not count")
            return
        }
        #expect(verified.parameters.keyID == "s")
        #expect(try await response.body.text() == "content")
    }

    @Test("A response to another request does not count")
    func otherRequest() async throws {
        let outcome = await outcome(verifier(), answering(method: "PUT", at: SignatureVectors.created))
        let error = try #require(outcome.error as? SigningError)
        #expect(error.problem == .wrongSignature)
        #expect(error.exchange?.response?.status == .ok)
    }

    @Test("An old response does not count")
    func oldResponse() async throws {
        let outcome = await outcome(verifier(), answering(at: SignatureVectors.created.addingTimeInterval(-400)))
        #expect((outcome.error as? SigningError)?.problem == .tooOld(age: .seconds(400)))
    }

    @Test("A response without signature is refused, or accepted where that is chosen")
    func unsigned() async throws {
        let refused = await outcome(verifier()) { _ in Response(.ok) }
        #expect((refused.error as? SigningError)?.problem == .unsigned)
        let accepted = await outcome(verifier(acceptsUnsigned: true)) { _ in Response(.ok) }
        #expect(try accepted.response().signatureVerification == .unsigned)
    }

    @Test("A server is asked for what must be covered")
    func asks() async throws {
        let outcome = await outcome(
            verifier(requiring: [.status, .method.fromRequest], acceptsUnsigned: true, asks: true)
        ) {
            _ in Response(.ok)
        }
        let name = try #require(HTTPField.Name("Accept-Signature"))
        #expect(outcome.requests.first?.headers[name] == #"sig=("@status" "@method";req);created"#)
    }

    // MARK: Place

    @Test("The stage is inside authentication and limits, and outside stages that look at the wire")
    func place() throws {
        #expect(Phase.authenticate.isOutside(.sign) && Phase.attempt.isOutside(.sign) && Phase.sign.isOutside(.wire))
        #expect(throws: ChainOrderError.self) {
            try Chain(transport: TestKeys.Nowhere()) {
                stage
                HeadersMiddleware([.accept: "text/plain"])
            }
        }
    }

    @Test("An inner stage without a phase is reported, because it may change the signed request")
    func unknownInside() throws {
        let chain = try Chain(transport: TestKeys.Nowhere()) {
            stage
            ClosureMiddleware("Trims") { request, next in try await next(request) }
            ClosureMiddleware("Looks", phase: .wire) { request, next in try await next(request) }
        }
        #expect(chain.warnings.count == 1)
        #expect(chain.warnings.first?.problem.contains("Trims is inside SigningMiddleware") == true)
    }

    @Test("An inner chain that repeats or changes requests is reported")
    func chainInside() throws {
        let inner = try Chain(transport: TestKeys.Nowhere()) { RetryMiddleware() }
        let chain = try Chain(transport: inner) { stage }
        #expect(chain.warnings.first?.problem.contains("RetryMiddleware") == true)
    }

    @Test("A transport that follows redirects itself is refused")
    func followingTransport() {
        struct Following: Transport {
            var capabilities: TransportCapabilities { [.followsRedirects] }
            func send(_ request: consuming Request) async throws -> Response { Response(.ok) }
        }
        #expect(throws: ChainOrderError.self) { try Chain(transport: Following()) { stage } }
    }

    @Test("A signed digest that no stage compares with the content is reported")
    func uncomparedDigest() throws {
        let verifying = SigningMiddleware(
            verifying: verifier(requiring: [.contentDigest]),
            for: "https://api.example.com"
        )
        let alone = try Chain(transport: TestKeys.Nowhere()) { verifying }
        #expect(alone.warnings.first?.fix.contains("ContentDigestMiddleware") == true)
        let both = try Chain(transport: TestKeys.Nowhere()) {
            ContentDigestMiddleware()
            verifying
        }
        #expect(both.warnings.isEmpty)
    }

    @Test("A text that isn't an origin is reported")
    func badOrigin() {
        #expect(throws: ChainOrderError.self) {
            try Chain(transport: TestKeys.Nowhere()) { SigningMiddleware(signer, for: "api.example.com") }
        }
    }

    @Test("The stage keeps the rules of every stage", arguments: StageConformance.Check.allCases)
    func conforms(check: StageConformance.Check) async throws {
        try await StageConformance(calls: .exactlyOnce) {
            SigningMiddleware(
                .messageSignature(.shared(), covering: [.method, .targetURI]),
                for: "https://conformance.example"
            )
        }.verify(check)
    }
}
#endif
