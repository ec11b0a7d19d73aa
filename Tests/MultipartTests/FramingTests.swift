#if AllTests
import Foundation
import HTTPChainCore
import HTTPChainMultipart
import HTTPChainTesting
import TestSupport
import Testing

@Suite("How a form is framed")
struct FramingTests {
    @Test("Each kind of part has the head that servers expect")
    func kinds() async throws {
        let file = try ScratchFile("photo.PNG", content: Data("pixels".utf8))
        let form: MultipartForm = [
            .text("title", "Sea & sky\r\nand é"),
            .data("raw", Data("12".utf8)),
            .data("sheet", Data("a,b".utf8), fileName: "table.csv"),
            .data("typed", Data("x".utf8), fileName: "table.csv", contentType: "text/x-special"),
            .file("photo", file.url),
            .stream("log", .chunks(["line"], replayable: true), fileName: "today.log"),
            .value("place", ["lat": 47]),
            .text("extra", "1").header("X-Trace", "ü"),
        ]
        let expected = """
            --XX
            Content-Disposition: form-data; name="title"

            Sea & sky
            and é
            --XX
            Content-Disposition: form-data; name="raw"
            Content-Type: application/octet-stream

            12
            --XX
            Content-Disposition: form-data; name="sheet"; filename="table.csv"
            Content-Type: text/csv

            a,b
            --XX
            Content-Disposition: form-data; name="typed"; filename="table.csv"
            Content-Type: text/x-special

            x
            --XX
            Content-Disposition: form-data; name="photo"; filename="photo.PNG"
            Content-Type: image/png

            pixels
            --XX
            Content-Disposition: form-data; name="log"; filename="today.log"
            Content-Type: text/plain

            line
            --XX
            Content-Disposition: form-data; name="place"
            Content-Type: application/json

            {"lat":47}
            --XX
            Content-Disposition: form-data; name="extra"
            X-Trace: ü

            1
            --XX--

            """
        #expect(try await form.framedText() == expected.replacing("\n", with: "\r\n"))
    }

    @Test("A form without parts is the final boundary alone")
    func empty() async throws {
        #expect(try await MultipartForm([]).framedText() == "--XX--\r\n")
    }

    @Test("Parameters stand beside files, and several parts share a name")
    func parametersAndArrays() async throws {
        var form = MultipartForm(
            parameters: ["tag": "sea", "tag": "sun"],
            parts: [.data("files", Data("1".utf8), fileName: "1.txt")]
        )
        form.parts += [2, 3].map { .data("files", Data("\($0)".utf8), fileName: "\($0).txt") }
        form.parts.append(.text("end", ""))
        let parsed = try parse(try await form.framedText())
        #expect(parsed.parts.map(\.head.name) == ["tag", "tag", "files", "files", "files", "end"])
        #expect(parsed.parts.map(\.head.fileName) == [nil, nil, "1.txt", "2.txt", "3.txt", nil])
        #expect(parsed.contents == ["sea", "sun", "1", "2", "3", ""])
        #expect(parsed.error == nil)
    }

    @Test(
        "Names and file names are escaped as the HTML Standard says",
        arguments: [
            ("plain", "plain", "plain"), ("a\"b", "a%22b", "a%22b"), ("ä😀", "ä😀", "ä😀"),
            ("50%22", "50%22", "50%22"), ("a\\b", "a\\b", "a\\b"),
            ("a\r\nb", "a%0D%0Ab", "a%0D%0Ab"), ("a\nb", "a%0D%0Ab", "a%0Ab"), ("a\rb", "a%0D%0Ab", "a%0Db"),
            ("a\n\rb", "a%0D%0A%0D%0Ab", "a%0A%0Db"), ("\r\"; x=\"", "%0D%0A%22; x=%22", "%0D%22; x=%22"),
        ]
    )
    func escaping(text: String, name: String, fileName: String) async throws {
        let form: MultipartForm = [.data(text, Data(), fileName: text, contentType: "a/b")]
        let lines = try await form.framedText().split(separator: "\r\n", omittingEmptySubsequences: false)
        #expect(lines[1] == "Content-Disposition: form-data; name=\"\(name)\"; filename=\"\(fileName)\"")
    }

