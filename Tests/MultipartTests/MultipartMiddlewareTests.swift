#if AllTests
import Foundation
import HTTPChainCore
import HTTPChainInMemory
import HTTPChainMultipart
import HTTPChainTesting
import HTTPTypes
import TestSupport
import Testing

private let url = "https://api.example.com/photos"

@Suite("MultipartMiddleware")
struct MultipartMiddlewareTests {
    private let form: MultipartForm = [.text("title", "Holiday"), .value("n", [1, 2])]

    @Test("A request with a form gets its body and its Content-Type, and no longer carries it")
    func frames() async throws {
        let harness = StageHarness(MultipartMiddleware(), seed: 7)
        var request = Request.post(url, headers: [.contentType: "text/plain", .contentLength: "3"], multipart: form)
        request.head.headerFields[.accept] = "text/html"
        let sent = try #require(await harness.send(request).requests.first)
        let boundary = MultipartBoundary.random(from: SeededRandom(seed: 7))
        try await expectRequest(
            sent,
            .post,
            url,
            headers: [.contentType: "multipart/form-data; boundary=\(boundary)", .accept: "text/html"],
            without: [.contentLength],
            body: HTTPBody(try await form.framedText(boundary.text))
        )
        #expect(!sent.options.contains(MultipartFormNote.self))
        #expect(sent.body.length != nil && sent.body.isReplayable)
    }

    @Test("A request without a form passes as it is")
    func passes() async throws {
        let request = Request.put(url, headers: [.contentType: "text/plain"], body: "text")
        let sent = try #require(await StageHarness(MultipartMiddleware()).send(request).requests.first)
        try await expectRequest(sent, .put, url, body: "text")
        #expect(sent.headers == request.headers)
    }

    @Test(
        "A body that is set after the form is sent instead of it, with its own Content-Type",
        arguments: [
            "later", .empty, .value(["a": 1]), .replayable(chunks: { AsyncStream { $0.finish() } }),
        ] as [HTTPBody]
    )
    func replaced(body: HTTPBody) async throws {
        var request = Request.post(url, multipart: form)
        request.body = body
        request.head.headerFields[.contentType] = "text/plain"
        let sent = try #require(await StageHarness(MultipartMiddleware()).send(request).requests.first)
        #expect(sent.body.description == body.description)
        #expect(sent.head.headerFields[.contentType] == "text/plain")
        #expect(!sent.options.contains(MultipartFormNote.self))
    }

    @Test("A form is framed although a stage outside observes the reads of its body")
    func observed() async throws {
        var request = Request.post(url, multipart: form)
        request.body = request.body.transformed { $0 }
        let sent = try #require(await StageHarness(MultipartMiddleware()).send(request).requests.first)
        #expect(try await sent.body.text().contains("Holiday"))
    }

    @Test("The same seed gives the same bytes, another call another boundary")
    func boundaries() async throws {
        func type(seed: UInt64) async throws -> String {
            let outcome = await StageHarness(MultipartMiddleware(), seed: seed).send(.put(url).multipart(form))
            return try #require(outcome.requests.first?.head.headerFields[.contentType])
        }
        #expect(try await type(seed: 1) == type(seed: 1))
        #expect(try await type(seed: 1) != type(seed: 2))
    }

    @Test("A boundary of one's own is used, quoted where needed; one that is not valid is refused before sending")
    func ownBoundary() async throws {
        let own = MultipartForm([.text("a", "1")], kind: .mixed, boundary: "a b")
        let outcome = await StageHarness(MultipartMiddleware()).send(.patch(url).multipart(own))
        let sent = try #require(outcome.requests.first)
        #expect(sent.head.headerFields[.contentType] == "multipart/mixed; boundary=\"a b\"")
        #expect(try await sent.body.text().hasPrefix("--a b\r\n"))

        let refused = await StageHarness(MultipartMiddleware()).send(
            .post(url, multipart: MultipartForm([], boundary: "a;b")),
            answering: []
        )
        #expect(refused.requests.isEmpty)
        guard case .invalidBoundary("a;b", _)? = (refused.error as? MultipartError)?.problem else {
            Issue.record("\(String(describing: refused.error))")
            return
        }
    }

