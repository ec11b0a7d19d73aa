#if AllTests
import Foundation
import HTTPChainCore
import HTTPChainMetrics
import HTTPChainTesting
import HTTPTypes
import TestSupport
import Testing

@Suite("The metrics of attempts", .timeLimit(.minutes(10)))
struct StageTests {
    private let recorder = MetricsRecorder()
    private let clock = VirtualClock()

    private func harness(
        telling details: Set<MetricsDetails> = [],
        limits: MetricsLimits = MetricsLimits()
    ) -> StageHarness {
        StageHarness(MetricsMiddleware(factory: recorder, telling: details, limits: limits), clock: clock)
    }

    /// A clock that says what it is told to, reading by reading; the last one stays.
    private struct Readings: TimeSource {
        let readings: Locked<[Duration]>
        var date: Date { Date(timeIntervalSince1970: 0) }

        var elapsed: Duration {
            readings.withLock { readings in readings.count > 1 ? readings.removeFirst() : readings[0] }
        }

        func sleep(for duration: Duration) async throws {}
    }

    static let readings: [(readings: [Duration], seconds: Double)] = [
        ([.seconds(5), .milliseconds(5250)], 0.25), ([.seconds(Int64.max)], 0),
        ([.seconds(-7), .seconds(-4)], 3), ([.zero, .seconds(Int64.max)], Double(Int64.max) / 1e9),
        ([.seconds(Int64.min), .seconds(Int64.max)], Double(Int64.max) / 1e9),
    ]

    @Test(
        "A duration is the time between two readings of a clock, or the longest there is",
        arguments: 0..<readings.count
    )
    func clocks(index: Int) async throws {
        let (readings, seconds) = Self.readings[index]
        let chain = try Chain(
            transport: ClosureTransport { _ in Response(.ok) },
            environment: ChainEnvironment(time: Readings(readings: Locked(readings)))
        ) { MetricsMiddleware(factory: recorder) }
        _ = try await chain.send(.get(url))
        #expect(recorder.values(of: "http.client.request.duration") == [seconds])
    }

