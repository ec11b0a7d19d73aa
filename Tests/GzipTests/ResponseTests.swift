#if AllTests
import Foundation
import HTTPChainCore
import HTTPChainGzip
import HTTPChainTesting
import HTTPTypes
import Testing

private let url = "https://api.example.com/plants"

@Suite("Decoding responses", .timeLimit(.minutes(10)))
struct ResponseTests {
    private func response(
        _ codings: String?,
        _ body: HTTPBody,
        status: HTTPResponse.Status = .ok,
        to request: Request = .get(url),
        by stage: GzipMiddleware = GzipMiddleware()
    ) async throws -> Response {
        var headers: HTTPFields = [.contentType: "text/plain", .eTag: "\"1\""]
        headers[.contentEncoding] = codings
        headers[.contentLength] = body.length.map { "\($0)" }
        return try await StageHarness(stage)
            .send(request, answering: .status(status, headers: headers, body: body)).response()
    }

    @Test("The content is decoded, its fields go, and the originals stay in reach")
    func decodes() async throws {
        let encoded = try await gzip(Data("plants".utf8))
        let decoded = try await response("gzip", HTTPBody(encoded))
        try await expectResponse(
            decoded,
            .ok,
            headers: [.contentType: "text/plain", .eTag: "\"1\""],
            without: [.contentEncoding, .contentLength],
            body: "plants"
        )
        #expect(
            decoded.options[OriginalContentFieldsFact.self]
                == [.contentEncoding: "gzip", .contentLength: "\(encoded.count)"]
        )
        #expect(decoded.body.length == nil)
    }

    @Test(
        "Names of codings are taken in any case, with any space, old ones too",
        arguments: ["GZIP", " x-gzip ", "identity, gzip", ", gzip,,", "gzip,identity"]
    )
    func names(_ name: String) async throws {
        let decoded = try await response(name, HTTPBody(try await gzip(Data("plants".utf8))))
        #expect(decoded.headers[.contentEncoding] == nil)
        #expect(try await decoded.body.text() == "plants")
    }

    @Test("Fields of the same name are one list")
    func repeated() async throws {
        var headers = HTTPFields()
        headers.append(HTTPField(name: .contentEncoding, value: "gzip"))
        headers.append(HTTPField(name: .contentEncoding, value: "gzip"))
        let twice = try await gzip(try await gzip(Data("plants".utf8)))
        let outcome = await StageHarness(GzipMiddleware())
            .send(.get(url), answering: .status(.ok, headers: headers, body: HTTPBody(twice)))
        #expect(try await outcome.response().body.text() == "plants")
    }

    @Test("Five codings on top of each other are undone, and six are an error")
    func stacked() async throws {
        var encoded = Samples.json(5000)
        for _ in 0..<5 { encoded = try await gzip(encoded) }
        let names = Array(repeating: "gzip", count: 5)
        let decoded = try await response(names.joined(separator: ", "), HTTPBody(encoded))
        #expect(try await decoded.body.content == Samples.json(5000))
        await #expect {
            _ = try await response((names + ["gzip"]).joined(separator: ","), HTTPBody(try await gzip(encoded)))
        } throws: { error in
            (error as? ContentCodingError)?.problem == .tooManyCodings(count: 6, limit: 5)
                && (error as? ContentCodingError)?.exchange?.response?.status == .ok
        }
    }

    @Test("Codings that are not known stay, with all that lies beneath them")
    func unknown() async throws {
        let encoded = try await gzip(Data("plants".utf8))
        for coding in ["br", "gzip, br", "gzip;q=1", "zstd", "compress"] {
            let untouched = try await response(coding, HTTPBody(encoded))
            #expect(untouched.headers[.contentEncoding] == coding)
            #expect(untouched.headers[.contentLength] == "\(encoded.count)")
            #expect(untouched.options[OriginalContentFieldsFact.self].isEmpty)
            #expect(untouched.body.bytes == encoded)
        }
        let outer = try await response("br, gzip", HTTPBody(encoded))
        #expect(outer.headers[.contentEncoding] == "br")
        #expect(outer.headers[.contentLength] == nil)
        #expect(try await outer.body.text() == "plants")
        #expect(outer.options[OriginalContentFieldsFact.self][.contentEncoding] == "br, gzip")
    }

    @Test("Responses without content, or with a part of it, are left alone", arguments: [103, 204, 205, 206, 304])
    func statuses(_ code: Int) async throws {
        let untouched = try await response("gzip", "part", status: .init(code: code))
        #expect(untouched.headers[.contentEncoding] == "gzip")
        #expect(untouched.headers[.contentLength] == "4")
        #expect(try await untouched.body.text() == "part")
    }

    @Test("The answer to HEAD is left alone")
    func head() async throws {
        let untouched = try await response("gzip", .empty, to: .head(url))
        #expect(untouched.headers[.contentEncoding] == "gzip")
        #expect(untouched.headers[.contentLength] == "0")
    }

    @Test("Errors of the server are decoded like other content", arguments: [400, 404, 500])
    func errors(_ code: Int) async throws {
        let decoded = try await response("gzip", HTTPBody(try await gzip(Data("no".utf8))), status: .init(code: code))
        #expect(try await decoded.body.text() == "no")
    }

    @Test("What a transport has decoded passes untouched")
    func alreadyDecoded() async throws {
        let untouched = try await response(nil, "plain")
        #expect(untouched.body.bytes == Data("plain".utf8))
        #expect(untouched.headers[.contentLength] == "5")
    }

    @Test("A transport's account of what it decoded is kept")
    func keepsOriginal() async throws {
        var answer = Response(
            .ok,
            headers: [.contentEncoding: "gzip, br"],
            body: HTTPBody(try await gzip(Data("a".utf8)))
        )
        answer.removeContentFields(leaving: "gzip")
        let decoded = try await StageHarness(GzipMiddleware()).send(.get(url), answering: .response(answer)).response()
        #expect(decoded.options[OriginalContentFieldsFact.self] == [.contentEncoding: "gzip, br"])
        #expect(try await decoded.body.text() == "a")
    }

    @Test("A call can leave its response encoded, and so can a stage")
    func off() async throws {
        let encoded = try await gzip(Data("plants".utf8))
        for (request, stage) in [
            (Request.get(url).decompression(false), GzipMiddleware()),
            (Request.get(url), GzipMiddleware(responses: nil)),
        ] {
            let outcome = await StageHarness(stage).send(
                request,
                answering: .status(.ok, headers: [.contentEncoding: "gzip"], body: HTTPBody(encoded))
            )
            #expect(try outcome.response().body.bytes == encoded)
            #expect(try outcome.response().headers[.contentEncoding] == "gzip")
            #expect(outcome.requests.first?.head.headerFields[.acceptEncoding] == nil)
        }
        let asked = Request.get(url).decompression(limits: DecodingLimits())
        let decoded = try await response("gzip", HTTPBody(encoded), to: asked, by: GzipMiddleware(responses: nil))
        #expect(try await decoded.body.text() == "plants")
    }

    @Test("Accept-Encoding is added unless there is one, or a range is asked for")
    func acceptEncoding() async throws {
        func sent(_ request: Request) async throws -> HTTPFields {
            try #require(await StageHarness(GzipMiddleware()).send(request).requests.first).head.headerFields
        }
        #expect(try await sent(.get(url))[.acceptEncoding] == "gzip, deflate")
        #expect(try await sent(.head(url))[.acceptEncoding] == "gzip, deflate")
        #expect(try await sent(.get(url, headers: [.acceptEncoding: "br"]))[.acceptEncoding] == "br")
        #expect(try await sent(.get(url, headers: [.acceptEncoding: ""]))[.acceptEncoding] == "")
        #expect(try await sent(.get(url, headers: [.range: "bytes=0-99"])) == [.range: "bytes=0-99"])
    }

    @Test("A body that can be read again can still be read again, decoded")
    func replayable() async throws {
        let encoded = try await gzip(Data("plants".utf8))
        let decoded = try await response("gzip", HTTPBody(encoded))
        #expect(decoded.body.isReplayable)
        #expect(try await decoded.body.text() == "plants")
        #expect(try await decoded.body.text() == "plants")
        #expect(try await response("gzip", .stream(encoded)).body.isReplayable == false)
    }

    @Test("A head with the maximum number of fields doesn't crash")
    func manyFields() async throws {
        var request = Request.get(url)
        for _ in 0..<(Int(UInt16.max) - 1) { request.head.headerFields.append(HTTPField(name: .accept, value: "a")) }
        #expect(await StageHarness(GzipMiddleware()).send(request).error == nil)
    }
}

