import Foundation
import HTTPChainCore
import HTTPTypes
import TestSupport
import Testing

/// A clock that a test's stages move by hand.
private final class HandClock: TimeSource {
    private let now = Locked(Duration.zero)
    var elapsed: Duration { now.withLock { $0 } }
    var date: Date { Date(timeIntervalSince1970: 0) }
    func sleep(for duration: Duration) async throws { now.withLock { $0 += duration } }
}

@Suite("explain() and trace()")
struct TraceTests {
    private let clock = HandClock()

    private func traced(
        _ request: Request,
        answer: @escaping @Sendable (Request) async throws -> Response,
        @ChainBuilder stages: () -> [any Middleware]
    ) async throws -> TracedCall {
        let chain = try Chain(
            transport: ClosureTransport(answer),
            environment: ChainEnvironment(time: clock),
            stages: stages
        )
        return await chain.trace(request)
    }

    @Test("explain() prints order, phase, purpose, settings and the transport")
    func explain() throws {
        let chain = try Chain(transport: ClosureTransport(capabilities: [.streamsUploads, .backpressure])) {
            Marker("First", .build)
            Marker("Second")
        }
        #expect(
            chain.explain() == """
                   phase     stage             what it does  settings
                1  build     First             marks         mark: First
                2  anywhere  Second            marks         mark: Second
                →            ClosureTransport  transport     streams uploads, backpressure
                """
        )
    }

    @Test("A trace says what each stage changed and how long it took itself")
    func changes() async throws {
        let call = try await traced(.get("http://h/a?token=hunter2")) { request in
            try await request.environment.time.sleep(for: .milliseconds(30))
            return Response(.ok, headers: [.contentEncoding: "gzip", .server: "s"], body: "zipped")
        } stages: {
            ClosureMiddleware("Headers", phase: .build) { request, next in
                request.head.headerFields[.accept] = "text/html"
                request.head.headerFields[.authorization] = "Bearer hunter2"
                return try await next(request)
            }
            ClosureMiddleware("Gzip", phase: .compress) { request, next in
                try await request.environment.time.sleep(for: .milliseconds(10))
                var response = try await next(request)
                response.headers[.contentEncoding] = nil
                response.body = "plain text"
                return response
            }
        }
        #expect(try call.response.status == .ok)
        let spans = call.trace.spans
        #expect(spans.map(\.name) == ["Headers", "Gzip", "ClosureTransport"])
        #expect(spans.map(\.depth) == [0, 1, 2])
        #expect(spans.map(\.duration) == [.milliseconds(40), .milliseconds(40), .milliseconds(30)])
        #expect(spans.map(\.ownTime) == [.zero, .milliseconds(10), .milliseconds(30)])
        #expect(
            spans[0].requestChanges.map { $0.map(\.description) } == [
                ["+ Accept: text/html", "+ Authorization: <redacted>"]
            ]
        )
        #expect(
            spans[1].responseChanges.map(\.description) == [
                "- Content-Encoding: gzip", "~ body: 6 bytes → 10 bytes",
            ]
        )
        let text = call.trace.description
        #expect(text.hasPrefix("GET http://h/a?token=<redacted> → 200 OK in 40.000 ms"))
        #expect(text.contains("request + Accept: text/html"))
        for output in [text, call.trace.html()] { #expect(!output.contains("hunter2")) }
    }

    @Test("A trace shows each attempt of a stage that calls next again")
    func attempts() async throws {
        let attempts = Locked(0)
        let call = try await traced(.get("http://h/")) { _ in
            attempts.withLock { count -> Int in
                count += 1
                return count
            } == 1 ? Response(.serviceUnavailable) : Response(.ok)
        } stages: {
            ClosureMiddleware("Retry", phase: .retry) { request, next in
                let first = try await next(request)
                await first.body.drain()
                request.head.headerFields[.retryAfter] = "1"
                return try await next(request)
            }
            Marker("Inner", .wire)
        }
        let spans = call.trace.spans
        #expect(spans.map(\.name) == ["Retry", "Inner", "ClosureTransport", "Inner", "ClosureTransport"])
        #expect(spans.map(\.parent) == [nil, 0, 1, 0, 3])
        #expect(spans[0].requestChanges.map { $0.map(\.description) } == [[], ["+ Retry-After: 1"]])
        #expect(spans[1].outcome == .response(.serviceUnavailable))
        #expect(call.trace.description.contains("request 2 + Retry-After: 1"))
    }

    @Test("A trace of a failed call shows where it failed, and keeps the error")
    func failure() async throws {
        let call = try await traced(.get("http://h/")) { _ in
            throw Boom()
        } stages: {
            Marker("a")
        }
        #expect(throws: Boom()) { try call.response }
        #expect(call.trace.spans.map(\.outcome) == Array(repeating: .failure("Boom(name: \"boom\")"), count: 2))
    }

    @Test("A trace follows a request that a stage made from scratch")
    func fresh() async throws {
        let call = try await traced(.get("http://h/")) { _ in
            Response(.ok)
        } stages: {
            ClosureMiddleware("Fresh") { _, next in try await next(.get("http://other/")) }
            Marker("Inner")
        }
        #expect(call.trace.spans.map(\.parent) == [nil, 0, 1])
        #expect(call.trace.spans[0].requestChanges.first?.first?.description == "~ URL: http://h/ → http://other/")
    }

    @Test("A trace inside a stage of a traced chain has spans of its own")
    func nested() async throws {
        let inner = try Chain(transport: ClosureTransport()) {
            Marker("a"); Marker("b")
        }
        let traces = Locked<[Trace]>([])
        let outer = try Chain(
            transport: ClosureTransport { request in
                let call = await inner.trace(request)
                traces.withLock { $0.append(call.trace) }
                return try call.response
            }
        ) {
            Marker("c"); Marker("d"); Marker("e"); Marker("f")
        }
        let call = await outer.trace(.get("http://h/"))
        #expect(try call.response.status == .ok)
        #expect(call.trace.spans.map(\.parent) == [nil, 0, 1, 2, 3])
        #expect(traces.withLock { $0.map { $0.spans.map(\.parent) } } == [[nil, 0, 1]])
    }

    @Test("A trace leaves the response's body to be read, and releases it when it is dropped")
    func body() async throws {
        let gone = Locked(false)
        do {
            let call = try await traced(.get("http://h/")) { _ in
                let canary = Lifeline { gone.withLock { $0 = true } }
                return Response(
                    .ok,
                    body: .once {
                        withExtendedLifetime(canary) {}
                        return ChunkReader(["text"])
                    }
                )
            } stages: {
                Marker("a")
            }
            #expect(gone.withLock { $0 } == false)
            #expect(try await call.response.body.text() == "text")
        }
        #expect(gone.withLock { $0 })
    }

    @Test("The waterfall is one page that loads nothing, with everything escaped")
    func html() async throws {
        let call = try await traced(.get("http://h/")) { _ in
            Response(.ok)
        } stages: {
            ClosureMiddleware("<script>alert('x')</script>") { request, next in
                request.head.headerFields[.accept] = "\"<b>&"
                return try await next(request)
            }
        }
        let page = call.trace.html()
        #expect(page.hasPrefix("<!doctype html>"))
        #expect(page.contains("&lt;script&gt;alert(&#39;x&#39;)"))
        #expect(page.contains("+ Accept: &quot;&lt;b&gt;&amp;"))
        #expect(!page.contains("<script"))
        #expect(!page.contains("src="))
        #expect(!page.contains("url("))
    }
}

