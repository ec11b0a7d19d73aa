#if AllTests
import Foundation
import HTTPChainCore
import HTTPChainInMemory
import HTTPChainRemoteLogging
import HTTPChainTesting
import HTTPTypes
import Logging
import TestSupport
import Testing

@Suite("The stage that logs exchanges", .timeLimit(.minutes(10)))
struct ExchangeStageTests {
    struct Setting: Sendable, CustomTestStringConvertible {
        let name: String
        let make: @Sendable () -> any Middleware
        var request: @Sendable () -> Request = { StageConformance.defaultRequest }
        var testDescription: String { name }
    }

    private static let settings: [Setting] = [
        Setting(name: "calls", make: { RemoteLoggingMiddleware(ExchangeCapture()) }),
        Setting(name: "attempts", make: { RemoteLoggingMiddleware(ExchangeCapture(), each: .attempt) }),
        Setting(name: "headers", make: { RemoteLoggingMiddleware(ExchangeCapture(), detail: .headers) }),
        Setting(name: "bodies", make: { RemoteLoggingMiddleware(ExchangeCapture(), detail: .bodies) }),
        Setting(
            name: "few bytes of bodies",
            make: { RemoteLoggingMiddleware(ExchangeCapture(), detail: .bodies, bodyLimit: 3) }
        ),
        Setting(name: "curl", make: { RemoteLoggingMiddleware(ExchangeCapture(), detail: .bodies, formatter: .curl) }),
        Setting(name: "nothing taken", make: { RemoteLoggingMiddleware(ExchangeCapture(LogLevels(nil))) }),
        Setting(name: "filtered", make: { RemoteLoggingMiddleware(ExchangeCapture(), filter: .sampled(oneIn: 2)) }),
        Setting(
            name: "off for the call",
            make: { RemoteLoggingMiddleware(ExchangeCapture()) },
            request: { StageConformance.defaultRequest.logging(false) }
        ),
        Setting(
            name: "a stream",
            make: { RemoteLoggingMiddleware(ExchangeCapture(), detail: .bodies) },
            request: {
                .post("https://conformance.example/items", body: .chunks(["what", "is asked"], replayable: true))
            }
        ),
        Setting(
            name: "a logger",
            make: { LogRequestsMiddleware(logger: Logger(label: "x") { _ in SwiftLogNoOpLogHandler() }) }
        ),
    ]

    @Test("The stage keeps the rules of every stage", arguments: StageConformance.Check.allCases, settings)
    func conforms(check: StageConformance.Check, setting: Setting) async throws {
        try await StageConformance(request: setting.request, stage: setting.make).verify(check)
    }

    @Test("The stage is outside for calls and next to the transport for attempts")
    func phases() {
        #expect(RemoteLoggingMiddleware(ExchangeCapture()).phase == .call)
        #expect(RemoteLoggingMiddleware(ExchangeCapture(), each: .attempt).phase == .wire)
        #expect(LogRequestsMiddleware(logger: Logger(label: "x")).phase == .call)
        #expect(LogRequestsMiddleware(logger: Logger(label: "x"), each: .attempt).phase == .wire)
    }

