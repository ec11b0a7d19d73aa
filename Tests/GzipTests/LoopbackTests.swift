#if AllTests
import Foundation
import HTTPChainContentDigest
import HTTPChainCore
import HTTPChainGzip
import HTTPChainTesting
import HTTPChainURLSession
import HTTPTypes
import TestSupport
import Testing

#if AsyncHTTPClient
import HTTPChainAsyncHTTPClient
#endif

/// Waits for a server of the test's own as long as a busy machine needs.
private var patientTransport: URLSessionTransport {
    URLSessionTransport(configuration: .init(requestTimeout: .seconds(600)))
}

@Suite("Gzip and digests over real transports", .heavy, .timeLimit(.minutes(10)))
struct LoopbackTests {
    /// Answers with what it was sent: the content as it was encoded, and the fields that describe it.
    private static let echo: LoopbackServer.Script = { exchange in
        let body = try await exchange.readBody()
        let fields = ["Content-Encoding", "Content-Digest"].flatMap { name in
            exchange.request.values(name).map { (name, $0) }
        }
        try await exchange.reply(200, fields: fields, body: body)
    }

    private func exchange(
        _ body: HTTPBody,
        over transport: some Transport
    ) async throws -> (sent: LoopbackRequest, response: Response, content: Data) {
        let server = try await LoopbackServer.start(script: Self.echo)
        do {
            let chain = try Chain(transport: transport) {
                GzipMiddleware(requests: .standard)
                ContentDigestMiddleware()
            }
            let response = try await chain.send(.post(server.url("/echo"), body: body))
            let content = try await response.body.content
            let sent = try #require(server.records.first?.request)
            await server.stop()
            return (sent, response, content)
        } catch {
            await server.stop()
            throw error
        }
    }

    private func expectRoundTrip(
        _ sample: Data,
        over transport: some Transport,
        _ expected: DigestVerification
    ) async throws {
        for body in [HTTPBody(sample), .pieces(sample, of: 10_000)] {
            let (sent, response, content) = try await exchange(body, over: transport)
            #expect(content == sample)
            #expect(sent.values("Content-Encoding") == ["gzip"])
            #expect(sent.values("Accept-Encoding").joined().contains("gzip"))
            let digest = try #require(sent.values("Content-Digest").first)
            #expect(digest.hasPrefix("sha-256=:"))
            #expect(response.headers[.contentEncoding] == nil)
            #expect(response.headers[.contentLength] == nil)
            #expect(response.options[OriginalContentFieldsFact.self][.contentEncoding] == "gzip")
            #expect(response.digestVerification == expected)
        }
    }

    @Test("URLSession decodes on its own: the stage adapts, and the digest is known not to be verifiable")
    func urlSession() async throws {
        let transport = patientTransport
        for sample in [Samples.json(20_000), Samples.json(600_000)] {
            try await expectRoundTrip(sample, over: transport, .notVerifiable(.contentDecoded))
        }
        await transport.shutdown()
    }

    @Test("What is small is sent as it is, with its length, and verified")
    func small() async throws {
        let transport = patientTransport
        let (sent, response, content) = try await exchange("small", over: transport)
        #expect(content == Data("small".utf8))
        #expect(sent.values("Content-Encoding").isEmpty)
        #expect(sent.values("Content-Length") == ["5"])
        #expect(response.digestVerification == .verifiedWhileRead([.contentDigest(.sha256)]))
        await transport.shutdown()
    }

    #if AsyncHTTPClient
    @Test("Over AsyncHTTPClient the stage decodes, and the digest of the encoded content is verified")
    func asyncHTTPClient() async throws {
        for sample in [Samples.json(20_000), Samples.json(600_000)] {
            let verified = DigestVerification.verifiedWhileRead([.contentDigest(.sha256)])
            try await expectRoundTrip(sample, over: AsyncHTTPClientTransport(), verified)
        }
    }
    #else
    @Test("LOUD NOTE: decoding over a transport that does not is NOT tested here; use `swift test --enable-all-traits`")
    func asyncHTTPClientNeedsItsTrait() {
        print("NOT TESTED: gzip over AsyncHTTPClientTransport needs `swift test --enable-all-traits`")
    }
    #endif
}
#endif