    @Test(
        "A header that would end early is refused, and the error names the field and not its value",
        arguments: ["a\rb", "a\nb", "a\r\nSet-Cookie: secret=1", "a\0b"]
    )
    func injection(value: String) async throws {
        for part in [
            MultipartPart.text("a", "1").header("X-Note", value),
            MultipartPart(name: "a", contentType: value, body: "1"),
        ] {
            let name = part.headers.first?.name ?? "Content-Type"
            await expectProblem(.invalidFieldValue(name: name)) { _ = try await MultipartForm([part]).framedText() }
        }
        let error = MultipartError.self
        #expect(throws: error) { try MultipartForm([], kind: .related(type: value)).contentType(boundary: .init("b")) }
        do {
            _ = try await MultipartForm([.text("a", "1").header("X-Note", value)]).framedText()
        } catch {
            #expect("\(error)".contains("X-Note"))
            #expect(!"\(error)".contains("secret"))
        }
    }

    @Test("A NUL in a name, and a field name that is no token, are refused")
    func badNames() async {
        await expectProblem(.invalidFieldValue(name: "Content-Disposition")) {
            _ = try await MultipartForm([.text("a\0", "1")]).framedText()
        }
        for name in ["", "a b", "a:", "ä", "a\r\n"] {
            await expectProblem(.invalidFieldName(name)) {
                _ = try await MultipartForm([.text("a", "1").header(name, "1")]).framedText()
            }
        }
    }

    @Test("The fields given for a part replace the generated ones")
    func ownFields() async throws {
        let part = MultipartPart.data("a", Data("1".utf8), fileName: "a.txt")
            .header("content-type", "text/special").header("Content-Disposition", "form-data; name=own")
        let framed = try await MultipartForm([part]).framedText()
        #expect(
            framed
                == "--XX\r\ncontent-type: text/special\r\nContent-Disposition: form-data; name=own\r\n\r\n1\r\n--XX--\r\n"
        )
    }

    @Test("Form data needs names; mixed and related parts do not")
    func unnamed() async throws {
        let parts: [MultipartPart] = [
            MultipartPart(contentType: "application/xml", body: "<a/>").header("Content-ID", "<root>"),
            MultipartPart(contentType: "application/octet-stream", body: "2"), .text("n", "3"),
            .data("n", Data("4".utf8), fileName: "f"),
        ]
        await expectProblem(.missingName(part: 0)) { _ = try await MultipartForm(parts).framedText() }
        let related = MultipartForm(parts, kind: .related(type: "application/xml"))
        let expected = """
            --XX
            Content-Type: application/xml
            Content-ID: <root>

            <a/>
            --XX
            Content-Type: application/octet-stream

            2
            --XX
            Content-Disposition: inline; name="n"

            3
            --XX
            Content-Disposition: attachment; name="n"; filename="f"
            Content-Type: application/octet-stream

            4
            --XX--

            """
        #expect(try await related.framedText() == expected.replacing("\n", with: "\r\n"))
        #expect(
            try related.contentType(boundary: .init("b"))
                == "multipart/related; boundary=b; type=\"application/xml\""
        )
        #expect(
            try MultipartForm(parts, kind: .mixed).contentType(boundary: .init("b")) == "multipart/mixed; boundary=b"
        )
    }

    @Test("A value that cannot be encoded is an error that names its part and type")
    func unencodable() async throws {
        await expectProblem(.valueNotEncoded(part: 1, type: "Double")) {
            _ = try await MultipartForm([.text("a", "1"), .value("n", Double.infinity)]).framedText()
        }
        let text = MultipartValueEncoding(contentType: "text/plain") { Data("<\($0)>".utf8) }
        let framed = try await MultipartForm([.value("n", 5)]).framedText(values: text)
        #expect(framed.contains("Content-Type: text/plain\r\n\r\n<5>\r\n"))
    }

    @Test("A description shows no content")
    func description() {
        let form: MultipartForm = [.text("password", "hunter2"), MultipartPart(body: "hunter2")]
        #expect("\(form)" == "multipart/form-data of 2 parts: \"password\": 7 bytes, unnamed part: 7 bytes")
        #expect(!String(reflecting: form).contains("hunter2"))
    }
}