    @Test("The summary of the stage says what is logged")
    func summary() {
        let summary = RemoteLoggingMiddleware(
            ExchangeCapture(),
            levels: ExchangeLevels(cancelled: nil),
            detailByLevel: [.error: .bodies, .warning: .headers]
        ).summary
        #expect(summary.name == "RemoteLoggingMiddleware")
        #expect(
            summary.settings.map { "\($0.name): \($0.value)" } == [
                "logs: each call", "component: http.client",
                "levels: success info, clientError warning, serverError error, failure error, cancelled off",
                "detail: summary, headers at warning, bodies at error", "bodies: up to 32 KiB",
            ]
        )
    }

    private static let outcomes: [(ExchangeOutcome, StageHarness.Answer)] = [
        (.success, .ok), (.success, .status(.notModified)), (.clientError, .status(.notFound)),
        (.serverError, .status(.badGateway)), (.serverError, .status(.init(code: 600))),
        (.failure, .failure(ExchangeProvoked())), (.cancelled, .failure(CancellationError())),
    ]

    @Test("Each outcome has the level that it was given", arguments: [ExchangeUnit.call, .attempt])
    func levels(unit: ExchangeUnit) async throws {
        let own = ExchangeLevels(
            success: .trace,
            clientError: .debug,
            serverError: .notice,
            failure: .critical,
            cancelled: nil
        )
        for (outcome, answer) in Self.outcomes {
            for levels in [nil, own] as [ExchangeLevels?] {
                let sink = ExchangeCapture()
                let stage = RemoteLoggingMiddleware(sink, each: unit, levels: levels)
                _ = await StageHarness(stage).send(.get("https://a.example/"), answering: answer)
                let expected = (levels ?? (unit == .call ? .calls : .attempts))[outcome]
                #expect(sink.records.map(\.level) == [expected].compactMap { $0 }, "\(outcome)")
            }
        }
    }

    @Test("A sink that takes only what is severe gets only that")
    func threshold() async {
        let sink = ExchangeCapture(LogLevels(.warning))
        let harness = StageHarness(RemoteLoggingMiddleware(sink))
        for (_, answer) in Self.outcomes { _ = await harness.send(.get("https://a.example/"), answering: answer) }
        #expect(sink.records.map(\.level) == [.warning, .error, .error, .error])
    }

    @Test("Nothing is done for a call of which the sink takes nothing")
    func silent() async throws {
        let sink = ExchangeCapture(LogLevels(.info, ["http.client": nil]))
        let body = HTTPBody.chunks(["abc"])
        let outcome = await StageHarness(RemoteLoggingMiddleware(sink, detail: .bodies)).send(
            .post("https://a.example/", body: "x"),
            answering: .ok(body)
        )
        #expect(sink.records.isEmpty)
        #expect(outcome.requests.first?.options.names == ["EnvironmentNote"])
        #expect("\(try outcome.response().body)" == "\(body)")
    }

    @Test("The detail goes by the level")
    func detail() async throws {
        let sink = ExchangeCapture()
        let stage = RemoteLoggingMiddleware(sink, detailByLevel: [.warning: .headers, .error: .bodies])
        let harness = StageHarness(stage)
        let request = Request.post("https://a.example/", headers: [.contentType: "text/plain"], body: "asked")
        let headers: HTTPFields = [.contentType: "text/plain"]
        _ = await harness.send(request, answering: .status(.ok, headers: headers, body: "given"))
        _ = await harness.send(request, answering: .status(.notFound, headers: headers, body: "given"))
        _ = await harness.send(request, answering: .status(.badGateway, headers: headers, body: "given"))
        let names = sink.records.map { record in
            Set(record.attributes.map(\.name).filter { $0.hasPrefix("http.re") || $0.hasSuffix("body") })
        }
        let fields: Set = ["http.request.header.content-type", "http.response.header.content-type"]
        let bodies: Set = ["httpchain.request.body", "httpchain.response.body"]
        #expect(names[0].isDisjoint(with: fields.union(bodies)))
        #expect(names[1].isSuperset(of: fields) && names[1].isDisjoint(with: bodies))
        #expect(names[2].isSuperset(of: fields.union(bodies)))
    }

    @Test("A call can be logged in its own way")
    func perCall() async throws {
        let sink = ExchangeCapture(LogLevels(.info, ["payments": nil]))
        let harness = StageHarness(RemoteLoggingMiddleware(sink))
        let request = Request.get("https://a.example/", headers: [.accept: "text/plain"])
        _ = await harness.send(request.logging(false))
        _ = await harness.send(request.logging(component: "payments"))
        #expect(sink.records.isEmpty)
        let own = request.logging(detail: .bodies, attributes: ["order": 42, "password": "hunter2"])
            .logging(component: "orders", attributes: ["order": 43])
        _ = await harness.send(own, answering: .status(.ok, headers: [.contentType: "text/plain"], body: "given"))
        let record = try sink.record()
        #expect(record.component == "orders")
        #expect(record.attributes["order"] == 43)
        #expect(record.attributes["password"] == "<redacted>")
        #expect(record.attributes["http.request.header.accept"] == ["text/plain"])
        #expect(record.attributes["httpchain.response.body"] == "given")
    }

    @Test("Requests that carry log records are never logged")
    func logTraffic() async {
        let sink = ExchangeCapture()
        var request = Request.post("https://logs.example/", body: "records").logging(detail: .bodies)
        request.isLogTraffic = true
        _ = await StageHarness(RemoteLoggingMiddleware(sink)).send(request)
        _ = await StageHarness(RemoteLoggingMiddleware(sink, each: .attempt)).send(request)
        #expect(sink.records.isEmpty)
        request.isLogTraffic = false
        _ = await StageHarness(RemoteLoggingMiddleware(sink)).send(request)
        #expect(sink.records.count == 1)
    }

    @Test("A call and its attempts share a name that no other call has")
    func callID() async throws {
        let sink = ExchangeCapture()
        let transport = InMemoryTransport()
        let chain = try Chain(transport: transport) {
            RemoteLoggingMiddleware(sink)
            ClosureMiddleware("Twice", phase: .retry) { request, next in
                var again = request
                await (try next(request)).body.drain()
                again.attempt = 2
                return try await next(again)
            }
            RemoteLoggingMiddleware(sink, each: .attempt)
        }
        for _ in 0..<2 {
            transport.enqueue([.status(.serviceUnavailable), .text("fine")])
            var request = Request.get("https://a.example/")
            request.environment = .virtual(seed: UInt64(sink.records.count))
            _ = try await chain.send(request).body.collect()
        }
        let records = sink.records
        try #require(records.count == 6)
        let ids = records.map { $0.attributes["httpchain.call.id"]?.string ?? "" }
        #expect(Set(ids[0..<3]).count == 1 && Set(ids[3..<6]).count == 1 && ids[0] != ids[3])
        #expect(ids.allSatisfy { $0.count == 16 })
        #expect(
            records[0..<3].map { $0.attributes["httpchain.unit"]?.string } == ["attempt", "attempt", "call"]
        )
        #expect(records[0..<3].map { $0.attributes["httpchain.attempt"]?.integer } == [1, 2, nil])
        #expect(records[0..<3].map(\.level) == [.warning, .debug, .info])
    }

    @Test("A filter decides what is logged, and sampling takes a call whole or not at all")
    func filter() async throws {
        let sink = ExchangeCapture()
        let transport = InMemoryTransport { _ in Response(.ok) }
        let chain = try Chain(transport: transport) {
            RemoteLoggingMiddleware(sink, filter: .sampled(oneIn: 4))
            RemoteLoggingMiddleware(sink, each: .attempt, filter: .sampled(oneIn: 4))
        }
        let environment = ChainEnvironment.virtual(seed: 5)
        for _ in 0..<400 {
            var request = Request.get("https://a.example/")
            request.environment = environment
            _ = try await chain.send(request).body.collect()
        }
        let calls = sink.records.filter { $0.attributes["httpchain.unit"] == "call" }
        #expect((60...140).contains(calls.count), "\(calls.count)")
        #expect(sink.records.count == 2 * calls.count)
    }

    @Test("Calls at the same time are each told of once, and none gets the record of another")
    func concurrency() async throws {
        let sink = ExchangeCapture()
        let transport = InMemoryTransport { request in
            await Task.yield()
            return Response(.ok, headers: [.contentType: "text/plain"], body: HTTPBody(request.url))
        }
        let chain = try Chain(transport: transport) { RemoteLoggingMiddleware(sink, detail: .bodies) }
        try await withThrowingTaskGroup(of: Void.self) { group in
            for number in 0..<200 {
                group.addTask {
                    let request = Request.get("https://a.example/\(number)")
                    let response = try await chain.send(request)
                    if number.isMultiple(of: 2) { _ = try await response.body.collect() }
                }
            }
            try await group.waitForAll()
        }
        #expect(sink.records.count == 200)
        #expect(Set(sink.records.map { $0.attributes["url.full"] }).count == 200)
        for record in sink.records where record.attributes["httpchain.body_end"] == "complete" {
            #expect(record.attributes["httpchain.response.body"] == record.attributes["url.full"])
        }
    }

    @Test("A request's fields are those that were sent, where the transport tells")
    func sentFields() async throws {
        let sink = ExchangeCapture()
        let transport = InMemoryTransport { _ in Response(.ok) }
        let chain = try Chain(transport: transport) {
            RemoteLoggingMiddleware(sink, detail: .headers)
            ClosureMiddleware("Agent", phase: .build) { request, next in
                request.head.headerFields[.userAgent] = "Test/1"
                request.head.headerFields[.authorization] = "Bearer hunter2"
                return try await next(request)
            }
        }
        _ = try await chain.send(.get("https://a.example/")).body.collect()
        let record = try sink.record()
        #expect(record.attributes["http.request.header.user-agent"] == ["Test/1"])
        #expect(record.attributes["http.request.header.authorization"] == ["<redacted>"])
    }
}
#endif
