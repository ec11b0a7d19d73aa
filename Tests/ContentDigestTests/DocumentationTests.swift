#if AllTests
import Foundation
import HTTPChainContentDigest
import HTTPChainCore
import HTTPTypes
import TestSupport
import Testing

/// The code of the documentation page, which compiles here.
private enum Page {
    static func use(_ transport: some Transport, _ report: URL, _ destination: URL) async throws -> Response {
        // begin
        let chain = try Chain(transport: transport) {
            ContentDigestMiddleware(requests: [.contentDigest(.sha256)], wanting: [.sha512, .sha256])
        }
        let response = try await chain.send(.put("https://api.example.com/reports/7", body: .file(report)))
        try await response.body.save(to: destination)
        // end
        return response
    }

    static func legacy(_ report: URL) -> Request {
        // begin
        let upload = Request.put("https://old.example.com/reports/7", body: .file(report)).digests(.contentMD5)
        // end
        return upload
    }

    static func look(at response: Response) {
        // begin
        switch response.digestVerification {
        case .verifiedWhileRead(let fields): print("verified against \(fields)")
        case .notVerifiable(let reason): print("cannot be verified: \(reason)")
        default: print("no digest")
        }
        // end
    }
}

@Suite("The documentation page", .timeLimit(.minutes(10)))
struct DocumentationTests {
    /// Answers with what it was sent, fields and content, the content changed where that is asked for.
    private struct Echo: Transport {
        var isLying = false
        var capabilities: TransportCapabilities { [.streamsUploads] }

        func send(_ request: consuming Request) async throws -> Response {
            let bytes = try await request.body.collect()
            return Response(
                .ok,
                headers: request.head.headerFields,
                body: HTTPBody(isLying ? bytes + Data([0]) : bytes)
            )
        }
    }

    @Test("The examples of the page are the code above, and they work")
    func examples() async throws {
        let page = try Repository.text("Middleware/ContentDigest/ContentDigest.docc/ContentDigest.md")
        let code = try String(contentsOfFile: #filePath, encoding: .utf8).lines(between: "// begin", "// end")
        #expect(page.lines(between: "```swift", "```") == code)

        let scratch = try ScratchDirectory.created()
        let (report, result) = (try scratch.file("report", Data("report".utf8)), scratch.file("result"))
        await #expect(throws: ContentDigestError.self) { try await Page.use(Echo(isLying: true), report, result) }
        #expect(!FileManager.default.fileExists(atPath: result.path))
        let response = try await Page.use(Echo(), report, result)
        #expect(try Data(contentsOf: result) == Data("report".utf8))
        #expect(response.digestVerification == .verifiedWhileRead([.contentDigest(.sha256)]))
        Page.look(at: response)
        #expect(Page.legacy(report).options[DigestOption.self] == .value([.contentMD5]))
    }
}
#endif