@Suite("Redaction")
struct RedactionTests {
    @Test(
        "Redaction redacts secrets in URLs",
        arguments: [
            ("https://me:pw@host/a", "https://<redacted>@host/a"),
            ("https://host/?a=1&Token=x&b=2#f", "https://host/?a=1&Token=<redacted>&b=2#f"),
            ("https://host/?api%5Fkey=x", "https://host/?api%5Fkey=<redacted>"),
            ("https://host/?token", "https://host/?token"),
            ("users?key=x", "users?key=<redacted>"),
            ("https://host/a@b", "https://host/a@b"),
            // Characters that combine with a delimiter do not hide it.
            ("https://host/?token=\u{301}x", "https://host/?token=<redacted>"),
            ("https://host/?a=1&\u{301}&token=x", "https://host/?a=1&\u{301}&token=<redacted>"),
            ("https://host/\u{600}?token=x", "https://host/\u{600}?token=<redacted>"),
            ("https://me:pass@\u{301}host/", "https://<redacted>@\u{301}host/"),
        ]
    )
    func urls(url: String, expected: String) {
        #expect(Redaction.standard.url(url) == expected)
    }

    @Test("Redaction redacts secrets in header fields, whatever their letter case, and keeps the rest")
    func fields() {
        let snapshot = ExchangeSnapshot(
            Request.get("https://h/", headers: [.authorization: "Basic x", .accept: "a"]).head,
            response: Response(.notFound, headers: [.setCookie: "s=1", .contentType: "text/plain"]).head,
            preview: BodyPreview(Data("no\nsuch".utf8), isTruncated: true)
        )
        #expect(snapshot.requestFields[.authorization] == "<redacted>")
        #expect(snapshot.requestFields[.accept] == "a")
        #expect(snapshot.response?.headerFields[.setCookie] == "<redacted>")
        #expect("\(snapshot)" == "GET https://h/ → 404 Not Found, text/plain: no such…")
    }