    @Test("The metrics tell duration in seconds, sizes, the time to the head, and by which attributes")
    func attempt() async throws {
        let answer: StageHarness.Answer = .perform { [clock] _ in
            clock.advance(by: .milliseconds(250))
            return Response(.ok, body: .chunks(["one ", "two"]))
        }
        let response = try await harness().send(.post(url, body: "what is asked"), answering: answer).response()
        #expect(recorder.values(of: "http.client.active_requests") == [1])
        #expect(recorder.samples(of: "http.client.request.duration").isEmpty)
        clock.advance(by: .milliseconds(1250))
        #expect(try await response.body.text() == "one two")
        #expect(recorder.values(of: "http.client.active_requests") == [0])
        #expect(recorder.values(of: "http.client.request.duration") == [1.5])
        #expect(recorder.values(of: "httpchain.client.time_to_first_byte") == [0.25])
        #expect(recorder.values(of: "http.client.request.body.size") == [13])
        #expect(recorder.values(of: "http.client.response.body.size") == [7])
        let duration = try #require(recorder.samples(of: "http.client.request.duration").first)
        #expect(
            duration.attributes == [
                "http.request.method": "POST", "server.address": "api.example.com", "server.port": "443",
                "http.response.status_code": "200", "error.type": "",
            ]
        )
        let active = try #require(recorder.samples(of: "http.client.active_requests").first)
        #expect(Set(active.attributes.keys) == ["http.request.method", "server.address", "server.port"])
    }

    @Test("Statuses from 400 on are errors", arguments: [(200, nil), (304, nil), (404, "404"), (503, "503")])
    func statuses(code: Int, error: String?) async throws {
        _ = await harness().send(.get(url), answering: .status(HTTPResponse.Status(code: code)))
        let sample = try #require(recorder.samples(of: "http.client.request.duration").first)
        #expect(sample["http.response.status_code"] == String(code))
        #expect(sample["error.type"] == error)
    }

    struct Other: Error {}

    static let errors: [(error: any Error, type: String?)] = [
        (TransportError(.connectionLost, sent: .maybe, stage: "test"), "connectionLost"),
        (TransportError(.timedOut, sent: .maybe, stage: "test"), "timeout"), (Other(), "Other"),
        (CancellationError(), nil),
    ]

    @Test("Thrown errors have few distinct types, and nothing stays in flight", arguments: 0..<errors.count)
    func thrown(index: Int) async throws {
        let (error, type) = Self.errors[index]
        _ = await harness().send(.get(url), answering: .failure(error))
        let sample = try #require(recorder.samples(of: "http.client.request.duration").first)
        #expect(sample["error.type"] == type)
        #expect(sample["http.response.status_code"] == nil)
        #expect(recorder.values(of: "http.client.active_requests") == [0])
        #expect(recorder.values(of: "http.client.response.body.size").isEmpty)
        #expect(recorder.values(of: "httpchain.client.time_to_first_byte").isEmpty)
    }

    @Test("A body that breaks is an error beside its status; one that is dropped is none, and counts what was read")
    func bodies() async throws {
        let lost = TransportError(.truncatedBody, sent: .answered, stage: "test")
        let broken = try await harness().send(.get(url), answering: .ok(.chunks(["one"], failing: lost))).response()
        await #expect(throws: TransportError.self) { try await broken.body.text() }
        var samples = recorder.samples(of: "http.client.response.body.size")
        #expect(samples.map { $0["error.type"] } == ["truncatedBody"])
        #expect(samples.map(\.values) == [[3]])
        do {
            let dropped = try await harness().send(.get(url), answering: .ok(.chunks(["one", "two"]))).response()
            var reader: (any BodyReader)? = try await dropped.body.makeReader()
            #expect(try await reader?.read() == Data("one".utf8))
            reader = nil
        }
        try await until("both have ended") { recorder.values(of: "http.client.request.duration").count == 2 }
        samples = recorder.samples(of: "http.client.response.body.size")
        #expect(samples.map { $0["error.type"] } == ["truncatedBody", nil])
        #expect(samples.map(\.values) == [[3], [3]])
    }

    @Test("A request's body of unknown length is counted as it is read, one that is sent again once for each")
    func requestBody() async throws {
        let harness = harness()
        for _ in 1...2 {
            _ = await harness.send(
                Request(.put, url, body: .chunks(["one ", "two"], replayable: true)),
                answering: .perform { request in
                    for _ in 1...2 {
                        let text = try await request.body.text()
                        #expect(text == "one two")
                    }
                    return Response(.ok)
                }
            )
        }
        #expect(recorder.values(of: "http.client.request.body.size") == [7, 7])
    }

    @Test("A method that is not known is _OTHER, whichever it is")
    func methods() async throws {
        let harness = harness()
        for name in ["PURGE", "BAN", "get"] {
            _ = await harness.send(Request(try #require(HTTPRequest.Method(name)), url))
        }
        let samples = recorder.samples(of: "http.client.request.duration")
        #expect(samples.map { $0["http.request.method"] } == ["_OTHER"])
        #expect(samples.first?.values.count == 3)
    }

    @Test("Servers beyond the limit are _OTHER; those before it stay what they are")
    func servers() async {
        let harness = harness(limits: MetricsLimits(servers: 3))
        for round in 1...2 {
            for index in 1...10 { _ = await harness.send(.get("https://s\(index).example.com/\(round)")) }
        }
        let samples = recorder.samples(of: "http.client.request.duration")
        #expect(
            samples.map { $0["server.address"] } == ["s1.example.com", "s2.example.com", "s3.example.com", "_OTHER"]
        )
        #expect(samples.map(\.values.count) == [2, 2, 2, 14])
        #expect(samples.map { $0["server.port"] } == ["443", "443", "443", nil])
    }

    @Test("One server has one series, however it is spelled")
    func spelling() async {
        let harness = harness()
        for url in ["https://API.example.com/", "https://api.example.com:443/a", "https://api.example.com/b?c"] {
            _ = await harness.send(.get(url))
        }
        #expect(recorder.samples(of: "http.client.request.duration").map(\.values.count) == [3])
        _ = await harness.send(.get("https://[2001:db8::1]:8443/"))
        #expect(recorder.samples(of: "http.client.request.duration").last?["server.address"] == "2001:db8::1")
        #expect(recorder.samples(of: "http.client.request.duration").last?["server.port"] == "8443")
    }

    @Test("Spellings without number make neither instruments nor memory without bound")
    func spellingsWithoutNumber() async {
        let harness = harness()
        for index in 0..<5000 { _ = await harness.send(.get("https://user\(index)@api.example.com/")) }
        #expect(recorder.samples(of: "http.client.request.duration").map(\.values.count) == [5000])
        #expect(recorder.instrumentCount < 10)
    }

    @Test("Outcomes beyond the limit are one")
    func outcomes() async {
        let harness = harness(limits: MetricsLimits(outcomes: 2))
        for code in 200...209 { _ = await harness.send(.get(url), answering: .status(HTTPResponse.Status(code: code))) }
        let samples = recorder.samples(of: "http.client.request.duration")
        #expect(samples.map { $0["http.response.status_code"] } == ["200", "201", nil])
        #expect(samples.map { $0["error.type"] } == [nil, nil, "_OTHER"])
        #expect(samples.map(\.values.count) == [1, 1, 8])
    }

    @Test("The template is recorded on request, and templates beyond the limit are _OTHER")
    func templates() async {
        _ = await harness().send(.get(url).urlTemplate("/plants"))
        #expect(recorder.samples.allSatisfy { $0.attributes["url.template"] == nil })
        let told = MetricsRecorder()
        let stage = MetricsMiddleware(factory: told, telling: [.urlTemplate], limits: MetricsLimits(templates: 2))
        for index in 1...4 { _ = await StageHarness(stage).send(.get(url).urlTemplate("/\(index)/{id}")) }
        _ = await StageHarness(stage).send(.get(url))
        let samples = told.samples(of: "http.client.request.duration")
        #expect(samples.map { $0["url.template"] } == ["/1/{id}", "/2/{id}", "_OTHER", nil])
        #expect(told.samples(of: "http.client.active_requests").map { $0["url.template"] }.count == 4)
    }

    @Test("The protocol's version is recorded on request, and the caller's own report still arrives")
    func version() async throws {
        let transport = ClosureTransport(capabilities: [.streamsUploads, .reportsConnections]) { request in
            var metrics = ConnectionMetrics()
            metrics.protocolName = "h2"
            request.options[ConnectionReportNote.self]?(metrics)
            return Response(.ok)
        }
        let chain = try Chain(transport: transport) {
            MetricsMiddleware(factory: recorder, telling: [.protocolVersion])
        }
        var request = Request.get(url)
        let reports = TestSupport.Counter()
        request.options[ConnectionReportNote.self] = { _ in reports.add() }
        _ = try await chain.send(request)
        #expect(recorder.samples(of: "http.client.request.duration").map { $0["network.protocol.version"] } == ["2"])
        #expect(reports.value == 1)
    }

    @Test("Instruments are made once, and the series of one metric have the same attributes")
    func instruments() async {
        let harness = harness(telling: [.urlTemplate, .protocolVersion])
        func round() async {
            for code in [200, 404, 500] {
                _ = await harness.send(.get(url), answering: .status(HTTPResponse.Status(code: code)))
            }
            _ = await harness.send(.get("https://other.example.com/"), answering: .failure(Other()))
        }
        await round()
        let count = recorder.instrumentCount
        for _ in 1...10 { await round() }
        #expect(recorder.instrumentCount == count)
        #expect(recorder.attributeNames.values.allSatisfy { $0.count == 1 })
    }

    @Test("Without a factory of one's own the program's is asked, which is none here")
    func bootstrapped() async {
        let outcome = await StageHarness(MetricsMiddleware()).send(.get(url))
        #expect(outcome.error == nil)
    }
}
#endif
