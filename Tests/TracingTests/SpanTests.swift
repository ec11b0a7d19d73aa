#if AllTests && Tracing
import Foundation
import HTTPChainCore
import HTTPChainTesting
import HTTPChainTracing
import HTTPTypes
import InMemoryTracing
import TestSupport
import Testing
import Tracing

@Suite("The span of an attempt", .timeLimit(.minutes(10)))
struct SpanTests {
    private let tracer = InMemoryTracer()

    private var harness: StageHarness { StageHarness(TracingMiddleware(tracer: tracer)) }

    private func span() throws -> FinishedInMemorySpan {
        let spans = tracer.popFinishedSpans()
        #expect(spans.count == 1)
        return try #require(spans.first)
    }

    @Test("The span has the name, the kind and the attributes that the conventions want, and no others")
    func attributes() async throws {
        _ = await harness.send(.get("https://api.example.com:8443/plants?color=green"))
        let span = try span()
        #expect(span.operationName == "GET")
        #expect(span.kind == .client)
        #expect(
            span.texts == [
                "http.request.method": "GET", "http.response.status_code": "200", "server.address": "api.example.com",
                "server.port": "8443", "url.full": "https://api.example.com:8443/plants?color=green",
            ]
        )
        #expect(span.status == nil)
        #expect(span.events.isEmpty)
    }

    @Test(
        "The server's port is that of the scheme where the URL names none, and an IPv6 address has no brackets",
        arguments: [
            ("http://example.com/", "example.com", "80"), ("https://EXAMPLE.com/", "example.com", "443"),
            ("https://[2001:db8::1]:8080/", "2001:db8::1", "8080"),
        ]
    )
    func server(url: String, address: String, port: String) async throws {
        _ = await harness.send(.get(url))
        let texts = try span().texts
        #expect(texts["server.address"] == address)
        #expect(texts["server.port"] == port)
    }

    @Test("A method that is not known is _OTHER, its own name apart, and HTTP in the span's name")
    func unknownMethod() async throws {
        let purge = try #require(HTTPRequest.Method("PURGE"))
        _ = await harness.send(Request(purge, url))
        let other = try span()
        #expect(other.operationName == "HTTP")
        #expect(other.texts["http.request.method"] == "_OTHER")
        #expect(other.texts["http.request.method_original"] == "PURGE")
        let stage = TracingMiddleware(tracer: tracer, knownMethods: ["PURGE"])
        _ = await StageHarness(stage).send(Request(purge, url))
        let known = try span()
        #expect(known.operationName == "PURGE")
        #expect(known.texts["http.request.method"] == "PURGE")
        #expect(known.texts["http.request.method_original"] == nil)
    }

    @Test("The environment replaces the known methods, and does not add to them")
    func methodsOfEnvironment() {
        let variable = "OTEL_INSTRUMENTATION_HTTP_KNOWN_METHODS"
        #expect(HTTPSemantics.knownMethods(in: [variable: "GET, PURGE,,"]) == ["GET", "PURGE"])
        #expect(HTTPSemantics.knownMethods(in: [:]) == HTTPSemantics.standardMethods)
    }

    @Test(
        "url.full holds no secret and stays a URL",
        arguments: [
            ("https://api.example.com/a?token=geheim&x=1", "https://api.example.com/a?token=REDACTED&x=1"),
            ("https://ada:geheim@api.example.com/a", "https://REDACTED:REDACTED@api.example.com/a"),
            (
                "https://bucket.example.com/a?X-Amz-Signature=geheim&Signature=geheim&sig=geheim",
                "https://bucket.example.com/a?X-Amz-Signature=REDACTED&Signature=REDACTED&sig=REDACTED"
            ),
            ("https://api.example.com/a#access_token=geheim", "https://api.example.com/a#access_token=REDACTED"),
        ]
    )
    func fullURL(url: String, expected: String) async throws {
        _ = await harness.send(.get(url))
        let full = try #require(try span().texts["url.full"])
        #expect(full == expected)
        #expect(URL(string: full) != nil && !full.contains("<") && !full.contains("geheim"))
    }

    @Test(
        "Statuses from 400 on are errors",
        arguments: [(200, false), (204, false), (304, false), (301, false), (400, true), (404, true), (503, true)]
    )
    func statuses(code: Int, isError: Bool) async throws {
        _ = await harness.send(.get(url), answering: .status(HTTPResponse.Status(code: code)))
        let span = try span()
        #expect(span.texts["http.response.status_code"] == String(code))
        #expect(span.texts["error.type"] == (isError ? String(code) : nil))
        #expect(span.status == (isError ? SpanStatus(code: .error) : nil))
    }

    struct Other: Error, CustomStringConvertible {
        var description: String { "broke with Bearer abcdefghijklmnop" }
    }

    static let errors: [(error: any Error, type: String?)] = [
        (TransportError(.connectionLost, sent: .maybe, stage: "test"), "connectionLost"),
        (TransportError(.timedOut, sent: .maybe, stage: "test"), "timeout"), (Other(), "Other"),
        (CancellationError(), nil),
    ]

    @Test("What was thrown becomes an error of few types, redacted; a cancellation none", arguments: 0..<errors.count)
    func thrown(index: Int) async throws {
        let (error, type) = Self.errors[index]
        let outcome = await harness.send(.get(url), answering: .failure(error))
        #expect(outcome.error != nil)
        let span = try span()
        #expect(span.texts["error.type"] == type)
        #expect(span.status?.code == (type == nil ? nil : .error))
        #expect(span.events.map(\.name) == (type == nil ? [] : ["exception"]))
        let shown = "\(span.events) \(span.status?.message ?? "")"
        #expect(shown.contains("abcdefghijklmnop") == false)
        #expect(span.texts["http.response.status_code"] == nil)
    }

    @Test("The span ends when the body was read to its end, and not before")
    func bodyRead() async throws {
        let clock = VirtualClock()
        let harness = StageHarness(TracingMiddleware(tracer: tracer), clock: clock)
        let response = try await harness.send(.get(url), answering: .ok(.chunks(["one ", "two"]))).response()
        #expect(tracer.finishedSpans.isEmpty)
        clock.advance(by: .seconds(2))
        #expect(try await response.body.text() == "one two")
        let span = try span()
        #expect(span.duration == .seconds(2))
        #expect(span.status == nil)
    }

    @Test("The span ends when the body is dropped, which is no error")
    func bodyDropped() async throws {
        let clock = VirtualClock()
        let harness = StageHarness(TracingMiddleware(tracer: tracer), clock: clock)
        do {
            let response = try await harness.send(.get(url), answering: .ok(.chunks(["one"]))).response()
            #expect(response.status == .ok)
        }
        try await until("the span has ended") { !tracer.finishedSpans.isEmpty }
        #expect(try span().status == nil)
    }

    @Test("The span ends when the body breaks, which is an error beside a status of 200")
    func bodyBroken() async throws {
        let lost = TransportError(.truncatedBody, sent: .answered, stage: "test")
        let body = HTTPBody.chunks(["one"], failing: lost)
        let response = try await harness.send(.get(url), answering: .ok(body)).response()
        await #expect(throws: TransportError.self) { try await response.body.text() }
        let span = try span()
        #expect(span.texts["error.type"] == "truncatedBody")
        #expect(span.texts["http.response.status_code"] == "200")
        #expect(span.status?.code == .error)
    }

    @Test("The span ends without an error when reading the body is cancelled")
    func bodyCancelled() async throws {
        let body = HTTPBody.chunks(["one"], failing: CancellationError())
        let response = try await harness.send(.get(url), answering: .ok(body)).response()
        await #expect(throws: CancellationError.self) { try await response.body.text() }
        #expect(try span().status == nil)
    }

    @Test("The span is a child of the caller's, or of the context that the call names, and the parent of the inside")
    func parents() async throws {
        let outer = tracer.startSpan("outer")
        let harness = harness
        let inside = Locked<InMemorySpanContext?>(nil)
        await InstrumentationContext.withValue(outer.context) {
            _ = await harness.send(
                .get(url),
                answering: .perform { _ in
                    inside.withLock { $0 = InstrumentationContext.current?.inMemorySpanContext }
                    return Response(.ok)
                }
            )
        }
        let child = try span()
        #expect(child.parentSpanID == outer.spanID)
        #expect(child.traceID == outer.traceID)
        #expect(inside.withLock { $0 }?.spanID == child.spanID)
        _ = await harness.send(.get(url).tracing(childOf: outer.context))
        #expect(try span().parentSpanID == outer.spanID)
        _ = await harness.send(.get(url))
        #expect(try span().parentSpanID == nil)
    }

    @Test("The span is not made where the call says so, and nothing is injected")
    func off() async {
        let outcome = await harness.send(.get(url).tracing(false))
        #expect(tracer.finishedSpans.isEmpty)
        #expect(tracer.performedContextInjections.isEmpty)
        #expect(outcome.requests.first?.headers.isEmpty == true)
    }

    @Test("The request is marked as traced by the stage, even if the call's tracing is disabled")
    func told() async {
        let traced = await harness.send(.get(url))
        #expect(traced.requests.map { $0.options[TracedByStageNote.self] } == [true])
        let off = await harness.send(.get(url).tracing(false))
        #expect(off.requests.map { $0.options[TracedByStageNote.self] } == [true])
        let without = await StageHarness(TracingMiddleware()).send(.get(url))
        #expect(without.requests.map { $0.options[TracedByStageNote.self] } == [false], "there is no tracer to do it")
    }

    @Test("The span is that of the tracer of the task if the stage has none; without any the request passes untouched")
    func taskTracer() async throws {
        let harness = StageHarness(TracingMiddleware())
        await withTracer(tracer) { _ = await harness.send(.get(url)) }
        #expect(try span().operationName == "GET")
        let outcome = await harness.send(.get(url))
        #expect(tracer.finishedSpans.isEmpty)
        #expect(outcome.requests.first?.headers.isEmpty == true)
    }

    @Test("A span that isn't recorded gets no attributes, but is ended, and the server receives its context")
    func sampledOut() async throws {
        let tracer = SampledOutTracer()
        let outcome = await StageHarness(TracingMiddleware(tracer: tracer))
            .send(.get(url), answering: .status(.internalServerError, body: .chunks(["one"])))
        #expect(tracer.writes.withLock { $0 } == 0)
        #expect(tracer.ends.withLock { $0 } == 1)
        #expect(outcome.requests.first?.headers[try #require(HTTPField.Name("traceparent"))]?.hasSuffix("-00") == true)
        #expect(try await outcome.response().body.text() == "one")
    }

    @Test("The span has the header fields that were asked for, secrets redacted")
    func fields() async throws {
        let stage = TracingMiddleware(
            tracer: tracer,
            requestFields: [.accept, .authorization, .userAgent],
            responseFields: [.contentType, .setCookie]
        )
        _ = await StageHarness(stage)
            .send(
                .get(url, headers: [.accept: "text/plain", .authorization: "Bearer geheim"]),
                answering: .status(.ok, headers: [.contentType: "text/plain", .setCookie: "a=geheim"])
            )
        let texts = try span().texts
        #expect(texts["http.request.header.accept"] == "text/plain")
        #expect(texts["http.request.header.authorization"] == "REDACTED")
        #expect(texts["http.request.header.user-agent"] == nil)
        #expect(texts["http.response.header.content-type"] == "text/plain")
        #expect(texts["http.response.header.set-cookie"] == "REDACTED")
    }

    @Test(
        "The span has the version of the protocol if the transport tells it, and the caller's own report comes too",
        arguments: [("http/1.1", "1.1"), ("h2", "2"), ("h3", "3"), ("spdy/3", nil as String?)]
    )
    func protocolVersion(name: String, version: String?) async throws {
        let transport = ClosureTransport(capabilities: [.streamsUploads, .reportsConnections]) { request in
            var metrics = ConnectionMetrics()
            metrics.protocolName = name
            request.options[ConnectionReportNote.self]?(metrics)
            return Response(.ok)
        }
        let chain = try Chain(transport: transport) { TracingMiddleware(tracer: tracer) }
        var request = Request.get(url)
        let reports = Counter()
        request.options[ConnectionReportNote.self] = { _ in reports.add() }
        _ = try await chain.send(request)
        #expect(try span().texts["network.protocol.version"] == version)
        #expect(reports.value == 1)
    }
}
#endif