    @Test("Redaction keeps secrets out of what a request or response prints of itself")
    func descriptions() {
        let request = Request.get("https://u:hunter2@h/?token=hunter2", headers: [.cookie: "hunter2"])
        let response = Response(.ok, headers: [.setCookie: "hunter2"])
        for text in ["\(request)", String(reflecting: request), "\(response)", String(reflecting: response)] {
            #expect(!text.contains("hunter2"))
            #expect(text.contains("<redacted>"))
        }
    }

    @Test("Redaction shows a preview of bytes as text where it is, also when cut inside a character")
    func preview() {
        #expect("\(BodyPreview(Data("héé".utf8.dropLast()), isTruncated: true))" == "hé…")
        #expect("\(BodyPreview(Data([0xFF, 0xFE, 0x00]), isTruncated: true))" == "3 or more bytes of binary data")
        #expect("\(BodyPreview(Data([0xFF, 0xFE, 0x00]), isTruncated: false))" == "3 bytes of binary data")
        #expect("\(BodyPreview(Data(), isTruncated: false))" == "")
    }

    @Test("A description counts bytes in the largest unit that divides them")
    func byteCounts() {
        #expect("\(ByteCount.mebibytes(4))" == "4 MiB")
        #expect("\(ByteCount.megabytes(50))" == "50 MB")
        #expect("\(1 as ByteCount)" == "1 byte")
        #expect("\(ByteCount(1025))" == "1025 bytes")
        #expect(ByteCount(-5) == 0)
        #expect(ByteCount.gibibytes(.max) == .unlimited)
    }

    @Test(
        "A description rounds bytes for people to read",
        arguments: [
            (0, "0 bytes"), (1, "1 byte"), (999, "999 bytes"), (1000, "1.0 kB"), (9949, "9.9 kB"), (9950, "10 kB"),
            (999_499, "999 kB"), (999_500, "1.0 MB"), (1_234_567, "1.2 MB"), (50_000_000, "50 MB"),
            (Int64.max, "9.2 EB"),
        ] as [(Int64, String)]
    )
    func abbreviatedByteCounts(bytes: Int64, text: String) {
        #expect(ByteCount(bytes).abbreviated == text)
    }
}