@Suite("The length and the readings of a framed form")
struct FramedBodyTests {
    private func body(_ form: MultipartForm) throws -> HTTPBody {
        try form.body(boundary: MultipartBoundary("XX"))
    }

    @Test("The length is exact when every part knows its own")
    func length() async throws {
        let file = try ScratchFile(content: Data(repeating: 7, count: 200_000))
        let known: MultipartForm = [
            .text("ü", "é"), .file("f", file.url), .file("r", file.url, range: 5..<100), .value("v", [1]),
            .data("big", Data(repeating: 1, count: 100_000)),
            .stream("s", .chunks(["four"], length: 4, replayable: true)),
        ]
        let body = try body(try await known.measured())
        #expect(body.isReplayable)
        let bytes = try await body.collect()
        #expect(body.length == Int64(bytes.count))
        #expect(try await body.collect() == bytes, "the second reading")
    }

    @Test("The length is not known when that of a part is not")
    func unknownLength() async throws {
        let open = try body([.text("a", "1"), .stream("s", .chunks(["some"], replayable: true))])
        #expect(open.length == nil)
        #expect(open.isReplayable)
        let huge = try body([
            .stream("s", .chunks([String](), length: .max, replayable: true)),
            .stream("t", .chunks([String](), length: .max, replayable: true)),
        ])
        #expect(huge.length == nil, "more bytes than can be counted")
    }

    @Test("A part that can be read once makes a body that can be read once", .timeLimit(.minutes(10)))
    func oneShot() async throws {
        let form: MultipartForm = [.text("a", "1"), .stream("s", .chunks(["four"], length: 4))]
        #expect(!form.isReplayable)
        let body = try body(form)
        #expect(!body.isReplayable)
        let text = try await body.text()
        #expect(body.length == Int64(text.utf8.count))
        await #expect(throws: BodyError(.alreadyRead)) { try await body.collect() }
    }

