#if AllTests
import CZlib
import Foundation
import HTTPChain
import HTTPChainHAR
import HTTPChainInMemory
import HTTPChainTesting
import TestSupport
import Testing

@Suite("Recording exchanges", .timeLimit(.minutes(10)))
struct RecordingTests {
    private let recorder = HARRecorder()
    private let url = "https://a.example/x"

    private func entries(
        _ requests: Request...,
        at place: RecordingMiddleware.Place = .wire,
        bodies limit: ByteCount? = nil,
        answering handler: @escaping InMemoryTransport.Handler
    ) async throws -> [HAREntry] {
        let recorder = limit.map { HARRecorder(bodiesUpTo: $0) } ?? recorder
        let chain = try Chain(transport: InMemoryTransport(handler: handler)) {
            RecordingMiddleware(recorder, each: place)
        }
        for request in requests { _ = try? await chain.send(request).body.collect() }
        return try await recorder.archive().entries
    }

    @Test("A reason phrase is recorded without the secrets in it")
    func reason() async throws {
        let entry = try await entries(.get(url)) { _ in
            Response(HTTPResponse.Status(code: 401, reasonPhrase: "password=hunter22 rejected"))
        }.first
        #expect(entry?.response.statusText.hasPrefix("password=") == true)
        #expect(entry?.response.statusText.contains("hunter22") == false)
    }

