#if AllTests
import Foundation
import HTTPChainCore
import HTTPChainGzip
import HTTPChainTesting
import HTTPTypes
import TestSupport
import Testing

private let url = "https://api.example.com/events"

@Suite("Compressing requests", .timeLimit(.minutes(10)))
struct RequestTests {
    private let json = Samples.json(5000)

    private func sent(_ request: Request, by stage: GzipMiddleware = GzipMiddleware(requests: .standard)) async throws
        -> Request
    {
        let outcome = await StageHarness(stage).send(request)
        if let error = outcome.error { throw error }
        return try #require(outcome.requests.first)
    }

    private func isCompressed(_ request: Request, by stage: GzipMiddleware = GzipMiddleware(requests: .standard))
        async throws -> Bool
    {
        let sent = try await sent(request, by: stage)
        let isCompressed = sent.head.headerFields[.contentEncoding]?.hasSuffix("gzip") == true
        let content = try await sent.body.content
        let original = try await request.body.content
        #expect(
            isCompressed ? try await HTTPBody(content).decoded(from: [.gzip]).content == original : content == original
        )
        return isCompressed
    }

    @Test("Nothing is compressed unless the stage or the call says so")
    func byDefault() async throws {
        #expect(try await !isCompressed(.post(url, body: HTTPBody(json)), by: GzipMiddleware()))
        #expect(try await isCompressed(.post(url, body: HTTPBody(json)).compression(), by: GzipMiddleware()))
        #expect(try await isCompressed(.post(url, body: HTTPBody(json))))
        #expect(try await !isCompressed(.post(url, body: HTTPBody(json)).compression(false)))
        #expect(
            try await isCompressed(.post(url, body: "short").compression(.init(minimumSize: 0, skippedTypes: [])))
                == false
        )
        #expect(
            try await isCompressed(.post(url, body: HTTPBody(Samples.json(400))).compression(.init(minimumSize: 100)))
        )
    }

    @Test("A body in memory is compressed at once, so that its length is known")
    func inMemory() async throws {
        let request = Request.post(url, headers: [.contentLength: "5000"], body: HTTPBody(json))
        let small = try await sent(request)
        #expect(small.head.headerFields[.contentEncoding] == "gzip")
        #expect(small.head.headerFields[.contentLength] == nil)
        #expect(try await small.body.length == Int64(gzip(json).count))
        #expect(small.body.isReplayable)
        let large = try await sent(.post(url, body: HTTPBody(Samples.json(300_000))))
        #expect(large.body.length == nil)
        #expect(large.body.isReplayable)
    }

    @Test("A stream and a file are compressed as they are sent")
    func streams() async throws {
        let sample = Samples.json(200_000)
        var request = Request.post(url, body: .stream(sample))
        var streamed = try await sent(request)
        #expect(try await streamed.body.decoded(from: [.gzip]).content == sample)
        let scratch = try ScratchDirectory.created()
        let file = try scratch.file("file", sample)
        request = .put(url, headers: [.contentLength: "200000"], body: .file(file))
        streamed = try await sent(request)
        #expect(streamed.body.isReplayable)
        #expect(streamed.body.length == nil)
        #expect(streamed.head.headerFields[.contentLength] == nil)
        #expect(try await streamed.body.decoded(from: [.gzip]).content == sample)
    }

    @Test("A stream is read no further than it is sent")
    func pulls() async throws {
        let reads = Locked(0)
        let body = HTTPBody.once { CountingNoise(reads: reads) }
        let stage = GzipMiddleware(requests: .standard)
        try await StageHarness(stage).drive(.post(url, body: body)) { run in
            let call = try await run.nextCall()
            #expect(reads.withLock { $0 } == 0)
            var reader = try await call.request.body.makeReader()
            _ = try await reader.read()
            #expect((1...3).contains(reads.withLock { $0 }))
            call.answer(Response(.ok))
            _ = try await run.response()
        }
    }

    private struct CountingNoise: BodyReader {
        let reads: Locked<Int>
        nonisolated(nonsending) mutating func read() async throws -> Data? {
            reads.withLock { $0 += 1 }
            return Samples.noise(65_536)
        }
    }

    @Test("Small bodies, and those that would not become smaller, are sent as they are")
    func notWorthIt() async throws {
        #expect(try await !isCompressed(.post(url, body: HTTPBody(Samples.json(1023)))))
        #expect(try await isCompressed(.post(url, body: HTTPBody(Samples.json(1024)))))
        #expect(try await !isCompressed(.post(url, body: HTTPBody(Samples.noise(5000)))))
        #expect(try await !isCompressed(.post(url)))
        #expect(try await !isCompressed(.get(url)))
        // Of a stream nobody knows.
        #expect(
            try await sent(.post(url, body: .stream(Samples.json(10)))).head.headerFields[.contentEncoding] == "gzip"
        )
    }

    @Test("Content that is compressed already is sent as it is")
    func types() async throws {
        for (type, isCompressedType) in [
            ("application/json; charset=utf-8", false), ("text/plain", false), ("image/svg+xml", false),
            ("application/octet-stream", false), ("multipart/form-data; boundary=zip", false), ("nonsense", false),
            ("image/png", true), ("IMAGE/JPEG ; q=1", true), ("video/mp4", true), ("application/zip", true),
            ("application/epub+zip", true), ("font/woff2", true), ("application/gzip", true),
            ("application/vnd.openxmlformats-officedocument.wordprocessingml.document", true), ("audio/wav", false),
        ] {
            let request = Request.post(url, headers: [.contentType: type], body: HTTPBody(json))
            #expect(try await isCompressed(request) == !isCompressedType, "\(type)")
            #expect(ContentTypeSet.alreadyCompressed.contains(type) == isCompressedType)
        }
        let own = CompressionSettings(skippedTypes: ["text/*", "image/svg+xml"])
        for type in ["text/plain", "image/svg+xml"] {
            let request = Request.post(url, headers: [.contentType: type], body: HTTPBody(json))
            #expect(try await !isCompressed(request, by: GzipMiddleware(requests: own)), "\(type)")
        }
    }

    @Test("Codings that are there stay, and gzip comes after them; one that compresses is enough")
    func codings() async throws {
        for (present, expected) in [
            ("aes128gcm", "aes128gcm, gzip"), ("identity", "gzip"), ("br", "br"), ("Gzip", "Gzip"),
            ("zstd, aes128gcm", "zstd, aes128gcm"),
        ] {
            let request = Request.post(url, headers: [.contentEncoding: present], body: HTTPBody(json))
            #expect(try await sent(request).head.headerFields[.contentEncoding] == expected)
        }
    }

    @Test("Content that is covered by a digest or a range is sent unchanged")
    func bound() async throws {
        for name in ["Content-MD5", "Content-Digest", "Repr-Digest", "Content-Range"] {
            let name = try #require(HTTPField.Name(name))
            #expect(try await !isCompressed(.put(url, headers: [name: "x"], body: HTTPBody(json))), "\(name)")
        }
    }

    @Test("A typed value passes untouched: its serializer is still to come")
    func typedValue() async throws {
        let outcome = await StageHarness(GzipMiddleware(requests: .standard)).send(.post(url, body: .value([1, 2])))
        #expect(outcome.requests.first?.body.value as? [Int] == [1, 2])
        #expect(outcome.requests.first?.head.headerFields[.contentEncoding] == nil)
    }

    @Test("The call's setting takes precedence over the stage's")
    func rules() async throws {
        #expect(CompressionOption.defaultValue == .standard)
        let large = CompressionSettings(minimumSize: .kibibytes(2))
        let table: [(CallSetting<CompressionSettings?>, CompressionSettings?, Int, Bool)] = [
            (.standard, nil, 5000, false), (.standard, .standard, 5000, true),
            (.standard, large, 1500, false), (.standard, .standard, 1500, true),
            (.value(nil), nil, 5000, true), (.value(nil), nil, 1000, false), (.value(nil), large, 1500, false),
            (.value(nil), large, 5000, true),
            (.off, .standard, 5000, false), (.value(large), .standard, 1500, false), (.value(large), nil, 5000, true),
        ]
        for (rule, settings, size, expected) in table {
            var request = Request.post(url, body: HTTPBody(Samples.json(size)))
            request.options[CompressionOption.self] = rule
            let stage = GzipMiddleware(requests: settings)
            #expect(try await isCompressed(request, by: stage) == expected, "\(rule) with \(size) bytes")
        }
    }

    @Test("Types that are left out are sent as they are")
    func skippedTypes() async throws {
        func isCompressed(_ type: String, _ skipped: ContentTypeSet = .alreadyCompressed) async throws -> Bool {
            try await self.isCompressed(
                .post(url, headers: [.contentType: type], body: HTTPBody(json)),
                by: GzipMiddleware(requests: CompressionSettings(skippedTypes: skipped))
            )
        }
        #expect(try await !isCompressed("image/png"))
        #expect(try await isCompressed("image/png", []))
        #expect(try await isCompressed("application/json"))
    }

    @Test("The length is known up to the size that is set")
    func lengthKnownUpTo() async throws {
        for (limit, isKnown) in [(ByteCount.kibibytes(4), false), (.kibibytes(5), true)] {
            let stage = GzipMiddleware(requests: CompressionSettings(lengthKnownUpTo: limit))
            #expect(try await (sent(.post(url, body: HTTPBody(json)), by: stage).body.length != nil) == isKnown)
        }
    }

    @Test("The level is the one that is set")
    func level() async throws {
        let stored = GzipMiddleware(requests: CompressionSettings(coding: .gzip(level: 9)))
        let request = Request.post(url, body: HTTPBody(Samples.json(100_000)))
        let small = try await sent(request, by: stored).body.content
        let fast = try await sent(request.compression(CompressionSettings(coding: .gzip(level: 1))), by: stored)
            .body.content
        #expect(small.count < fast.count)
    }
}
#endif
