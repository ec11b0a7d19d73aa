#if AllTests
import Foundation
import HTTPChainCore
import HTTPChainMultipart
import HTTPChainSerializer
import HTTPChainTesting
import HTTPTypes
import TestSupport
import Testing

private func text(_ form: MultipartForm) async throws -> String {
    try await form.body(boundary: MultipartBoundary("b")).text()
}

@Suite("What forms are made of", .timeLimit(.minutes(10)))
struct FormSourcesTests {
    @Test("Numbers and truth values are plain parameters")
    func scalars() async throws {
        let form: MultipartForm = [.text("n", 7), .text("r", 0.1), .text("t", true), .text("u", UInt64.max)]
        let lines = try await text(form).split(separator: "\r\n").filter { !$0.hasPrefix("-") && !$0.contains(":") }
        #expect(lines == ["7", "0.1", "true", "18446744073709551615"])
    }

    @Test("No neighbour of a quotation mark ends a parameter of a related form", .seeded, .timeLimit(.minutes(10)))
    func neighbours() async throws {
        var written: [BorderTexts.Written] = []
        for text in BorderTexts.all(Seed.numbers()) {
            let form = MultipartForm([], kind: .related(type: "a/b", parameters: ["x": text]))
            guard let type = try? form.contentType(boundary: .init("b")) else {
                #expect(text.utf8.contains { [0, 10, 13].contains($0) })
                continue
            }
            written.append(.init("media-type", type, text.substituting(" ") { $0 < 0x20 && $0 != 9 || $0 == 0x7F }))
        }
        guard let faults = try await BorderTexts.misread(written) else { return }
        #expect(faults.isEmpty, "\(faults.prefix(5))")
        Drill.report("related-forms-read-back", written.count)
    }