    @Test("What a stage inside sends again has the same bytes", .timeLimit(.minutes(10)))
    func sentAgain() async throws {
        let transport = InMemoryTransport { _ in Response(.ok) }
        let chain = try Chain(transport: transport) {
            MultipartMiddleware()
            ClosureMiddleware("Again") { request, next in
                _ = try await next(request)
                return try await next(request)
            }
        }
        _ = try await chain.send(.post(url, multipart: form))
        let requests = transport.requests
        #expect(requests.count == 2)
        #expect(requests[0].body == requests[1].body && !requests[0].body.isEmpty)
        #expect(requests[0].headers[.contentType] == requests[1].headers[.contentType])
    }

    @Test("Without the stage the request fails with an error that names it", .timeLimit(.minutes(10)))
    func missingStage() async throws {
        let chain = try Chain(transport: InMemoryTransport { _ in Response(.ok) })
        for form in [form, [.stream("s", .chunks(["1"]))]] {
            let request = Request.post(url, multipart: form)
            #expect(request.body.isReplayable == form.isReplayable)
            #expect(request.body.length == nil)
            await expectProblem(.stageMissing) { _ = try await chain.send(request) }
        }
    }

    @Test("The stage belongs with those that build the request, and says how values are encoded")
    func summary() throws {
        let stage = MultipartMiddleware()
        #expect(stage.phase == .build)
        #expect(stage.summary.settings == [.init(name: "values", value: "by the chain's serializer")])
        let chain = try Chain(transport: InMemoryTransport { _ in Response(.ok) }) { stage }
        #expect(chain.explain().contains("frames forms as multipart bodies"))
    }

    @Test("The stage keeps the rules", .timeLimit(.minutes(10)), arguments: StageConformance.Check.allCases)
    func conforms(check: StageConformance.Check) async throws {
        try await StageConformance { MultipartMiddleware() }.verify(check)
        let withForm = StageConformance(request: {
            var request = Request.post(url)
            request.options[MultipartFormNote.self] = [.text("title", "Holiday"), .data("d", Data(count: 70_000))]
            return request
        }) { MultipartMiddleware() }
        try await withForm.verify(check)
    }
}

@Suite("Raw uploads")
struct UploadTests {
    @Test("A file is sent as it is, with the type of its name", .timeLimit(.minutes(10)))
    func file() async throws {
        let file = try ScratchFile("clip.MP4", content: Data("0123456789".utf8))
        try await expectRequest(
            .upload(.put, url, file: file.url),
            .put,
            url,
            headers: [.contentType: "video/mp4"],
            body: "0123456789"
        )
        try await expectRequest(
            .upload(.patch, url, file: file.url, range: 2..<5, contentType: "a/b"),
            .patch,
            url,
            headers: [.contentType: "a/b"],
            body: "234"
        )
        try await expectRequest(.put(url, file: file.url), .put, headers: [.contentType: "video/mp4"])
        #expect(try await Request.put(url, file: file.url).body.measured().length == 10)
        #expect(Request.put(url, file: file.url).body.isReplayable)
    }

    @Test("A type among the fields stays, and one that is given wins")
    func types() async throws {
        let file = try ScratchFile("a.txt", content: Data("1".utf8))
        let headers: HTTPFields = [.contentType: "text/own"]
        let guessed = Request.upload(.put, url, headers: headers, file: file.url)
        #expect(guessed.head.headerFields[.contentType] == "text/own")
        let given = Request.upload(.put, url, headers: headers, file: file.url, contentType: "text/given")
        #expect(given.head.headerFields[.contentType] == "text/given")
        let other = try ScratchFile("a", content: Data("1".utf8))
        let unknown = Request.upload(.post, url, file: other.url)
        try await expectRequest(unknown, .post, headers: [.contentType: "application/octet-stream"], body: "1")
        withExtendedLifetime(other) {}
    }

    @Test(
        "The type follows the last extension, in any letter case",
        arguments: [
            ("a.txt", "text/plain"), ("a.tar.GZ", "application/gzip"), ("photo.JPeG", "image/jpeg"),
            ("x.json", "application/json"),
            ("a", "application/octet-stream"), ("", "application/octet-stream"), (".json", "application/octet-stream"),
            ("a.", "application/octet-stream"), ("a.b/c", "application/octet-stream"),
            ("C:\\a.b\\c.pdf", "application/pdf"),
            ("dir/a.svg", "image/svg+xml"), ("a.unknown", "application/octet-stream"),
        ]
    )
    func guess(name: String, type: String) {
        #expect(FileContentType.guess(fileName: name) == type)
    }
}
#endif
