#if AllTests
import Foundation
import HTTPChainContentDigest
import HTTPChainCore
import HTTPChainTesting
import HTTPTypes
import TestSupport
import Testing

private let url = "https://api.example.com/books/123"

@Suite("Digests of requests", .timeLimit(.minutes(10)))
struct RequestDigestTests {
    private func sent(_ request: Request, by stage: ContentDigestMiddleware = ContentDigestMiddleware()) async throws
        -> Request
    {
        let outcome = await StageHarness(stage).send(request)
        if let error = outcome.error { throw error }
        return try #require(outcome.requests.first)
    }

    @Test("By default Content-Digest is sent with SHA-256, as RFC 9530 has it")
    func byDefault() async throws {
        let fields = try await sent(.put(url, body: HTTPBody(RFC9530.title))).head.headerFields
        #expect(try fields.value("Content-Digest") == "sha-256=:\(RFC9530.titleSHA256):")
        #expect(fields.count == 1)
    }

    @Test("Several fields and algorithms come from one pass over the body")
    func several() async throws {
        let reads = Locked(0)
        let body = HTTPBody.replayable {
            reads.withLock { $0 += 1 }
            return ChunkReader([RFC9530.content])
        }
        let stage = ContentDigestMiddleware(
            requests: [.contentDigest(.sha512), .contentDigest(.sha256), .reprDigest(.sha256), .contentMD5]
        )
        let request = try await sent(.post(url, body: body), by: stage)
        let fields = request.head.headerFields
        #expect(
            try fields.value("Content-Digest") == "sha-512=:\(RFC9530.sha512):, sha-256=:\(RFC9530.sha256):"
        )
        #expect(try fields.value("Repr-Digest") == "sha-256=:\(RFC9530.sha256):")
        #expect(try fields.value("Content-MD5") == "UFIauregE76D7gDe0/n0JA==")
        // Once for the digests, once by the harness in the transport's place.
        #expect(reads.withLock { $0 } == 2)
        #expect(try await request.body.collect() == RFC9530.content)
    }

    @Test("Content-MD5 is that of RFC 1321, in base64", arguments: rfc1321)
    func md5(_ text: String, _ digest: String) async throws {
        let request = try await sent(.put(url, body: HTTPBody(text)).digests(.contentMD5))
        #expect(try request.head.headerFields.value("Content-MD5") == digest)
        #expect(try request.head.headerFields.value("Content-Digest") == nil)
    }

    @Test("A file is read in pieces")
    func file() async throws {
        let scratch = try ScratchDirectory.created()
        let file = try scratch.file("file", Data(repeating: 0x61, count: 1_000_000))
        // The third vector of FIPS 180-4's examples for SHA-256: a million times "a".
        let fields = try await sent(.put(url, body: .file(file))).head.headerFields
        #expect(try fields.value("Content-Digest") == "sha-256=:zcduXJkU+5KBocfihNc+Z/GAmkiklyAOBG05zMcRLNA=:")
    }

    @Test("What the caller gave stays")
    func given() async throws {
        let given = try fields(["Content-Digest": "sha-256=:AAAA:"])
        let request = Request.put(url, headers: given, body: HTTPBody(RFC9530.content))
        #expect(try await sent(request).head.headerFields == given)
        let more = try await sent(request.digests(.contentDigest(.sha256), .contentMD5)).head.headerFields
        #expect(try more.value("Content-Digest") == "sha-256=:AAAA:")
        #expect(try more.value("Content-MD5") != nil)
    }

    @Test("A request without content has no digest, unless content is what its method is about")
    func empty() async throws {
        for request in [Request.get(url), .head(url), .delete(url)] {
            #expect(try await sent(request).head.headerFields.isEmpty)
        }
        let empty = try await sent(.post(url)).head.headerFields
        #expect(try empty.value("Content-Digest") == "sha-256=:47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=:")
        #expect(try await sent(.delete(url, body: "a")).head.headerFields.count == 1)
    }

    @Test("A part of a representation does not tell the digest of it all")
    func part() async throws {
        let request = Request.put(url, headers: [.contentRange: "bytes 10-18/19"], body: HTTPBody(RFC9530.part))
        let fields = try await sent(request.digests(.reprDigest(.sha256), .contentDigest(.sha256))).head.headerFields
        #expect(try fields.value("Repr-Digest") == nil)
        #expect(try fields.value("Content-Digest") == "sha-256=:\(RFC9530.partSHA256):")
    }

    @Test("A call may leave digests out")
    func off() async throws {
        #expect(try await sent(.post(url, body: "a").digests()).head.headerFields.isEmpty)
    }

    @Test("A body that can be read once is refused, or sent without, or buffered")
    func oneShot() async throws {
        func request() -> Request { .post(url, body: .pieces(RFC9530.content, of: 5)) }
        await #expect {
            _ = try await sent(request())
        } throws: { error in
            (error as? ContentDigestError)?.problem == .bodyReadableOnce
                && (error as? ContentDigestError)?.exchange?.method == .post
        }
        let skipped = try await sent(request(), by: ContentDigestMiddleware(oneShotBodies: .skipped))
        #expect(skipped.head.headerFields.isEmpty)
        #expect(try await skipped.body.collect() == RFC9530.content)
        let buffered = try await sent(request(), by: ContentDigestMiddleware(oneShotBodies: .buffered(upTo: 100)))
        #expect(try buffered.head.headerFields.value("Content-Digest") == "sha-256=:\(RFC9530.sha256):")
        #expect(try await buffered.body.collect() == RFC9530.content)
        await #expect(throws: BodyError(.tooLarge(limit: 5))) {
            _ = try await sent(request(), by: ContentDigestMiddleware(oneShotBodies: .buffered(upTo: 5)))
        }
        #expect(try await sent(request().digests()).head.headerFields.isEmpty)
    }

    @Test("A typed value has no digest yet, and the error says what is missing")
    func typedValue() async throws {
        let outcome = await StageHarness(ContentDigestMiddleware()).send(.post(url, body: .value([1])))
        #expect("\(try #require(outcome.error))".contains("serializer"))
    }

    @Test("The server is asked for digests where the stage says so")
    func wanting() async throws {
        let stage = ContentDigestMiddleware(wanting: [.sha512, .sha256])
        #expect(
            try await sent(.get(url), by: stage).head.headerFields.value("Want-Content-Digest")
                == "sha-512=10, sha-256=9"
        )
        let own = try fields(["Want-Repr-Digest": "sha-256=1"])
        #expect(try await sent(.get(url, headers: own), by: stage).head.headerFields == own)
        #expect(try await sent(.get(url).digests(response: .off), by: stage).head.headerFields.isEmpty)
    }
}