    @Test("An exchange is recorded with heads, contents, query, cookies and sizes")
    func exchange() async throws {
        let request = Request.post(
            url + "?a=1&b=x%20y",
            headers: [.contentType: "application/json", .accept: "*/*"],
            body: "{\"n\":1}"
        )
        let entry = try #require(
            try await entries(request) { _ in
                Response(
                    HTTPResponse.Status(code: 201, reasonPhrase: "Created"),
                    headers: [.contentType: "text/plain; charset=utf-8", .location: "/x/1"],
                    body: "grüße"
                )
            }.first
        )
        #expect(entry.request.method == "POST")
        #expect(entry.request.url == url + "?a=1&b=x%20y")
        #expect(entry.request.queryString == [HARField(name: "a", value: "1"), HARField(name: "b", value: "x y")])
        #expect(entry.request.postData?.text == "{\"n\":1}")
        #expect(entry.request.postData?.mimeType == "application/json")
        #expect(entry.request.bodySize == 7)
        #expect(entry.request.values(of: "accept") == ["*/*"])
        #expect(entry.response.status == 201)
        #expect(entry.response.statusText == "Created")
        #expect(entry.response.content.text == "grüße")
        #expect(entry.response.content.size == 7)
        #expect(entry.response.content.mimeType == "text/plain; charset=utf-8")
        #expect(entry.response.redirectURL == "", "201 is no redirect")
        #expect(entry.customFields["_place"] == "wire")
    }

    @Test("What is not text is recorded in base64, and a decoded content coding says what it saved")
    func binary() async throws {
        let bytes = Data((0...255).map { UInt8($0) })
        let text = String(repeating: "hello ", count: 500)
        let packed = try gzip(Data(text.utf8))
        let recorded = try await entries(.put(url, body: HTTPBody(bytes)), .get(url)) { request in
            if request.method == .put {
                return Response(.ok, headers: [.contentType: "image/png"], body: HTTPBody(bytes))
            }
            return Response(
                .ok,
                headers: [.contentType: "text/plain", .contentEncoding: "gzip"],
                body: HTTPBody(packed)
            )
        }
        #expect(recorded[0].request.postData?.encoding == "base64")
        #expect(recorded[0].request.postData?.text == bytes.base64EncodedString())
        #expect(recorded[0].response.content.encoding == "base64")
        #expect(recorded[0].response.content.text == bytes.base64EncodedString())
        #expect(recorded[1].response.content.text == text)
        #expect(recorded[1].response.bodySize == Int64(packed.count))
        #expect(recorded[1].response.content.compression == 3000 - Int64(packed.count))
        #expect(recorded[1].response.values(of: "content-length") == [], "it is the length of something else")
    }

    @Test("Content in a coding that cannot be undone is not recorded, because secrets in it would be")
    func unknownCoding() async throws {
        let entry = try #require(
            try await entries(.get(url)) { _ in
                Response(.ok, headers: [.contentEncoding: "br"], body: "compressed hunter2")
            }.first
        )
        #expect(entry.response.content.text == nil)
        #expect(entry.response.content.comment?.hasPrefix("not recorded: its content coding br") == true)
        let replay = ReplayTransport(HARArchive(entries: [entry]))
        await #expect(throws: HARError.self) { try await replay.send(.get(self.url)).body.collect() }
    }

    @Test("A long body passes whole, and its beginning is recorded")
    func longBody() async throws {
        let recorder = HARRecorder(bodiesUpTo: 10)
        let chain = try Chain(
            transport: InMemoryTransport { request in
                Response(
                    .ok,
                    headers: [.contentType: "text/plain"],
                    body: chunks("1234567", try await request.body.text())
                )
            }
        ) { RecordingMiddleware(recorder) }
        let text = try await chain.text(
            .post(url, headers: [.contentType: "text/plain"], body: chunks("abcdef", "ghijkl"))
        )
        #expect(text == "1234567abcdefghijkl")
        let entry = try #require(try await recorder.archive().entries.first)
        #expect(entry.response.content.text == "1234567abc")
        #expect(entry.response.content.isTruncated)
        #expect(entry.response.content.size == 19)
        #expect(entry.request.postData?.text == "abcdefghij")
        #expect(entry.request.postData?.customFields["_truncated"] == true)
        #expect(entry.request.bodySize == 12)
    }

    @Test("The chunks of a large body are kept, not copied, and dropped beyond the limit")
    func streaming() async throws {
        let recorder = HARRecorder(bodiesUpTo: .kibibytes(64))
        let chunk = Data(repeating: 0x61, count: 65_536)
        let chain = try Chain(
            transport: InMemoryTransport { _ in
                Response(.ok, body: .once(length: 65_536 * 1000) { Repeating(chunk: chunk, left: 1000) })
            }
        ) { RecordingMiddleware(recorder) }
        var count = 0
        for try await chunk in try await chain.send(.get(url)).body { count += chunk.count }
        #expect(count == 65_536_000)
        let entry = try #require(try await recorder.archive().entries.first)
        #expect(entry.response.content.text?.utf8.count == 65_536)
        #expect(entry.response.bodySize == 65_536_000)
        #expect(entry.customFields["_chunks"]?.array?.count == 1000)
    }

    @Test("Times are those of the chain's clock, chunk by chunk")
    func timings() async throws {
        let clock = VirtualClock.automatic()
        let transport = InMemoryTransport()
        transport.enqueue(
            ScriptedReply(chunks: ["ab", "cd", "ef"].map { Data($0.utf8) })
                .delayed(by: .milliseconds(250), betweenChunks: .milliseconds(100))
        )
        let chain = try Chain(transport: transport, environment: .virtual(clock)) { RecordingMiddleware(recorder) }
        let start = clock.date
        _ = try await chain.text(.get(url))
        let entry = try #require(try await recorder.archive().entries.first)
        #expect(abs(entry.started.timeIntervalSince(start)) < 0.001)
        #expect(entry.durations.wait == 250)
        #expect(entry.durations.receive == 200)
        #expect(entry.time == 450)
        #expect(entry.customFields["_chunks"] == [[0, 2], [100, 2], [200, 2]])
    }

    @Test("The times of connecting are left out where the connection was used before", arguments: [true, false, nil])
    func reusedConnection(isReused: Bool?) async throws {
        let chain = try Chain(
            transport: InMemoryTransport { request in
                var metrics = ConnectionMetrics()
                metrics.isReused = isReused
                metrics.connect = .milliseconds(20)
                request.options[ConnectionReportNote.self]?(metrics)
                return Response(.ok)
            }
        ) { RecordingMiddleware(recorder) }
        _ = try await chain.send(.get(url))
        let entry = try #require(try await recorder.archive().entries.first)
        #expect(entry.durations.connect == (isReused == true ? -1 : 20))
    }

    @Test("The transport's report of its connection becomes times and the version of HTTP; others still get it")
    func connection() async throws {
        let reported = Locked(0)
        let chain = try Chain(
            transport: InMemoryTransport { request in
                var metrics = ConnectionMetrics()
                metrics.protocolName = "h2"
                metrics.domainLookup = .milliseconds(5)
                metrics.connect = .milliseconds(20)
                metrics.secureConnection = .milliseconds(15)
                request.options[ConnectionReportNote.self]?(metrics)
                return Response(.ok)
            }
        ) { RecordingMiddleware(recorder) }
        var request = Request.get(url)
        request.options[ConnectionReportNote.self] = { _ in reported.withLock { $0 += 1 } }
        _ = try await chain.send(request)
        let entry = try #require(try await recorder.archive().entries.first)
        #expect(entry.response.httpVersion == "HTTP/2")
        #expect(entry.durations.dns == 5 && entry.durations.connect == 20 && entry.durations.ssl == 15)
        #expect(reported.withLock { $0 } == 1)
    }

    @Test("Failures are recorded and replayed: without an answer, and in the middle of one")
    func failures() async throws {
        let transport = InMemoryTransport()
        transport.enqueue(.failure(.beforeConnect()))
        transport.enqueue(.text("hello world").failing(.atByte(5)))
        let chain = try Chain(transport: transport) { RecordingMiddleware(recorder) }
        func outcomes(_ transport: any Transport) async -> [String] {
            var outcomes: [String] = []
            for request in [Request.get(url), .post(url)] {
                do {
                    let response = try await transport.send(request)
                    var text = ""
                    do {
                        for try await chunk in response.body { text += String(decoding: chunk, as: UTF8.self) }
                    } catch let error as TransportError {
                        text += " \(error.kind) \(error.sent)"
                    }
                    outcomes.append(text)
                } catch {
                    let error = error as? TransportError
                    outcomes.append("\(error?.kind.name ?? "?") \(error?.sent.rawValue ?? "?")")
                }
            }
            return outcomes
        }
        let first = await outcomes(chain)
        #expect(first[1].hasPrefix("hello "))
        let archive = try await recorder.archive()
        #expect(archive.entries.map(\.response.status) == [0, 200])
        #expect(await outcomes(ReplayTransport(archive)) == first)
    }

    @Test("A call that is cancelled before its answer is not recorded; one whose body is dropped is, as far as it came")
    func cancelled() async throws {
        let transport = InMemoryTransport()
        transport.enqueue(.failure(CancellationError()))
        transport.enqueue(ScriptedReply(chunks: ["ab", "cd"].map { Data($0.utf8) }))
        let chain = try Chain(transport: transport) { RecordingMiddleware(recorder) }
        await #expect(throws: CancellationError.self) { try await chain.send(.get(self.url)) }
        func readOne() async throws {
            var reader = try await chain.send(.post(url)).body.makeReader()
            _ = try await reader.read()
        }
        try await readOne()
        let entries = try await recorder.archive().entries
        #expect(entries.map(\.request.method) == ["POST"])
        #expect(entries.first?.response.content.text == "ab")
        #expect(entries.first?.response.content.isTruncated == true)
        // Who again reads no more gets as much; who reads on is told that there is no more.
        let again = try await ReplayTransport(HARArchive(entries: entries)).send(.post(url))
        #expect(again.headers[.contentLength] == nil)
        var seen = ""
        let error = await #expect(throws: HARError.self) {
            for try await chunk in again.body { seen += String(decoding: chunk, as: UTF8.self) }
        }
        #expect(seen == "ab")
        #expect(error?.reason.contains("was not read by the client") == true)
    }

    @Test("A call can say that it is not to be recorded")
    func option() async throws {
        #expect(try await entries(Request.get(url).recording(false), .put(url)) { _ in Response(.ok) }.count == 1)
    }

    @Test(
        "Each redirect and each attempt is an entry at the wire; a call is one at the outside, with what was sent in the end"
    )
    func places() async throws {
        let count = Locked(0)
        let transport = InMemoryTransport { request in
            let number = count.withLock { count in
                count += 1
                return count
            }
            switch number {
            case 1: return Response(.serviceUnavailable)
            case 2: return Response(.found, headers: [.location: "https://a.example/v1/there"])
            default: return Response(.ok, headers: [.contentType: "application/json"], body: "{\"id\":1}")
            }
        }
        let clock = VirtualClock.automatic()
        let calls = HARRecorder()
        let attempts = HARRecorder()
        let chain = try Chain.standard(base: "https://a.example/v1", over: transport, environment: .virtual(clock))
            .inserting(RecordingMiddleware(calls, each: .call), before: TimeoutMiddleware.self)
            .inserting(RecordingMiddleware(attempts, each: .attempt), before: AttemptTimeoutMiddleware.self)
            .appending(RecordingMiddleware(recorder))
        struct Item: Codable, Equatable { var id: Int }
        let item = try await chain.send(.put("here", body: .value(Item(id: 7))), as: Item.self)
        #expect(item == Item(id: 1))
        let wire = try await recorder.archive().entries
        #expect(wire.map(\.response.status) == [503, 302, 200])
        #expect(wire[1].response.redirectURL == "https://a.example/v1/there")
        #expect(wire[1].customFields["_attempt"] == 2)
        #expect(
            wire.map(\.request.url) == [
                "https://a.example/v1/here", "https://a.example/v1/here", "https://a.example/v1/there",
            ]
        )
        #expect(try await attempts.archive().entries.map(\.response.status) == [503, 302, 200])
        let outside = try await calls.archive().entries
        #expect(outside.map(\.response.status) == [200])
        #expect(outside.first?.request.url == "https://a.example/v1/here")
        #expect(outside.first?.request.postData?.text == "{\"id\":7}")
        #expect(outside.first?.response.content.text == "{\"id\":1}")
    }

    @Test("Contents of files and of forms that are framed on the way are recorded")
    func madeContent() async throws {
        let scratch = try ScratchDirectory.created()
        let file = try scratch.file("f.txt", Data("from a file".utf8))
        let chain = try Chain(transport: InMemoryTransport { _ in Response(.ok) }) {
            RecordingMiddleware(recorder, each: .call)
            MultipartMiddleware()
        }
        _ = try await chain.send(.post(url, headers: [.contentType: "text/plain"], body: .file(file, range: 5..<11)))
        let form: MultipartForm = [.text("a", "1")]
        _ = try await chain.send(.post(url, multipart: form))
        let entries = try await recorder.archive().entries
        #expect(entries[0].request.postData?.text == "a file")
        #expect(entries[1].request.postData?.text?.contains("name=\"a\"") == true)
        #expect(entries[1].request.postData?.mimeType.hasPrefix("multipart/form-data") == true)
        withExtendedLifetime(scratch) {}
    }

    @Test("The stage keeps the rules of all stages", arguments: StageConformance.Check.allCases)
    func conforms(check: StageConformance.Check) async throws {
        for place in RecordingMiddleware.Place.allCases {
            try await StageConformance(calls: .exactlyOnce) { RecordingMiddleware(HARRecorder(), each: place) }.verify(
                check
            )
        }
    }

    private struct Repeating: BodyReader {
        let chunk: Data
        var left: Int

        nonisolated(nonsending) mutating func read() async throws -> Data? {
            guard left > 0 else { return nil }
            left -= 1
            return chunk
        }
    }
}

/// What gzip makes of content.
func gzip(_ content: Data) throws -> Data {
    var stream = z_stream()
    try #require(czlib_deflate_init(&stream, 9, 15 + 16) == Z_OK)
    defer { deflateEnd(&stream) }
    var input = [UInt8](content)
    var output = [UInt8](repeating: 0, count: content.count + 1000)
    let count = input.withUnsafeMutableBufferPointer { input in
        output.withUnsafeMutableBufferPointer { output in
            stream.next_in = input.baseAddress
            stream.avail_in = UInt32(input.count)
            stream.next_out = output.baseAddress
            stream.avail_out = UInt32(output.count)
            _ = deflate(&stream, Z_FINISH)
            return output.count - Int(stream.avail_out)
        }
    }
    return Data(output.prefix(count))
}
#endif
