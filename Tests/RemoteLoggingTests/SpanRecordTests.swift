#if AllTests
import Foundation
import HTTPChainCore
import HTTPChainInMemory
import HTTPChainLogShipper
import HTTPChainRemoteLogging
import HTTPChainTesting
import HTTPTypes
import Logging
import TestSupport
import Testing

@Suite("Spans as OTLP", .seeded)
struct SpanRecordTests {
    private static let trace = "4bf92f3577b34da6a3ce929d0e0e4736"

    static func span(_ change: (inout SpanRecord) -> Void = { _ in }) -> SpanRecord {
        var span = SpanRecord(
            "GET /plants/{id}",
            kind: .client,
            traceID: trace,
            spanID: "00f067aa0ba902b7",
            scope: "HTTPChainTracing",
            start: 1_500_000_000,
            end: 2_000_000_001
        )
        change(&span)
        return span
    }

    private func batch(_ spans: [SpanRecord]) -> LogBatch {
        LogBatch(resource: LogResource(serviceName: "garden"), records: spans.map { LogRecord($0) })
    }

    @Test("A span is an entry of an ExportTraceServiceRequest, under its scope")
    func json() throws {
        let span = Self.span {
            $0.parentSpanID = "1111111111111111"
            $0.hasRemoteParent = true
            $0.traceState = "a=1"
            $0.attributes = ["http.request.method": "GET"]
            $0.events = [.init("retry", at: 7, attributes: ["n": 2])]
            $0.links = [.init(traceID: Self.trace, spanID: "2222222222222222")]
            $0.status = .error("gone")
            $0.dropped.events = 3
        }
        let text = try String(decoding: BuiltInWireFormat.otlpTraces().encode(batch([span])), as: UTF8.self)
        let expected: [String] = [
            #""scopeSpans":[{"scope":{"name":"HTTPChainTracing","version":"0.1.0"},"spans":[{"#,
            #""traceId":"4bf92f3577b34da6a3ce929d0e0e4736","spanId":"00f067aa0ba902b7","traceState":"a=1","#,
            #""parentSpanId":"1111111111111111","flags":769,"name":"GET /plants/{id}","kind":3,"#,
            #""startTimeUnixNano":"1500000000","endTimeUnixNano":"2000000001","#,
            #""attributes":[{"key":"http.request.method","value":{"stringValue":"GET"}}],"#,
            #""events":[{"timeUnixNano":"7","name":"retry","#,
            #""attributes":[{"key":"n","value":{"intValue":"2"}}]}],"#,
            #""droppedEventsCount":3,"links":[{"traceId":"4bf92f3577b34da6a3ce929d0e0e4736","#,
            #""spanId":"2222222222222222"}],"status":{"message":"gone","code":2}}],"#,
            #""schemaUrl":"https://opentelemetry.io/schemas/1.44.0"}]"#,
        ]
        #expect(text.contains(expected.joined()), "\(text)")
    }

    @Test("A span comes out of a log record as it went in", arguments: [1, 2, 3] as [UInt64])
    func roundTrip(seed: UInt64) throws {
        for span in RandomSpans(seed: seed).spans(200) {
            let record = LogRecord(span)
            // In words, because a number that is none is not the same as itself.
            #expect(SpanRecord(record).map { "\($0)" } == "\(span)")
            #expect(record.level == (span.isError ? .error : .info))
        }
    }

    @Test("A record that has no span, or one that is not complete, is none")
    func none() {
        #expect(SpanRecord(logRecord()) == nil)
        var record = LogRecord(Self.span())
        record.attributes["trace_id"] = nil
        #expect(SpanRecord(record) == nil)
        record = LogRecord(Self.span())
        record.attributes[SpanRecord.attribute] = ["kind": 9, "start": 1, "end": 2]
        #expect(SpanRecord(record) == nil)
        record.attributes[SpanRecord.attribute] = "x"
        #expect(SpanRecord(record) == nil)
    }

