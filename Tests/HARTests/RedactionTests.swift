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
        archive.entries[0].request.headers.append(HARField(name: "Authorization", value: "Basic \(secret)"))
        archive.entries[0].request.headers.append(HARField(name: ":path", value: "/?token=\(secret)"))
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