@Suite("The rules of every stage: content digests", .timeLimit(.minutes(10)))
struct ContentDigestConformanceTests {
    @Test("Sending and verifying keep the rules", arguments: StageConformance.Check.allCases)
    func conforms(check: StageConformance.Check) async throws {
        let headers = try fields(["Content-Digest": "sha-256=:\(RFC9530.sha256):"])
        try await StageConformance(
            answers: { [.status(.ok, headers: headers, body: HTTPBody(RFC9530.content))] },
            stage: { ContentDigestMiddleware(oneShotBodies: .buffered(upTo: 1000)) }
        ).verify(check)
    }

    @Test("With nothing to verify, one-shot bodies keep the rules", arguments: StageConformance.Check.allCases)
    func conformsIdle(check: StageConformance.Check) async throws {
        try await StageConformance { ContentDigestMiddleware(oneShotBodies: .skipped) }.verify(check)
    }

    @Test("The stage explains itself, and stands inside gzip")
    func explains() throws {
        let chain = try Chain(transport: DecoyTransport()) {
            ContentDigestMiddleware(requests: [.contentMD5], responses: .required, wanting: [.sha256])
        }
        let text = chain.explain()
        #expect(text.contains("digest  ContentDigestMiddleware  sends and verifies digests of content"))
        #expect(text.contains("requests: Content-MD5; one-shot bodies: refused; responses: required; wants: sha-256"))
    }

    @Test("Required digests over a transport that decodes are refused, with the fix")
    func refused() throws {
        #expect {
            _ = try Chain(transport: DecoyTransport(capabilities: [.decodesContent])) {
                ContentDigestMiddleware(responses: .required)
            }
        } throws: { "\($0)".contains("decodes content before it can be verified; use a transport that does not") }
        _ = try Chain(transport: DecoyTransport(capabilities: [.decodesContent])) { ContentDigestMiddleware() }
    }

    private struct DecoyTransport: Transport {
        var capabilities: TransportCapabilities = []
        func send(_ request: consuming Request) async throws -> Response { Response(.ok) }
    }
}
#endif