    @Test("What was dropped is told as a span of its own trace, the same each time it is sent")
    func drops() throws {
        func report(_ count: Int) -> LogRecord {
            var drops = LogShipper.Drops()
            drops[.full][.info] = count
            drops[.refused][.error] = 1
            return DropReport.record(of: drops, date: Date(timeIntervalSince1970: 5))
        }
        let span = try #require(DropReport.span(report(3)))
        #expect(span.name == "dropped spans" && span.scope == "HTTPChain.LogShipper" && span.parentSpanID == nil)
        #expect(span.start == 5_000_000_000 && span.end == span.start)
        #expect(
            span.attributes == [
                "span.dropped.count": 4, "span.dropped.level.info": 3, "span.dropped.level.error": 1,
                "span.dropped.reason.full": 3, "span.dropped.reason.refused": 1,
            ]
        )
        #expect(span.traceID.count == 32 && span.spanID.count == 16)
        #expect(DropReport.span(report(3)) == span && DropReport.span(report(4))?.traceID != span.traceID)
        for encoding in OTLPEncoding.allCases {
            let format = BuiltInWireFormat.otlpTraces(encoding)
            let batch = LogBatch(resource: LogResource(serviceName: "garden"), records: [report(3)])
            #expect(try format.encode(batch) == format.encode(self.batch([span])))
        }
    }

    @Test("A shipper of spans tells its receiver once how many were dropped, and why")
    func reported() async throws {
        let receiver = InMemoryTransport()
        // What was refused, the report alone because somebody flushes, and what comes later.
        receiver.enqueue([.status(.badRequest), .status(.ok), .status(.ok)])
        let shipper = LogShipper(
            to: BuiltInWireFormat.otlpTraces().url(endpoint: "http://collector.example"),
            format: .otlpTraces(),
            resource: LogResource(serviceName: "garden"),
            over: receiver
        )
        for round in 1...2 {
            for number in 1...2 { shipper.log(LogRecord(Self.span { $0.end += UInt64(2 * round + number) })) }
            try await shipper.flush(deadline: .seconds(600))
        }
        try await shipper.shutdown(deadline: .zero)
        let contents = receiver.requests.map(\.text)
        #expect(contents.map { $0.contains(#""name":"dropped spans""#) } == [false, true, false])
        #expect(contents[1].contains(#"{"key":"span.dropped.count","value":{"intValue":"2"}}"#))
        #expect(contents[1].contains(#"{"key":"span.dropped.reason.refused","value":{"intValue":"2"}}"#))
        #expect(contents[2].components(separatedBy: #""name":"GET /plants/{id}""#).count == 3)
    }

    @Test("Other records that are no spans are left out", arguments: OTLPEncoding.allCases)
    func others(encoding: OTLPEncoding) throws {
        let format = BuiltInWireFormat.otlpTraces(encoding)
        var mixed = batch([Self.span()])
        mixed.records.append(logRecord())
        #expect(try format.encode(mixed) == format.encode(batch([Self.span()])))
    }

    @Test("An answer says how many spans were refused", arguments: OTLPEncoding.allCases)
    func receipts(encoding: OTLPEncoding) {
        let bytes =
            switch encoding {
            case .json: Data(#"{"partialSuccess":{"rejectedSpans":"2","errorMessage":"old"}}"#.utf8)
            case .protobuf: Data([0x0A, 7, 0x08, 2, 0x12, 3] + "old".utf8)
            }
        let head = HTTPResponse(status: .ok, headerFields: [.contentType: encoding.contentType])
        let receipt = BuiltInWireFormat.otlpTraces().receipt(for: head, body: bytes)
        #expect(receipt == .accepted(rejected: 2, message: "old"))
    }

    @Test("The path stands once after the receiver's URL")
    func url() {
        #expect(BuiltInWireFormat.otlpTraces().url(endpoint: "http://a:4318/") == "http://a:4318/v1/traces")
        #expect(BuiltInWireFormat.otlpTraces(.protobuf).contentType == "application/x-protobuf")
    }

    @Test(
        "OpenTelemetry's own parser reads both encodings, and finds the same in both",
        .heavy,
        .timeLimit(.minutes(10)),
        arguments: [4, 5] as [UInt64]
    )
    func foreign(seed: UInt64) async throws {
        let spans = RandomSpans(seed: seed).spans(400)
        let files = try OTLPEncoding.allCases.map { try BuiltInWireFormat.otlpTraces($0).encode(batch(spans)) }
        guard let problems = try await ForeignReader.spanProblems(json: files[0], protobuf: files[1], meaning: spans)
        else { return notRunWithoutOpenTelemetry() }
        #expect(problems == "")
        var others = spans
        others[7].events.append(.init("more", at: 1))
        #expect(try await ForeignReader.spanProblems(json: files[0], protobuf: files[1], meaning: others) != "")
    }
}

extension SpanRecord {
    fileprivate var isError: Bool { if case .error = status { true } else { false } }
}

/// Spans of every kind, the same for the same seed.
private struct RandomSpans {
    private let logs: RandomLogs
    private let random: SeededRandom

    init(seed: UInt64) {
        logs = RandomLogs(seed: seed)
        random = Seed.numbers(seed + 1000)
    }

    func spans(_ count: Int) -> [SpanRecord] { (0..<count).map { _ in span() } }

    private func span() -> SpanRecord {
        let start = random.next() >> 1
        var span = SpanRecord(
            logs.text(),
            kind: SpanRecord.Kind.allCases[number(5)],
            traceID: hex(2),
            spanID: hex(1),
            parentSpanID: number(3) == 0 ? nil : hex(1),
            scope: ["shop", "HTTPChainTracing", "shop.cart"][number(3)],
            start: start,
            end: start + UInt64(number(1_000_000))
        )
        span.hasRemoteParent = span.parentSpanID != nil && number(2) == 0
        span.flags = UInt8(number(4))
        span.traceState = ["", "a=1,b=2"][number(2)]
        span.attributes = attributes()
        span.events = (0..<number(3)).map { _ in .init(logs.text(), at: random.next() >> 1, attributes: attributes()) }
        span.links = (0..<number(3)).map { _ in .init(traceID: hex(2), spanID: hex(1), attributes: attributes()) }
        span.status = [.unset, .ok, .error(""), .error(logs.text())][number(4)]
        span.dropped.attributes = number(2)
        span.dropped.events = number(2)
        span.dropped.links = number(300)
        return span
    }

    private func attributes() -> LogAttributes {
        var attributes = LogAttributes()
        for index in 0..<number(4) { attributes.append("a\(index)", logs.value(depth: 2)) }
        return attributes
    }

    private func hex(_ words: Int) -> String {
        (0..<words).map { _ in
            let digits = String(random.next() | 1, radix: 16)
            return String(repeating: "0", count: 16 - digits.count) + digits
        }.joined()
    }

    private func number(_ bound: Int) -> Int { Int(random.next() % UInt64(bound)) }
}
#endif
