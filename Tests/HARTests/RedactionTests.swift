#if AllTests
import Foundation
import HTTPChain
import HTTPChainHAR
import HTTPChainInMemory
import HTTPChainSupport
import TestSupport
import Testing

@Suite("Secrets in archives", .timeLimit(.minutes(10)))
struct RedactionTests {
    private let secret = "hunter2Hunter2"

    private func request() throws -> Request {
        var request = Request.post(
            "https://a.example/x?token=\(secret)&page=2",
            headers: [
                .contentType: "application/json", .authorization: "Bearer \(secret)", .cookie: "sid=\(secret)",
                .referer: "https://b.example/?code=\(secret)",
            ],
            body: HTTPBody("{\"password\":\"\(secret)\",\"name\":\"Ada\"}")
        )
        // Marked as a secret by whoever set it, under a name that says nothing.
        var field = HTTPField(name: try #require(HTTPField.Name("X-Plant")), value: "plant-\(secret)")
        field.indexingStrategy = .disallow
        request.headers.append(field)
        return request
    }

    private var answer: Response {
        let text =
            "{\"access_token\":\"\(secret)\",\"next\":\"https://c.example/?sig=\(secret)\",\"echo\":\"plant-\(secret)\"}"
        return Response(
            HTTPResponse.Status(code: 302),
            headers: [
                .contentType: "application/json", .setCookie: "sid=\(secret)", .contentLength: "\(text.utf8.count)",
                .location: "https://d.example/cb#access_token=\(secret)",
                .contentDigest: "sha-256=:AA==:",
            ],
            body: HTTPBody(text)
        )
    }

    @Test(
        "A secret is in no place of a file, and lengths and digests are those of what is there",
        arguments: RecordingMiddleware.Place.allCases
    )
    func everyPlace(_ place: RecordingMiddleware.Place) async throws {
        let scratch = try ScratchDirectory.created()
        let recorder = HARRecorder(
            file: scratch.file("a.har"),
            bodies: place == .attempt ? .files(over: 10) : .inline()
        )
        let answer = answer
        let chain = try Chain(transport: InMemoryTransport { _ in answer }) {
            RecordingMiddleware(recorder, each: place)
        }
        let response = try await chain.send(try request())
        let text = try await response.body.text()
        #expect(text.contains(secret), "the caller gets what was sent")
        let entry = try #require(try await recorder.archive().entries.first)
        let files = FileManager.default.enumerator(atPath: scratch.path)?.compactMap { $0 as? String } ?? []
        for file in files {
            let content = (try? String(contentsOf: scratch.file(file), encoding: .utf8)) ?? ""
            #expect(!content.contains(secret), "\(file)")
        }
        #expect(entry.request.values(of: "authorization") == ["<redacted>"])
        #expect(entry.response.values(of: "content-digest") == [])
        #expect(entry.response.values(of: "content-length") == ["\(entry.response.content.size)"])
        #expect(entry.response.content.size < text.utf8.count)
        #expect(entry.request.cookies.isEmpty && entry.response.cookies.isEmpty)
        if place == .attempt { #expect(files.count == 4) }
        withExtendedLifetime(scratch) {}
    }

    @Test("A redacted request is taken for the same one with another secret, and not for another one")
    func matches() async throws {
        let recorder = HARRecorder()
        let answer = answer
        let chain = try Chain(transport: InMemoryTransport { _ in answer }) { RecordingMiddleware(recorder) }
        _ = try await chain.send(try request()).body.collect()
        let replay = ReplayTransport(try await recorder.archive())
        var other = try request()
        other.url = "https://a.example/x?page=2&token=another-secret"
        other.body = "{\"name\":\"Ada\",\"password\":\"another one\"}"
        other.headers[.authorization] = "Bearer something.else"
        let response = try await replay.send(other)
        let text = try await response.body.text()
        #expect(text.contains("\"access_token\":\"<redacted>\""))
        #expect(response.headers[.contentLength] == "\(text.utf8.count)")
        other.body = "{\"name\":\"Eve\",\"password\":\"another one\"}"
        await #expect(throws: UnmatchedReplayError.self) { try await replay.send(other) }
    }

    @Test("A chain's own redaction holds for its archives, and for the archives of others that it replays")
    func ownRules() async throws {
        var redaction = Redaction.standard
        redaction.queryNames.insert("pin")
        redaction.memberNames.insert("pin")
        let environment = ChainEnvironment(redaction: redaction)
        let recorder = HARRecorder()
        let chain = try Chain(transport: InMemoryTransport { _ in Response(.ok) }, environment: environment) {
            RecordingMiddleware(recorder)
        }
        _ = try await chain.send(.get("https://a.example/?pin=1234"))
        let entry = try #require(try await recorder.archive().entries.first)
        #expect(entry.request.url == "https://a.example/?pin=%3Credacted%3E")
        // Of another program, with the secret in it.
        let foreign = HAREntry.sample("GET", "https://a.example/?pin=9999")
        for entry in [entry, foreign] {
            let replay = try Chain(transport: ReplayTransport(HARArchive(entries: [entry])), environment: environment) {
            }
            _ = try await replay.send(.get("https://a.example/?pin=5678"))
        }
    }

    @Test(
        "Redacting an archive of another program leaves no secret in any place, twice changes nothing, and it is whole",
        arguments: ["chromium", "mitmproxy", "playwright"]
    )
    func foreign(_ program: String) throws {
        var archive = try Fixtures.archive(program)
        archive.entries[0].request.fields.append(HARField(name: "Authorization", value: "Basic \(secret)"))
        archive.entries[0].request.fields.append(HARField(name: ":path", value: "/?token=\(secret)"))
        archive.entries[0].request.cookies = [HARCookie(name: "theme", value: secret)]
        archive.entries[0].request.url += "?a=1&token=\(secret)"
        archive.entries[0].request.queryString.append(HARField(name: "token", value: secret))
        archive.entries[0].response.content.text = "{\"api_key\":\"\(secret)\"}"
        archive.entries[0].customFields["_initiator"] = [
            "url": .string("https://a.example/?sig=\(secret)"), "password": .string(secret),
        ]
        archive.entries[1].request.postData = HARPostData(
            mimeType: "application/x-www-form-urlencoded",
            text: "password=\(secret)"
        )
        archive.entries[1].request.postData?.params = [HARParameter(name: "password", value: secret)]
        archive.comment = "with Bearer \(secret)"
        let redacted = archive.redacted()
        #expect(!String(decoding: redacted.data, as: UTF8.self).contains(secret))
        #expect(redacted.redacted() == redacted)
        #expect(try HARArchive(redacted.data).entries.count == archive.entries.count)
    }

    /// An entry whose every text holds a secret, numbered.
    private static let fullArchive = #"""
        {"log": {"version": "1.2", "creator": {"name": "c", "version": "1", "comment": "password=hunter01",
        "_x": {"token": "hunter02"}}, "browser": {"name": "b", "version": "2", "comment": "password=hunter03"},
        "pages": [{"startedDateTime": "2026-01-01T00:00:00.000Z", "id": "https://a.example/?token=hunter04",
        "title": "Sign in password=hunter05", "comment": "password=hunter06", "pageTimings": {"onLoad": 1.5,
        "comment": "password=hunter07", "_z": "password=hunter08"}}],
        "entries": [{"pageref": "https://a.example/?token=hunter04", "startedDateTime": "2026-01-01T00:00:00.000Z",
        "time": 6, "request": {"method": "POST", "url": "https://a.example/", "httpVersion": "HTTP/1.1",
        "cookies": [{"name": "a", "value": "hunter09", "path": "/?token=hunter10", "domain": "ida:hunter11@a.example",
        "comment": "password=hunter12"}],
        "headers": [{"name": "X-A", "value": "v", "comment": "password=hunter13", "_raw": "Cookie: sid=hunter14"}],
        "queryString": [{"name": "q", "value": "v", "comment": "token=hunter15", "_e": "token=hunter16"}],
        "headersSize": -1, "bodySize": 31, "postData": {"mimeType": "application/x-www-form-urlencoded",
        "params": [{"name": "code", "value": "hunter17"}, {"name": "f", "value": "1", "fileName": "/?token=hunter18",
        "contentType": "a/b; token=hunter19", "comment": "password=hunter20", "_c": "password=hunter21"}]}},
        "response": {"status": 200, "statusText": "password=hunter22", "httpVersion": "HTTP/1.1", "cookies": [],
        "headers": [{"name": "X-B", "value": "ok", "_v": "token=hunter23"}], "redirectURL": "", "headersSize": -1,
        "bodySize": -1, "content": {"size": 2, "mimeType": "text/plain", "text": "ok"}},
        "cache": {"beforeRequest": {"eTag": "token=hunter24", "lastAccess": "2026-01-01T00:00:00Z", "hitCount": 1}},
        "timings": {"send": 1, "wait": 2, "receive": 3, "comment": "password=hunter25", "_t": "password=hunter26"},
        "connection": "token=hunter27", "_webSocketMessages": [
        {"type": "send", "time": 1.25, "opcode": 1,
        "data": "{\"password\":\"hunter28\",\"origin\":\"https://b.example\"}"},
        {"type": "receive", "data": "Authorization: Basic hunter29\nReferer: https://b.example/"}],
        "_headers": [{"name": "X-Api-Key", "value": "hunter30"}, {"key": "Cookie", "value": ["a=hunter31"]},
        {"name": "Accept", "value": "text/html"}], "_url": "https://b.example/?sig=hunter32&n=1",
        "_session": null, "_hasToken": true, "_transferSize": 12345678901234567, "_priority": "VeryHigh"}]}}
        """#

    @Test("No secret stays in a comment, a field of another program, or any other text")
    func everyText() async throws {
        let archive = try HARArchive(Data(Self.fullArchive.utf8))
        let redacted = archive.redacted()
        let text = String(decoding: redacted.data, as: UTF8.self)
        let left = text.matches(of: /hunter../).map { String($0.output) }
        #expect(left == [])
        #expect(redacted.redacted() == redacted)
        #expect(redacted.pages.map(\.id) == redacted.entries.map(\.pageref))
    }

    @Test("Numbers, dates, sizes, types and names stay, and the archive can be read and replayed")
    func ordinary() async throws {
        let archive = try HARArchive(Data(Self.fullArchive.utf8))
        let redacted = try HARArchive(archive.redacted().data)
        let (entry, old) = (try #require(redacted.entries.first), try #require(archive.entries.first))
        #expect(redacted.pages.first?.pageTimings["onLoad"] == .number(1.5))
        #expect(entry.started == old.started && entry.time == old.time && entry.durations.wait == 2)
        #expect(entry.cache["beforeRequest"]?["hitCount"] == .integer(1))
        #expect(entry.cache["beforeRequest"]?["lastAccess"] == .string("2026-01-01T00:00:00Z"))
        for name in ["_session", "_hasToken", "_transferSize", "_priority"] {
            #expect(entry.customFields[name] == old.customFields[name], "\(name)")
        }
        #expect(entry.customFields["_url"] == .string("https://b.example/?sig=<redacted>&n=1"))
        #expect(entry.customFields["_headers"]?[0]?["name"] == .string("X-Api-Key"))
        #expect(entry.customFields["_headers"]?[2]?["value"] == .string("text/html"))
        let message = entry.customFields["_webSocketMessages"]?[0]
        #expect(message?["data"] == .string(#"{"password":"<redacted>","origin":"https://b.example"}"#))
        #expect(message?["time"] == .number(1.25))
        #expect(entry.response.content == old.response.content)
        let request = Request.post(
            "https://a.example/",
            headers: [.contentType: "application/x-www-form-urlencoded"],
            body: HTTPBody("code=another&f=1")
        )
        #expect(try await ReplayTransport(redacted).text(request) == "ok")
    }

    @Test(
        "Parameters of a form have the rule for the pairs of its text, those of multipart content that for names",
        arguments: [("application/x-www-form-urlencoded", true), ("multipart/form-data; boundary=x", false)]
    )
    func parameters(type: String, isRedacted: Bool) {
        var request = HARRequest(method: "POST", url: "https://a.example/", postData: HARPostData(mimeType: type))
        request.postData?.params = ["code", "key", "password"].map { HARParameter(name: $0, value: "hunter2") }
        let values = request.redacted().postData?.params.map(\.value)
        #expect(values?.map { $0 == "<redacted>" } == [isRedacted, isRedacted, true])
    }

    @Test("Secrets in every shape are redacted in recorded contents", arguments: [true, false])
    func shapes(_ isRequest: Bool) async throws {
        let recorder = HARRecorder()
        let shapes = SecretShapes.sample
        let chain = try Chain(
            transport: InMemoryTransport { request in
                let text = try await request.body.text()
                return Response(.ok, headers: [.contentType: "text/plain"], body: isRequest ? "" : HTTPBody(text))
            }
        ) { RecordingMiddleware(recorder) }
        for shape in shapes {
            let type = isRequest ? "text/plain" : "image/x"
            _ = try await chain.send(
                .post("https://a.example/", headers: [.contentType: type], body: HTTPBody(shape.text))
            ).body.collect()
        }
        let entries = try await recorder.archive().entries
        #expect(entries.count == shapes.count)
        for (shape, entry) in zip(shapes, entries) {
            let text = isRequest ? entry.request.postData?.text : entry.response.content.text
            #expect(text?.contains(shape.secret) == false, "\(shape.description)")
        }
    }

    @Test(
        "Text of another encoding is redacted in its encoding",
        arguments: [String.Encoding.isoLatin1, .utf16LittleEndian]
    )
    func encodings(_ encoding: String.Encoding) async throws {
        let recorder = HARRecorder()
        let content = try #require("{\"name\":\"Zoë\",\"password\":\"\(secret)\"}".data(using: encoding))
        let bytes = encoding == .isoLatin1 ? content : Data([0xFF, 0xFE]) + content
        let type = "application/json; charset=\(encoding == .isoLatin1 ? "iso-8859-1" : "utf-16")"
        let chain = try Chain(
            transport: InMemoryTransport { _ in Response(.ok, headers: [.contentType: type], body: HTTPBody(bytes)) }
        ) { RecordingMiddleware(recorder) }
        _ = try await chain.send(.get("https://a.example/")).body.collect()
        let stored = try #require(try await recorder.archive().entries.first?.response.content)
        let decoded = try #require(Data(base64Encoded: stored.text ?? ""))
        let text = try #require(String(data: decoded, encoding: encoding == .isoLatin1 ? .isoLatin1 : .utf16))
        #expect(text.contains("Zoë") && text.contains("<redacted>") && !text.contains(secret))
    }
}
#endif