    @Test("What goes wrong in a part is the error of the body", .timeLimit(.minutes(10)))
    func failures() async throws {
        let missing = FileManager.default.temporaryDirectory.appendingPathComponent("missing-\(UUID().uuidString)")
        let absent = try body([.file("f", missing)])
        #expect(absent.length == nil)
        let error = await #expect(throws: BodyError.self) { try await absent.collect() }
        #expect("\(try #require(error))".contains(missing.lastPathComponent))

        let lying = try body([.stream("s", .chunks(["four"], length: 5, replayable: true))])
        await #expect(throws: BodyError(.shorterThanDeclared(declared: 5, actual: 4))) { try await lying.collect() }

        let negative = try body([.stream("s", .chunks([String](), length: -1, replayable: true))])
        #expect(negative.length == nil)
        await #expect(throws: BodyError(.negativeLength(-1))) { try await negative.collect() }

        let file = try ScratchFile(content: Data("1234".utf8))
        let grown = try body(try await MultipartForm([.file("f", file.url)]).measured())
        try Data("123456".utf8).write(to: file.url)
        await #expect(throws: BodyError.self, "a file that grew after its length was declared") {
            try await grown.collect()
        }
    }

    @Test("Small parts are sent together in large chunks", .timeLimit(.minutes(10)))
    func chunks() async throws {
        let small = MultipartForm((0..<500).map { .text("n\($0)", "value \($0)") })
        var sizes: [Int] = []
        for try await chunk in try body(small) { sizes.append(chunk.count) }
        #expect(sizes.count == 1 && sizes[0] > 20_000)
    }

    @Test("A part is opened when its turn comes, one at a time", .timeLimit(.minutes(10)))
    func openedInTurn() async throws {
        let opened = Locked<[String]>([])
        func part(_ name: String) -> MultipartPart {
            .stream(
                name,
                .replayable {
                    opened.withLock { $0.append(name) }
                    return ChunkReader([name])
                }
            )
        }
        var reader = try await body([part("first"), part("second")]).makeReader()
        #expect(opened.withLock { $0 } == [])
        var seen = ""
        while !seen.hasSuffix("first"), let chunk = try await reader.read() {
            seen += String(decoding: chunk, as: UTF8.self)
        }
        #expect(opened.withLock { $0 } == ["first"])
        while let chunk = try await reader.read() { seen += String(decoding: chunk, as: UTF8.self) }
        #expect(opened.withLock { $0 } == ["first", "second"])
        #expect(try parse(seen).contents == ["first", "second"])
    }

    @Test("A large file is framed in chunks that are never larger than the others", .heavy, .timeLimit(.minutes(10)))
    func largeFile() async throws {
        let file = try ScratchFile("disk.img")
        try file.grow(to: 300 << 20)
        let body = try body(try await MultipartForm([.text("a", "1"), .file("f", file.url)]).measured())
        var count: Int64 = 0
        var largest = 0
        for try await chunk in body {
            count += Int64(chunk.count)
            largest = max(largest, chunk.count)
        }
        #expect(count == body.length && count > 300 << 20)
        #expect(largest <= HTTPBody.chunkSize)
    }
}

@Suite("Boundaries")
struct BoundaryTests {
    @Test("A random one has 192 bits, comes from the environment, and is valid")
    func random() throws {
        let first = MultipartBoundary.random(from: SeededRandom(seed: 1))
        #expect(first == .random(from: SeededRandom(seed: 1)))
        #expect(first != .random(from: SeededRandom(seed: 2)))
        #expect(try MultipartBoundary(first.text) == first)
        #expect(first.parameterValue == first.text)
        let hex = first.text.dropFirst("HTTPChain-".count)
        #expect(hex.count == 48 && hex.allSatisfy(\.isHexDigit))
        let live = Set((0..<1000).map { _ in MultipartBoundary.random(from: SystemRandom()) })
        #expect(live.count == 1000)
    }

    @Test(
        "One of your own is quoted where it must be",
        arguments: [
            ("gc0p4Jq0M2Yt08j34c0p", "gc0p4Jq0M2Yt08j34c0p"), ("a", "a"), ("a'b+c_d-e.f", "a'b+c_d-e.f"),
            ("gc0pJq0M:08jU534c0p", "\"gc0pJq0M:08jU534c0p\""), ("a b", "\"a b\""), ("(),/=?", "\"(),/=?\""),
            (String(repeating: "x", count: 70), String(repeating: "x", count: 70)),
        ]
    )
    func custom(text: String, value: String) throws {
        let boundary = try MultipartBoundary(text)
        #expect(boundary.parameterValue == value)
        #expect(boundary.description == text)
    }

    @Test(
        "What RFC 2046 does not allow is refused",
        arguments: [
            "", "a ", " ", String(repeating: "x", count: 71), "a\"b", "a\\b", "a\r\nb", "ä", "a;b", "a\tb", "a<b",
            "a*b", "\0",
        ]
    )
    func refused(text: String) throws {
        let error = #expect(throws: MultipartError.self) { try MultipartBoundary(text) }
        guard case .invalidBoundary(text, _) = try #require(error).problem else {
            Issue.record("\(String(describing: error))")
            return
        }
    }
}
#endif
