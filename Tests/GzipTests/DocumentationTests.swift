#if AllTests
import Foundation
import HTTPChainCore
import HTTPChainGzip
import HTTPTypes
import TestSupport
import Testing

/// The code of the documentation page, which compiles here.
private enum Page {
    static func makeChain(_ transport: some Transport) throws -> Chain {
        // begin
        let chain = try Chain(transport: transport) {
            GzipMiddleware(
                requests: CompressionSettings(coding: .gzip(level: 1), minimumSize: .kibibytes(4)),
                responses: DecodingLimits(maximumSize: .mebibytes(64), maximumRatio: 200)
            )
        }
        // end
        return chain
    }

    static func use(_ chain: Chain, _ log: URL, _ destination: URL) async throws -> String {
        // begin
        let answer = try await chain.send(.post("https://api.example.com/events", body: .file(log)))
        let text = try await answer.body.text()
        // end
        // begin
        let archive = try await chain.send(.get("https://api.example.com/archive").decompression(false))
        try await archive.body.save(to: destination)
        // end
        return text
    }

    static func makeStage(_ rotation: ContentCoding) -> GzipMiddleware {
        // begin
        let stage = GzipMiddleware(codings: [rotation, .gzip.preferred(0.5)])
        // end
        return stage
    }
}

@Suite("The documentation page", .timeLimit(.minutes(10)))
struct DocumentationTests {
    private struct Echo: Transport {
        var capabilities: TransportCapabilities { [.streamsUploads] }

        func send(_ request: consuming Request) async throws -> Response {
            let bytes = try await request.body.collect()
            guard request.head.method == .post else { return Response(.ok, body: "archive") }
            return Response(.ok, headers: [.contentEncoding: "gzip"], body: HTTPBody(bytes))
        }
    }

    @Test("The examples of the page are the code above, and they work")
    func examples() async throws {
        let page = try Repository.text("Middleware/Gzip/Gzip.docc/Gzip.md")
        let code = try String(contentsOfFile: #filePath, encoding: .utf8).lines(between: "// begin", "// end")
        #expect(page.lines(between: "```swift", "```") == code)

        let scratch = try ScratchDirectory.created()
        let (log, archive) = (try scratch.file("log", Samples.json(100_000)), scratch.file("archive"))
        let text = try await Page.use(Page.makeChain(Echo()), log, archive)
        #expect(
            Page.makeStage(ContentCoding("x") { throw ContentCodingError.Problem.outOfMemory }).summary.settings.count
                == 2
        )
        #expect(Data(text.utf8) == Samples.json(100_000))
        #expect(try Data(contentsOf: archive) == Data("archive".utf8))
    }
}
#endif
