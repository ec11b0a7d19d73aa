#if AllTests
import Foundation
import HTTPChainCore
import HTTPChainHAR
import HTTPChainInMemory
import HTTPTypes
import TestSupport
import Testing

@Suite("Shapes that other programs give exchanges", .timeLimit(.minutes(10)))
struct ForeignShapesTests {
    private let url = "https://a.example/"

    /// An archive of one entry, as a program wrote it.
    private func archive(_ request: String, response: String = #"{"status": 200, "content": {"text": "ok"}}"#) throws
        -> HARArchive
    {
        let text = #"""
            {"log": {"version": "1.2", "creator": {"name": "x", "version": "1"}, "entries": [
            {"startedDateTime": "2026-01-01T00:00:00.000Z", "time": 1, "request": \#(request), "response": \#(response),
            "cache": {}, "timings": {"send": 0, "wait": 1, "receive": 0}}]}}
            """#
        return try HARArchive(Data(text.utf8))
    }

    private func get(_ response: String) async throws -> Response {
        let archive = try archive(
            #"{"method": "GET", "url": "https://a.example/", "bodySize": -1}"#,
            response: response
        )
        #expect(try HARArchive(archive.data) == archive)
        return try await ReplayTransport(archive).send(.get(url))
    }

    // MARK: Failures

    @Test(
        "An exchange without a response is replayed as a failure, with the words of the program",
        arguments: [
            (
                #"{"status": -1, "statusText": "", "content": {"size": -1}, "_failureText": "net::ERR_FAILED"}"#,
                "net::ERR_FAILED"
            ),
            (#"{"status": -1, "content": {"size": -1}}"#, "no response came"),
            (#"{"status": "-1"}"#, "no response came"),
            (
                #"{"status": 0, "content": {"size": 0}, "_error": "net::ERR_CONNECTION_REFUSED"}"#,
                "net::ERR_CONNECTION_REFUSED"
            ),
            (#"{"status": 0, "_failureText": "aborted"}"#, "aborted"),
        ]
    )
    func failures(response: String, words: String) async throws {
        let error = await #expect(throws: TransportError.self) { try await get(response) }
        #expect(error?.description.contains(words) == true)
        #expect(error?.sent == .maybe)
    }

    @Test("An exchange without a response and without a failure does not answer", arguments: ["0", "null", "\"\""])
    func unanswered(status: String) async throws {
        await #expect(throws: UnmatchedReplayError.self) { try await get(#"{"status": \#(status)}"#) }
    }

    // MARK: Contents of responses

    @Test(
        "Content that was not kept is an error, and not an empty response",
        arguments: [
            #""content": {"size": -1, "mimeType": "text/html"}, "bodySize": -1"#,
            #""content": {"size": "-1"}"#, #""content": {"size": -1}, "bodySize": 5"#, #""content": {"size": 5}"#,
            #""content": {"mimeType": "text/html"}, "bodySize": 1234"#, #""content": {}, "bodySize": -1"#,
            #""bodySize": 1234"#,
            #""content": {"size": null}, "headers": [{"name": "Content-Length", "value": "1234"}]"#,
            #""content": {"size": 0}, "bodySize": 0, "headers": [{"name": "Content-Length", "value": "1234"}]"#,
        ]
    )
    func lostContent(members: String) async throws {
        let error = await #expect(throws: HARError.self) { try await get(#"{"status": 200, \#(members)}"#) }
        guard case .contentNotRecorded = error?.problem else {
            Issue.record("\(String(describing: error))")
            return
        }
    }

    @Test(
        "Content that was empty is, and so is that of a redirect",
        arguments: [
            #""status": 200, "content": {"size": 0}"#, #""status": 200, "content": {"size": -1}, "bodySize": 0"#,
            #""status": 200, "content": {"size": -1, "text": ""}, "bodySize": -1"#,
            #""status": 204, "content": {"size": -1}"#,
            #""status": 200, "content": {"size": -1}, "headers": [{"name": "content-length", "value": "0"}]"#,
            #""status": 302, "content": {"size": -1}, "bodySize": -1, "headers": [{"name": "location", "value": "/b"}]"#,
            // The length is that of the empty content with its coding.
            #""status": 200, "content": {"size": 0}, "headers": [{"name": "Content-Length", "value": "20"}, {"name": "Content-Encoding", "value": "gzip"}]"#,
        ]
    )
    func emptyContent(members: String) async throws {
        #expect(try await get("{\(members)}").body.collect().isEmpty)
    }

    @Test(
        "Text is sent in the charset that its type names",
        arguments: [
            ("text/html; charset=iso-8859-1", "ä", [0xE4], nil),
            ("text/html; charset=\"ISO-8859-1\"", "ä", [0xE4], nil),
            ("text/plain;charset=shift_jis", "日", [0x93, 0xFA], nil),
            ("text/plain;charset=utf-16", "ä", [0, 0xE4], nil),
            ("text/plain; charset=windows-1252", "€", [0x80], nil),
            ("text/plain; charset=utf-8", "ä", [0xC3, 0xA4], nil),
            ("text/plain", "ä", [0xC3, 0xA4], nil),
            // What the charset has no characters for, and one that is not known, go as UTF-8, and say so.
            ("text/html; charset=iso-8859-1", "日", [0xE6, 0x97, 0xA5], "text/html; charset=utf-8"),
            ("text/html; charset=us-ascii", "ä", [0xC3, 0xA4], "text/html; charset=utf-8"),
            ("text/html; charset=none-such", "ä", [0xC3, 0xA4], "text/html; charset=utf-8"),
        ] as [(String, String, [UInt8], String?)]
    )
    func charsets(type: String, text: String, bytes: [UInt8], sentType: String?) async throws {
        let field = type.replacing("\"", with: "\\\"")
        let response = try await get(
            #"{"status": 200, "headers": [{"name": "Content-Type", "value": "\#(field)"}], "content": {"mimeType": "\#(field)", "text": "\#(text)"}}"#
        )
        #expect(response.headers[.contentType] == sentType ?? type)
        #expect(response.headers[.contentLength] == "\(bytes.count)")
        #expect(try await response.body.collect() == Data(bytes))
    }

    @Test(
        "Bytes that are recorded under a charset are replayed unchanged",
        arguments: ["iso-8859-1", "utf-8", "shift_jis", "utf-16", "us-ascii", "none-such"],
        [[0xE4, 0x62], [0xC3, 0xA4], [0x61], [0x93, 0xFA], [0, 0xE4]] as [[UInt8]]
    )
    func roundTrip(charset: String, bytes: [UInt8]) async throws {
        let recorder = HARRecorder()
        let type: HTTPFields = [.contentType: "text/plain; charset=\(charset)"]
        let chain = try Chain(
            transport: InMemoryTransport { _ in Response(.ok, headers: type, body: HTTPBody(Data(bytes))) }
        ) { RecordingMiddleware(recorder) }
        let request = Request.post(url, headers: type, body: HTTPBody(Data(bytes)))
        _ = try await chain.send(request).body.collect()
        for archive in [try await recorder.archive(), try await recorder.archive().redacted()] {
            let response = try await ReplayTransport(archive).send(request)
            #expect(try await response.body.collect() == Data(bytes))
            #expect(response.headers[.contentType] == type[.contentType])
        }
    }

    @Test(
        "Fields that a program joined by line feeds are several again",
        arguments: [false, true]
    )
    func joinedFields(isRedacted: Bool) async throws {
        var archive = try archive(
            #"{"method": "GET", "url": "https://a.example/"}"#,
            response: #"""
                {"status": 200, "headers": [{"name": "set-cookie", "value": "a=1; Path=/\nb=2\r\nc=3"},
                {"name": "X-Many", "value": "1\n2"}], "content": {"text": "ok"}}
                """#
        )
        var redaction = Redaction.standard
        redaction.fieldNames.remove("set-cookie")
        if isRedacted { archive = archive.redacted(by: redaction) }
        #expect(archive.entries[0].response.values(of: "Set-Cookie") == ["a=1; Path=/", "b=2", "c=3"])
        let response = try await ReplayTransport(archive).send(.get(url))
        #expect(response.headers[values: .setCookie] == ["a=1; Path=/", "b=2", "c=3"])
        #expect(response.headers[values: try #require(HTTPField.Name("X-Many"))] == ["1", "2"])
    }

    // MARK: Contents of requests

    private static let multipart = """
        --x\r\nContent-Disposition: form-data; name="n"\r\n\r\n1\r\n--x\r\nContent-Disposition: form-data; name="f"; \
        filename="a.txt"\r\nContent-Type: text/plain\r\n\r\ncontent\r\n--x--\r\n
        """

    private func post(_ type: String, _ body: String) -> Request {
        .post(url, headers: [.contentType: type], body: HTTPBody(body))
    }

    private func matches(_ members: String, _ request: Request) async throws -> Bool {
        let archive = try archive(#"{"method": "POST", "url": "https://a.example/", \#(members)}"#)
        do {
            return try await ReplayTransport(archive).send(request).body.text() == "ok"
        } catch is UnmatchedReplayError {
            return false
        }
    }

    @Test(
        "A request whose content was not kept is recognized without it",
        arguments: [
            #""bodySize": -1"#, #""bodySize": 5"#, #""headers": []"#,
            #""bodySize": 5, "postData": {"mimeType": "application/octet-stream", "text": "", "params": []}"#,
            #""bodySize": -1, "postData": {"mimeType": "application/octet-stream", "text": ""}"#,
            #""bodySize": -1, "postData": {"mimeType": "application/json"}"#,
            #""bodySize": 5, "postData": {"mimeType": "application/json", "_file": "lost.json"}"#,
            #""bodySize": 0, "headers": [{"name": "Content-Length", "value": "5"}]"#,
            #""bodySize": 0, "headers": [{"name": "content-length", "value": "5"}], "postData": {"mimeType": "", "text": ""}"#,
        ]
    )
    func lostRequestContent(members: String) async throws {
        #expect(try await matches(members, post("application/octet-stream", "bytes")))
        #expect(try await matches(members, .post(url)))
    }

    @Test(
        "A request that had no content is not one with content",
        arguments: [#""bodySize": 0"#, #""bodySize": 0, "postData": {"mimeType": "a/b", "text": ""}"#]
    )
    func noRequestContent(members: String) async throws {
        #expect(try await matches(members, .post(url)))
        #expect(try await matches(members, post("text/plain", "x")) == false)
    }

    @Test(
        "Multipart content that was recorded as parameters is compared by what they say",
        arguments: [
            (#"{"name": "n", "value": "1"}, {"name": "f", "fileName": "a.txt", "contentType": "text/plain"}"#, true),
            (#"{"name": "n", "value": "1"}, {"name": "f", "fileName": "a.txt", "value": ""}"#, true),
            (#"{"name": "n", "value": "1"}, {"name": "f", "fileName": "a.txt", "value": "(binary)"}"#, true),
            (#"{"name": "n", "value": "1"}, {"name": "f", "fileName": "a.txt", "value": "content"}"#, true),
            (#"{"name": "n", "value": "1"}, {"name": "f", "fileName": "a.txt", "value": "other"}"#, false),
            (#"{"name": "n", "value": "2"}, {"name": "f", "fileName": "a.txt"}"#, false),
            (#"{"name": "n", "value": "1"}, {"name": "f", "fileName": "b.txt"}"#, false),
            (#"{"name": "n", "value": "1"}, {"name": "f", "fileName": "a.txt", "contentType": "a/b"}"#, false),
            (#"{"name": "n", "value": "1"}"#, false),
        ]
    )
    func multipartParameters(parameters: String, isMatch: Bool) async throws {
        let sent = post("multipart/form-data; boundary=x", Self.multipart)
        for type in ["multipart/form-data; boundary=----other", "multipart/form-data"] {
            for text in ["", #""text": "", "#] {
                let members =
                    #""bodySize": -1, "postData": {"mimeType": "\#(type)", \#(text)"params": [\#(parameters)]}"#
                #expect(try await matches(members, sent) == isMatch)
            }
        }
    }

    @Test("The boundary of recorded multipart content may be in the field alone")
    func boundaryInField() async throws {
        let text = Self.multipart.replacing("--x", with: "--y").replacing("\r\n", with: "\\r\\n").replacing(
            "\"",
            with: "\\\""
        )
        let field = #""headers": [{"name": "Content-Type", "value": "multipart/form-data; boundary=y"}]"#
        let sent = post("multipart/form-data; boundary=x", Self.multipart)
        for type in ["multipart/form-data", ""] {
            #expect(try await matches(#"\#(field), "postData": {"mimeType": "\#(type)", "text": "\#(text)"}"#, sent))
        }
    }

    @Test("A form in another charset matches the bytes that are sent")
    func requestCharset() async throws {
        let type = "text/plain; charset=iso-8859-1"
        let request = Request.post(url, headers: [.contentType: type], body: HTTPBody(Data([0xE4])))
        #expect(try await matches(#""postData": {"mimeType": "\#(type)", "text": "ä"}"#, request))
        #expect(try await matches(#""postData": {"mimeType": "\#(type)", "text": "ö"}"#, request) == false)
    }

    // MARK: Files

    @Test("Contents of requests that are in files beside the archive are compared", arguments: ["", #""text": "", "#])
    func requestFiles(text: String) async throws {
        let scratch = try ScratchDirectory.created()
        try Data(#"{"a": 1, "b": [true]}"#.utf8).write(to: scratch.file("body.json"))
        let postData = #"{"mimeType": "application/json", \#(text)"_file": "body.json"}"#
        let archive = try archive(
            #"{"method": "POST", "url": "https://a.example/", "bodySize": -1, "postData": \#(postData)}"#
        )
        try await archive.write(to: scratch.file("a.har"))
        let json = "application/json"
        for (content, isMatch) in [(#"{"b":[true],"a":1.0}"#, true), (#"{"b":[false],"a":1}"#, false), ("", false)] {
            for replay in [
                ReplayTransport(archive, directory: scratch.url),
                try await ReplayTransport(file: scratch.file("a.har")),
            ] {
                do {
                    _ = try await replay.send(post(json, content))
                    #expect(isMatch)
                } catch let error as UnmatchedReplayError {
                    #expect(!isMatch, "\(error)")
                }
            }
        }
        // Written again, the archive names its file as before.
        #expect(try await HARArchive.read(from: scratch.file("a.har")) == archive)
    }

    @Test(
        "A file of a request's content is not read outside the archive's folder",
        arguments: ["../secret", "/etc/hostname", "link", "folder/secret", "lost"]
    )
    func filesOutside(name: String) async throws {
        let scratch = try ScratchDirectory.created()
        let folder = scratch.url.appendingPathComponent("archive", isDirectory: true)
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        let secret = scratch.file("secret")
        try Data("secret".utf8).write(to: secret)
        try FileManager.default.createSymbolicLink(
            at: folder.appendingPathComponent("link"),
            withDestinationURL: secret
        )
        try FileManager.default.createSymbolicLink(
            at: folder.appendingPathComponent("folder"),
            withDestinationURL: scratch.url
        )
        let archive = try archive(
            #"{"method": "POST", "url": "https://a.example/", "postData": {"mimeType": "text/plain", "_file": "\#(name)"}}"#
        )
        // What was not read makes no difference.
        let replay = ReplayTransport(archive, directory: folder)
        #expect(try await replay.send(post("text/plain", "anything")).body.text() == "ok")
    }

    @Test("What is recorded with its bodies in files is replayed by what the bodies are")
    func ownFiles() async throws {
        let scratch = try ScratchDirectory.created()
        let file = scratch.file("a.har")
        let recorder = HARRecorder(file: file, bodies: .files(over: 10))
        let chain = try Chain(
            transport: InMemoryTransport { request in
                Response(.ok, body: HTTPBody(try await request.body.collect().suffix(1)))
            }
        ) { RecordingMiddleware(recorder) }
        let bodies = ["a long body, the first: 1", "a long body, the second: 2"]
        for body in bodies { _ = try await chain.send(post("text/plain", body)).body.collect() }
        try await recorder.flush()
        let replay = try await ReplayTransport(file: file)
        #expect(try await replay.text(post("text/plain", bodies[1])) == "2")
        #expect(try await replay.text(post("text/plain", bodies[0])) == "1")
        await #expect(throws: UnmatchedReplayError.self) { try await replay.send(post("text/plain", "another")) }
    }
}
#endif