    @Test("A related form names its start and further parameters")
    func related() throws {
        let kind = MultipartForm.Kind.related(
            type: "application/xop+xml",
            start: "<root@example.com>",
            parameters: ["start-info": "text/xml; action=\"x\""]
        )
        #expect(
            try MultipartForm([], kind: kind).contentType(boundary: .init("b"))
                == "multipart/related; boundary=b; type=\"application/xop+xml\"; start=\"<root@example.com>\"; "
                + "start-info=\"text/xml; action=\\\"x\\\"\""
        )
        #expect(throws: MultipartError.self) {
            try MultipartForm([], kind: .related(type: "a/b", parameters: ["x y": "1"])).contentType(
                boundary: .init("b")
            )
        }
    }

    private struct Place: Encodable, Sendable {
        var latitudeInDegrees = 1.5
        var at = Date(timeIntervalSince1970: 0)
    }

    @Test("Typed parts are written by the chain's serializer, and by the one that speaks the type of the part")
    func serializer() async throws {
        let transport = RecordingAnswer()
        let chain = try Chain(transport: transport) {
            SerializerMiddleware(.json(keys: .snakeCase, dates: .secondsSince1970), .form)
            MultipartMiddleware()
        }
        var second = MultipartPart.value("b", Place())
        second.contentType = "application/x-www-form-urlencoded"
        _ = try await chain.send(.post("http://h/", multipart: [.value("a", Place()), second]))
        let sent = try #require(transport.text.withLock { $0 })
        #expect(sent.contains("Content-Type: application/json\r\n\r\n{"))
        #expect(sent.contains("\"latitude_in_degrees\":1.5") && sent.contains("\"at\":0"))
        #expect(sent.contains("\r\n\r\nlatitudeInDegrees=1.5&at=1970-01-01T00%3A00%3A00Z\r\n"))

        let plain = try Chain(transport: transport) { MultipartMiddleware() }
        _ = try await plain.send(.post("http://h/", multipart: [.value("a", ["aB": 1])]))
        #expect(transport.text.withLock { $0 }?.contains("{\"aB\":1}") == true)
    }

    private struct Note: Encodable, Sendable {
        var text: String?
        var number = 1

        enum CodingKeys: CodingKey { case text, number }
    }

    @Test(
        "A call says how the values of its form are encoded, whatever the stage does with others",
        arguments: [nil, MultipartValueEncoding(contentType: "text/x-own") { _ in Data("own".utf8) }]
    )
    func chosenByCall(values: MultipartValueEncoding?) async throws {
        let transport = RecordingAnswer()
        let chain = try Chain(transport: transport) {
            SerializerMiddleware(.json, .form)
            MultipartMiddleware(values: values)
        }
        let request = Request.post("http://h/", multipart: [.value("a", Note())])
        _ = try await chain.send(request)
        #expect(transport.text.withLock { $0 }?.contains(values == nil ? "{\"number\":1}" : "own") == true)
        _ = try await chain.send(request.encoding(by: .form))
        #expect(transport.text.withLock { $0 }?.contains("\r\n\r\nnumber=1\r\n") == true)
        _ = try await chain.send(request.encoding(nilAsNull: true))
        #expect(transport.text.withLock { $0 }?.contains("\"text\":null") == true)
        for (call, name) in [
            (request.encoding(under: "data"), "encoding(under:)"),
            (request.afterEncoding(Note.self) { _, _ in }, "afterEncoding(_:_:)"),
            (Request.post("http://h/", multipart: [.text("a", "b")]).encoding(by: .form), "encoding(by:)"),
        ] {
            let error = await #expect(throws: SerializerError.self) { try await chain.send(call) }
            #expect(error?.problem == .unusedSettings([name], of: .request))
        }
    }

    private final class RecordingAnswer: Transport {
        let text = Locked<String?>(nil)
        var capabilities: TransportCapabilities { [] }
        func send(_ request: consuming Request) async throws -> Response {
            let sent = try await request.body.text()
            text.withLock { $0 = sent }
            return Response(.ok)
        }
    }

    @Test(
        "Bytes before the first boundary and after the last are passed over up to a limit",
        arguments: [1, 7, 10_000]
    )
    func padding(size: Int) throws {
        let limits = MultipartLimits(paddingSize: 100)
        func error(_ message: String) throws -> MultipartError? {
            var parser = try MultipartParser(boundary: "b", limits: limits)
            let bytes = Data(message.utf8)
            var events: [MultipartParser.Event] = []
            for start in stride(from: 0, to: bytes.count, by: size) {
                events += parser.append(Data(bytes.dropFirst(start).prefix(size)))
            }
            events += parser.finish()
            for case .failed(let error) in events { return error }
            return nil
        }
        let body = "\r\n--b\r\n\r\nx\r\n--b--"
        let much = String(repeating: "p", count: 101)
        #expect(try error("preamble" + body + "\r\nepilogue") == nil)
        #expect(try error(much + body)?.problem == .tooMuchPadding(limit: 100))
        #expect(try error(body + "\r\n" + much)?.problem == .tooMuchPadding(limit: 100))
    }

    @Test(
        "The ranges of a multipart/byteranges response say where they belong",
        arguments: [
            ("bytes 0-4/10", 0, 5, 10 as Int64?), ("bytes 7-9/*", 7, 10, nil), ("BYTES 7-7/8", 7, 8, 8),
        ] as [(String, Int64, Int64, Int64?)]
    )
    func ranges(field: String, start: Int64, end: Int64, length: Int64?) async throws {
        let message = "--b\r\nContent-Range: \(field)\r\n\r\nhello\r\n--b--\r\n"
        let response = Response(
            .partialContent,
            headers: [.contentType: "multipart/byteranges; boundary=b"],
            body: HTTPBody(message)
        )
        for try await part in try response.parts() {
            #expect(part.contentRange == start..<end)
            #expect(part.head.contentRange?.completeLength == length)
            #expect(try await part.body.text() == "hello")
        }
    }

    @Test(
        "A Content-Range that makes no sense is none",
        arguments: [
            "bytes 5-4/10", "bytes */10", "bytes 0-9/5", "items 0-1/2", "bytes -1-2/3", "bytes 1", "bytes a-b/c",
        ]
    )
    func noRange(field: String) {
        #expect(MultipartHead(headers: [.contentRange: field]).contentRange == nil)
    }
}
#endif
