#if AllTests && Tracing
import HTTPChainCore
import HTTPChainInMemory
import HTTPChainRetry
import HTTPChainTesting
import HTTPChainTracing
import HTTPTypes
import InMemoryTracing
import Instrumentation
import TestSupport
import Testing

extension HTTPFields {
    fileprivate func value(_ name: String) -> String? { HTTPField.Name(name).flatMap { self[$0] } }
}

@Suite("What servers are told of a trace", .timeLimit(.minutes(10)))
struct PropagationTests {
    private let parent = "00-12345678901234567890123456789012-1234567890123456-01"

    private func context(_ fields: HTTPFields, startsTraces: Bool = false) -> InstrumentationContext {
        var context = InstrumentationContext.topLevel
        W3CPropagator(startsTraces: startsTraces).extract(fields, into: &context, using: FieldExtractor())
        return context
    }

    private func fields(_ pairs: KeyValuePairs<String, String>) throws -> HTTPFields {
        var fields = HTTPFields()
        for (name, value) in pairs { fields.append(HTTPField(name: try #require(HTTPField.Name(name)), value: value)) }
        return fields
    }

    /// The header of a request that is sent in a context.
    private func sent(
        in context: InstrumentationContext?,
        by stage: TracingMiddleware = TracingMiddleware(),
        to url: String = url
    ) async throws -> HTTPFields {
        try await InstrumentationContext.withValue(context) {
            let outcome = await StageHarness(stage).send(.get(url))
            return try #require(outcome.requests.first).headers
        }
    }

    @Test("The tracer writes its own fields, in the place of what the request has")
    func tracer() async throws {
        let tracer = InMemoryTracer()
        let harness = StageHarness(TracingMiddleware(tracer: tracer))
        let request = Request.get(url, headers: try fields(["in-memory-trace-id": "forged"]))
        let header = try #require(await harness.send(request).requests.first).headers
        #expect(header.value("in-memory-trace-id") == tracer.finishedSpans.first?.traceID)
        #expect(header.value("in-memory-span-id") == tracer.finishedSpans.first?.spanID)
    }

    @Test("Each attempt names its own span")
    func attempts() async throws {
        let tracer = InMemoryTracer()
        let transport = InMemoryTransport()
        transport.enqueue([.status(.serviceUnavailable), .status(.ok)])
        let chain = try Chain(transport: transport) {
            RetryMiddleware()
            TracingMiddleware(tracer: tracer)
        }
        _ = try await chain.send(.get(url).on(.automatic()))
        #expect(
            transport.requests.map { $0.head.headerFields.value("in-memory-span-id") }
                == tracer.finishedSpans.map { Optional($0.spanID) }
        )
    }

    static let places: [(propagation: TracePropagation, url: String, isTold: Bool)] = [
        (.everywhere, "http://anyone.example/", true), (.nowhere, url, false),
        (.origins(["https://api.example.com"]), url, true),
        (.origins(["https://API.example.com:443/v2"]), url, true),
        (.origins(["https://api.example.com"]), "http://api.example.com/", false),
        (.origins(["https://api.example.com"]), "https://api.example.com:8443/", false),
        (.origins(["https://api.example.com"]), "https://api.example.com.evil.example/", false),
        (.origins(["https://*.example.com"]), url, true),
        (.origins(["https://*.example.com"]), "https://a.b.example.com/", true),
        (.origins(["https://*.example.com"]), "https://example.com/", false),
        (.origins(["https://*.example.com"]), "https://evilexample.com/", false),
        (.origins(["https://other.example", "https://api.example.com"]), url, true),
        (.origins(["api.example.com", ""]), url, false), (.origins([]), url, false),
        (.custom { $0.host.hasSuffix(".com") }, url, true),
    ]

    @Test("Only allowed servers receive the trace context", arguments: 0..<places.count)
    func allowed(index: Int) async throws {
        let (propagation, url, isTold) = Self.places[index]
        let stage = TracingMiddleware(tracer: InMemoryTracer(), propagatingTo: propagation)
        #expect(try await sent(in: nil, by: stage, to: url).isEmpty != isTold)
        let w3c = TracingMiddleware(propagatingTo: propagation)
        #expect(try await sent(in: context(fields(["traceparent": parent])), by: w3c, to: url).isEmpty != isTold)
    }

    @Test("An invalid origin is reported when the chain is built")
    func invalidOrigin() throws {
        let error = #expect(throws: ChainOrderError.self) {
            try Chain(transport: InMemoryTransport()) {
                TracingMiddleware(propagatingTo: .origins(["https://api.example.com", "api.example.com"]))
            }
        }
        #expect(error?.problems.count == 1)
        #expect(error?.reason.contains("\"api.example.com\", which is not an origin") == true)
    }

    @Test("Without an instrument the caller's trace goes on, with a new parent for each attempt")
    func passedOn() async throws {
        let context = context(
            try fields([
                "TraceParent": parent, "tracestate": "foo=1,bar=2", "tracestate": "baz=3", "baggage": "user=ada",
            ])
        )
        var parents: Set<String> = []
        let random = SeededRandom(seed: 7)
        let transport = InMemoryTransport { _ in Response(.serviceUnavailable) }
        let chain = try Chain(
            transport: transport,
            environment: ChainEnvironment(time: VirtualClock.automatic(), random: random)
        ) {
            RetryMiddleware(RetryPolicy(maximumAttempts: 3))
            TracingMiddleware()
        }
        try await InstrumentationContext.withValue(context) { _ = try await chain.send(.get(url)) }
        for request in transport.requests {
            let header = request.head.headerFields
            let trace = try #require(header.value("traceparent").flatMap { TraceContext(traceparent: $0) })
            #expect(trace.traceID == "12345678901234567890123456789012")
            #expect(trace.isSampled)
            parents.insert(trace.spanID)
            #expect(header.value("tracestate") == "foo=1,bar=2,baz=3")
            #expect(header.value("baggage") == "user=ada")
        }
        #expect(parents.count == 3 && !parents.contains("1234567890123456"))
    }

    @Test("What cannot be read is not passed on, and neither is a tracestate without its traceparent")
    func malformed() async throws {
        #expect(try await sent(in: context(fields(["tracestate": "foo=1"]))).isEmpty)
        #expect(try await sent(in: context(fields(["traceparent": "00-0-0-01", "tracestate": "foo=1"]))).isEmpty)
        #expect(try await sent(in: context(fields(["traceparent": parent, "traceparent": parent]))).isEmpty)
        #expect(try await sent(in: context(fields(["trace-parent": parent, "trace.parent": parent]))).isEmpty)
        let header = try await sent(in: context(fields(["traceparent": parent, "tracestate": "FOO=1"])))
        #expect(header.value("traceparent") != nil && header.value("tracestate") == nil)
        #expect(try await sent(in: .topLevel).isEmpty)
        #expect(try await sent(in: nil).isEmpty)
    }

    @Test("A trace begins with a call where that is wished for: random, not sampled, another for each")
    func starts() async throws {
        let stage = TracingMiddleware(with: W3CPropagator(startsTraces: true))
        let chain = try Chain(
            transport: InMemoryTransport { request in
                Response(.ok, body: HTTPBody(request.headers.value("traceparent") ?? ""))
            }
        ) { stage }
        var traces: Set<String> = []
        for _ in 1...3 {
            let text = try await chain.send(.get(url)).body.text()
            let trace = try #require(TraceContext(traceparent: text))
            #expect(!trace.isSampled && trace.flags == TraceContext.randomFlag)
            traces.insert(trace.traceID)
        }
        #expect(traces.count == 3)
    }

    @Test("Baggage goes on without a trace")
    func baggageAlone() async throws {
        let header = try await sent(in: context(fields(["baggage": "user=ada", "baggage": "b=2"])))
        #expect(header.value("baggage") == "user=ada,b=2")
        #expect(header.value("traceparent") == nil)
    }
}
#endif
