#if AllTests
import Foundation
import HTTPChainCore
import HTTPChainHAR
import HTTPChainInMemory
import HTTPTypes
import TestSupport
import Testing

@Suite("Archives and other programs", .heavy, .timeLimit(.minutes(10)))
struct ForeignTests {
    static let programs = ["chromium", "firefox", "mitmproxy", "playwright"]

    /// What each of them recorded of the site in `make_har.py`.
    private func check(_ archive: HARArchive, _ program: String) async throws {
        let entries = archive.entries
        let data = try #require(entries.first { $0.request.url.contains("/data.json") })
        #expect(data.request.queryString.map(\.name) == ["page", "q"])
        #expect(data.response.status == 200)
        #expect(data.response.content.text?.contains("\"users\"") == true, "decoded")
        #expect(data.started.timeIntervalSince1970 > 1_700_000_000)
        // Firefox counts whole milliseconds.
        #expect(program == "firefox" ? data.time >= 0 : data.time > 0)
        let form = try #require(entries.first { $0.request.url.hasSuffix("/form") })
        #expect(form.request.method == "POST" && form.response.status == 201)
        let moved = try #require(entries.first { $0.request.url.hasSuffix("/moved") })
        #expect(moved.response.status == 302 && moved.response.redirectURL.hasSuffix("/here"))
        let picture = try #require(entries.first { $0.request.url.hasSuffix("/picture.png") })
        #expect(picture.response.content.encoding == "base64")
        // Written by us, it is read the same, and meets the schema.
        #expect(try HARArchive(archive.data) == archive)
        // And it can be replayed, from whatever port it was.
        var settings = ReplaySettings()
        settings.matching.url.subtract([.host, .port])
        settings.sequence = .first
        let replay = ReplayTransport(archive, settings: settings)
        let site = "http://127.0.0.1"
        let json = try await replay.text(.get(site + "/data.json?q=a+b&page=2"))
        #expect(json == data.response.content.text)
        let type: HTTPFields = [.contentType: "application/x-www-form-urlencoded;charset=UTF-8"]
        #expect(
            try await replay.text(.post(site + "/form", headers: type, body: "note=a%20b&name=Ada"))
                == "name=Ada&note=a+b"
        )
        let echo = try await replay.text(
            .post(site + "/echo", headers: [.contentType: "application/json"], body: "{\"a\":[true],\"b\":1}")
        )
        #expect(echo == "{\"b\": 1.0, \"a\": [true]}")
        #expect(try await replay.text(.get(site + "/here")) == "here: ü")
        let image = try await replay.send(.get(site + "/picture.png")).body.collect()
        #expect(image.starts(with: [0x89, 0x50, 0x4E, 0x47]))
        #expect(image.count == 71)
    }

    @Test("Archives of other programs are read and replayed", arguments: programs)
    func fixtures(_ program: String) async throws {
        try await check(Fixtures.archive(program), program)
    }

    @Test(
        "Archives that other programs make now are read and replayed",
        arguments: ["firefox", "mitmproxy", "playwright"]
    )
    func fresh(_ program: String) async throws {
        let scratch = try ScratchDirectory.created()
        let file = scratch.file("fresh.har")
        guard try await ForeignProgram.run("make_har", program, file.path) != nil else { return }
        try await check(HARArchive.read(from: file), program)
    }

    /// An archive with everything that is recorded.
    private func recorded(_ file: URL) async throws -> HARArchive {
        let recorder = HARRecorder(file: file)
        let packed = try gzip(Data(String(repeating: "packed ", count: 100).utf8))
        let transport = InMemoryTransport()
        transport.enqueue(
            ScriptedReply(.ok, headers: [.contentType: "text/html"], chunks: ["<p>", "ü</p>"].map { Data($0.utf8) })
        )
        transport.enqueue(
            ScriptedReply(.ok, headers: [.contentEncoding: "gzip", .contentType: "text/plain"], body: HTTPBody(packed))
        )
        transport.enqueue(
            ScriptedReply(
                .ok,
                headers: [.contentType: "image/png", .setCookie: "a=b; Expires=Wed, 21 Oct 2026 07:28:00 GMT"],
                body: HTTPBody(Data([0x89, 0, 1, 0xFF]))
            )
        )
        transport.enqueue(.redirect(to: "/there"))
        transport.enqueue(.failure(.beforeHead()))
        var redaction = Redaction.standard
        redaction.fieldNames.remove("set-cookie")
        let chain = try Chain(transport: transport, environment: ChainEnvironment(redaction: redaction)) {
            RecordingMiddleware(recorder)
        }
        let urls = [
            "https://a.example/", "https://a.example/?token=secretsecret&x=%20", "https://a.example/é",
            "http://[::1]:8080/p", "https://a.example/f",
        ]
        for (index, url) in urls.enumerated() {
            let body: HTTPBody = index == 1 ? HTTPBody(Data([0, 1, 0xFE])) : index == 2 ? "a=1&b=2" : .empty
            let request = Request(index == 1 || index == 2 ? .post : .get, url, body: body)
            _ = try? await chain.send(request).body.collect()
        }
        return try await recorder.archive()
    }

    @Test("What is recorded meets the schema of HAR 1.2, and so does what is written of the archives of others")
    func schema() async throws {
        let scratch = try ScratchDirectory.created()
        let file = scratch.file("own.har")
        let archive = try await recorded(file)
        #expect(archive.entries.count == 5)
        guard let count = try await ForeignProgram.run("read_har", "schema", file.path) else { return }
        #expect(count == "5\n")
        for program in Self.programs {
            let copy = scratch.file("\(program).har")
            try await Fixtures.archive(program).redacted().write(to: copy)
            #expect(try await ForeignProgram.run("read_har", "schema", copy.path) != nil, "\(program)")
        }
        // The check can fail.
        try Data("{\"log\":{\"version\":\"1.2\",\"creator\":{\"name\":\"x\"},\"entries\":[]}}".utf8).write(to: file)
        let script = try Fixtures.url("read_har.py")
        let outcome = try await runProgram(
            URL(fileURLWithPath: "/usr/bin/env"),
            ["python3", "-B", script.path, "schema", file.path]
        )
        #expect(outcome.status == 1)
    }

    @Test("What is recorded opens in Chromium's network panel")
    func chromium() async throws {
        struct Shown: Decodable {
            let method: String
            let url: String
            let status: Int
            let content: String?
        }
        let scratch = try ScratchDirectory.created()
        let file = scratch.file("own.har")
        let archive = try await recorded(file)
        guard let output = try await ForeignProgram.run("read_har", "chromium", file.path) else { return }
        let shown = try JSONDecoder().decode([Shown].self, from: Data(output.utf8))
        #expect(shown.map(\.method) == archive.entries.map(\.request.method))
        #expect(shown.map(\.url) == archive.entries.map(\.request.url))
        #expect(shown.map(\.status) == [200, 200, 200, 302, 0])
        #expect(shown[0].content == "<p>ü</p>")
        #expect(shown[1].content == String(repeating: "packed ", count: 100))
        #expect(shown[2].content == Data([0x89, 0, 1, 0xFF]).base64EncodedString())
    }
}
#endif