@Suite("The rules of every stage: gzip", .timeLimit(.minutes(10)))
struct GzipConformanceTests {
    @Test("The stage keeps the rules by default", arguments: StageConformance.Check.allCases)
    func conforms(check: StageConformance.Check) async throws {
        try await StageConformance { GzipMiddleware() }.verify(check)
    }

    @Test("Compressing and decoding keep the rules", arguments: StageConformance.Check.allCases)
    func conformsAtWork(check: StageConformance.Check) async throws {
        let encoded = try await gzip(Samples.json(3000))
        try await StageConformance(
            changesResponseBody: true,
            request: { .post(url, body: HTTPBody(Samples.json(600_000))) },
            answers: { [.status(.ok, headers: [.contentEncoding: "gzip"], body: .pieces(encoded, of: 100))] },
            stage: { GzipMiddleware(requests: .standard) }
        ).verify(check)
    }

    @Test("The stage explains itself, and the chain knows that content is decoded")
    func explains() throws {
        let chain = try Chain(transport: DecoyTransport()) { GzipMiddleware(requests: .standard) }
        let text = chain.explain()
        #expect(text.contains("compress  GzipMiddleware  compresses requests, decodes responses"))
        #expect(text.contains("requests: gzip level 6, from 1 KiB; responses: gzip, deflate, up to 1 GiB, 1100:1"))
        #expect(chain.capabilities.contains(.decodesContent))
        let other = try Chain(transport: DecoyTransport()) { GzipMiddleware(responses: nil) }
        #expect(other.explain().contains("requests: as they are; responses: as they arrive"))
        #expect(!other.capabilities.contains(.decodesContent))
    }

    private struct DecoyTransport: Transport {
        var capabilities: TransportCapabilities { [] }
        func send(_ request: consuming Request) async throws -> Response { Response(.ok) }
    }
}
#endif
