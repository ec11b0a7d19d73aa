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

@Suite("A log shipper whose receiver fails", .timeLimit(.minutes(10)))
struct ShipperFailureTests {
    /// Longer than any wait: ``drive(_:toEvents:)`` never lets it run out.
    private static let exportTimeout = Duration.seconds(1_000_000)

    private func settings(_ change: (inout LogShipper.Settings) -> Void = { _ in }) -> LogShipper.Settings {
        var settings = LogShipper.Settings()
        settings.exportTimeout = Self.exportTimeout
        change(&settings)
        return settings
    }

    /// Lets the clock go from wait to wait until the observer was told so much; a request that is under way is waited for.
    private func drive(_ fixture: ShipperFixture, toEvents count: Int) async throws {
        try await until {
            if fixture.events.count >= count { return true }
            if let next = fixture.clock.pendingDeadlines.first, next < Self.exportTimeout {
                fixture.clock.advance(to: next)
            }
            return false
        }
    }

    @Test(
        "A batch that may be taken later is sent again until it is",
        arguments: [
            ScriptedReply.status(429), .status(502), .status(503), .status(504), .failure(.beforeConnect()),
            .failure(.beforeConnect(.hostNotFound)), .failure(.beforeHead()), .failure(.beforeHead(.timedOut)),
        ]
    )
    func later(reply: ScriptedReply) async throws {
        let fixture = ShipperFixture.taking(settings())
        fixture.transport.enqueue(reply, times: 3)
        fixture.log("a", "b")
        try await drive(fixture, toEvents: 4)
        #expect(fixture.events.last == "acknowledged 2, rejected 0")
        #expect(fixture.requests.count == 4)
        // A request that finds no connection is not read.
        #expect(Set(fixture.requests).subtracting([[]]) == [["info garden a", "info garden b"]])
        let statistics = fixture.shipper.statistics
        #expect(statistics.retries == 3)
        #expect(statistics.sent == 8)
        #expect(statistics.acknowledged == 2)
        #expect(statistics.drops.isEmpty)
    }

    @Test(
        "Retry-After is kept to, in seconds and as a date, up to the cap",
        arguments: [
            ("17", 17), ("Sun, 06 Nov 1994 08:50:18 GMT", 40), ("86400", 300),
        ]
    )
    func retryAfter(value: String, seconds: Int) async throws {
        let fixture = ShipperFixture.taking(settings())
        fixture.transport.enqueue(.status(503, headers: [.retryAfter: value]))
        fixture.log("a")
        try await fixture.clock.waitForSleepers()
        fixture.clock.advance(by: .seconds(1))
        try await fixture.waitForEvents(1)
        #expect(fixture.events == ["retrying 1 after \(Duration.seconds(seconds))"])
        try await fixture.clock.waitForSleepers()
        fixture.clock.advance(by: .seconds(seconds) - .milliseconds(1))
        try await fixture.clock.waitForSleepers()
        #expect(fixture.transport.requestCount == 1)
        fixture.clock.advance(by: .milliseconds(1))
        try await fixture.waitForEvents(2)
        #expect(fixture.transport.requestCount == 2)
    }

    @Test("A batch that is refused is lost, and the next batch says so", arguments: [400, 404, 500])
    func refused(status: Int) async throws {
        let fixture = ShipperFixture.taking(settings())
        fixture.transport.enqueue(.status(.init(code: status)))
        fixture.log("a")
        fixture.log("b", level: .error)
        try await drive(fixture, toEvents: 1)
        #expect(fixture.events == ["refused 2"])
        #expect(fixture.shipper.statistics.drops[.refused].description == "info: 1, error: 1")
        #expect(fixture.shipper.statistics.isBalanced)
        fixture.log("c")
        try await drive(fixture, toEvents: 2)
        let report =
            "warning HTTPChain.LogShipper 2 log records were dropped log.dropped.count=2"
            + " log.dropped.level.info=1 log.dropped.level.error=1 log.dropped.reason.refused=2"
        #expect(fixture.requests.last == ["info garden c", report])
        fixture.log("d")
        try await drive(fixture, toEvents: 3)
        #expect(fixture.requests.last == ["info garden d"])
    }

    @Test("A report that did not arrive goes with the next batch, together with what was lost since")
    func reportAgain() async throws {
        let fixture = ShipperFixture.taking(settings())
        fixture.transport.enqueue([.status(.badRequest), .status(.badRequest)])
        for (number, message) in ["a", "b", "c"].enumerated() {
            fixture.log(message)
            try await drive(fixture, toEvents: number + 1)
        }
        #expect(fixture.requests.map(\.count) == [1, 2, 2])
        #expect(fixture.requests[1][1].contains("log.dropped.count=1"))
        #expect(fixture.requests[2][1].contains("log.dropped.count=2"))
        #expect(fixture.shipper.statistics.drops.total == 2)
    }

    @Test("Records that the receiver rejects from a batch that it takes are counted, and not sent again")
    func rejected() async throws {
        let fixture = ShipperFixture.taking(settings())
        fixture.transport.enqueue(.text("rejected 2"))
        fixture.log("a", "b", "c")
        try await fixture.shipper.flush()
        #expect(fixture.events == ["acknowledged 1, rejected 2"])
        #expect(fixture.transport.requestCount == 1)
        #expect(fixture.shipper.statistics.rejected == 2)
        #expect(fixture.shipper.statistics.acknowledged == 1)
        #expect(fixture.shipper.statistics.isBalanced)
    }

    @Test("More rejected than were sent is taken for all", arguments: ["rejected 99", "rejected -5"])
    func absurd(answer: String) async throws {
        let fixture = ShipperFixture.taking(settings())
        fixture.transport.enqueue(.text(answer))
        fixture.log("a", "b", "c")
        try await fixture.shipper.flush()
        let isAll = answer == "rejected 99"
        #expect(fixture.shipper.statistics.rejected == (isAll ? 3 : 0))
        #expect(fixture.shipper.statistics.isBalanced)
    }

    @Test(
        "A batch that was taken is not sent again, though the answer's body breaks or never ends",
        arguments: [
            ScriptedReply(.ok, body: HTTPBody("abc")).failing(.afterHead()),
            ScriptedReply(.ok, body: HTTPBody("abcdef")).failing(.atByte(3)),
        ]
    )
    func brokenAnswer(reply: ScriptedReply) async throws {
        let fixture = ShipperFixture.taking(settings())
        fixture.transport.enqueue(reply)
        fixture.log("a")
        try await fixture.shipper.flush()
        #expect(fixture.events == ["acknowledged 1, rejected 0"])
        #expect(fixture.transport.requestCount == 1)
    }

    @Test("An answer whose body does not come in time counts by its head")
    func slowAnswer() async throws {
        let fixture = ShipperFixture.taking()
        let feed = ChunkFeed()
        feed.send(Data("slow".utf8))
        fixture.transport.enqueue(ScriptedReply(.ok, feed: feed))
        fixture.log("a")
        try await fixture.clock.waitForSleepers()
        fixture.clock.advance(by: .seconds(1))
        try await until { fixture.transport.requests.first?.responseBytesRead ?? 0 > 0 }
        fixture.clock.advance(by: .seconds(30))
        try await fixture.waitForEvents(1)
        #expect(fixture.events == ["acknowledged 1, rejected 0"])
        try await fixture.shipper.flush()
        #expect(fixture.transport.requestCount == 1)
        feed.finish()
    }

    @Test("A record that cannot be encoded is left out, the rest of its batch arrives, and the next tells of it")
    func unencodable() async throws {
        let fixture = ShipperFixture.taking(settings())
        fixture.log("a", LineFormat.unencodable, "b")
        fixture.log(LineFormat.unencodable, level: .error)
        try await fixture.shipper.flush()
        #expect(fixture.delivered.prefix(2) == ["a", "b"])
        #expect(fixture.events.prefix(2) == ["unencodable 2", "acknowledged 2, rejected 0"])
        let statistics = fixture.shipper.statistics
        #expect(statistics.drops[.unencodable].description == "info: 1, error: 1")
        #expect(statistics.acknowledged == 2)
        #expect(statistics.isBalanced)
        try await fixture.shipper.flush()
        #expect(fixture.requests.last?.last?.contains("log.dropped.reason.unencodable=2") == true)
    }

    @Test("A batch of which nothing can be encoded is not sent")
    func nothingEncodable() async throws {
        let fixture = ShipperFixture.taking(settings())
        fixture.log(LineFormat.unencodable)
        try await fixture.shipper.flush()
        #expect(fixture.shipper.statistics.drops[.unencodable].total == 1)
        #expect(fixture.requests.count == 1)
        #expect(fixture.requests.first?.first?.hasPrefix("warning HTTPChain.LogShipper 1 log record was") == true)
    }

    @Test("A receiver that does not answer in time gets the batch again")
    func timeout() async throws {
        let fixture = ShipperFixture.taking()
        fixture.transport.enqueue(ScriptedReply.ok.delayed(by: .seconds(31)))
        fixture.log("a")
        try await fixture.clock.waitForSleepers()
        fixture.clock.advance(by: .seconds(1))
        // The answer.
        try await fixture.clock.waitForSleepers()
        fixture.clock.advance(by: .seconds(30))
        try await fixture.waitForEvents(1)
        #expect(fixture.events.first?.hasPrefix("retrying 1 after") == true)
        try await fixture.clock.waitForSleepers()
        fixture.clock.advance(by: .seconds(1))
        try await fixture.waitForEvents(2)
        #expect(fixture.events.last == "acknowledged 1, rejected 0")
        #expect(fixture.transport.requestCount == 2)
    }

    @Test(
        "A receiver that does not know who sends pauses the sending, and loses nothing",
        arguments: [HTTPResponse.Status.unauthorized, .forbidden]
    )
    func unauthorized(status: HTTPResponse.Status) async throws {
        let isKnown = Locked(false)
        let fixture = ShipperFixture(settings { $0.batchRecords = 1 }) { _ in
            Response(isKnown.withLock { $0 } ? .ok : status)
        }
        fixture.log("a", "b", "c")
        try await drive(fixture, toEvents: 4)
        #expect(fixture.events.allSatisfy { $0.hasPrefix("retrying 1") })
        #expect(Set(fixture.requests) == [["info garden a"]], "what follows would be answered in the same way")
        #expect(fixture.shipper.statistics.drops.isEmpty)
        #expect(fixture.shipper.statistics.queuedRecords == 2)
        #expect(fixture.shipper.statistics.lastFailure?.contains("\(status.code)") == true)
        isKnown.withLock { $0 = true }
        let events = fixture.events.count
        try await drive(fixture, toEvents: events + 3)
        #expect(fixture.delivered == ["a", "b", "c"])
        #expect(fixture.shipper.statistics.isBalanced)
    }

    @Test("A batch that is too large is sent in halves, and only a record that is too large alone is lost")
    func tooLarge() async throws {
        let fixture = ShipperFixture(settings()) { request in
            let lines = try await request.body.text().split(separator: "\n")
            let isTooLarge = lines.count > 2 || lines.contains { $0.contains("huge") }
            return Response(isTooLarge ? .contentTooLarge : .ok)
        }
        fixture.log("a", "b", "c", "huge", "d", "e", "f")
        #expect(try await fixture.shipper.flush().isComplete)
        #expect(fixture.delivered.prefix(6) == ["a", "b", "c", "d", "e", "f"])
        let statistics = fixture.shipper.statistics
        #expect(statistics.dropped == 1 && statistics.drops[.refused].total == 1)
        #expect(statistics.acknowledged == 6)
        #expect(statistics.isBalanced)
        #expect(fixture.events.filter { $0 == "refused 1" }.count == 1)
        fixture.log("g")
        #expect(try await fixture.shipper.flush().isComplete)
        #expect(fixture.requests.contains { $0.contains { $0.contains("log.dropped.reason.refused=1") } })
    }

    @Test("A batch that waits before a retry does not hold up the next")
    func passing() async throws {
        let isIll = Locked(true)
        let fixture = ShipperFixture(settings { $0.batchRecords = 1 }) { request in
            let isFirst = try await request.body.text().contains("first")
            return Response(isFirst && isIll.withLock { $0 } ? .serviceUnavailable : .ok)
        }
        fixture.log("first")
        try await fixture.waitForEvents(1)
        fixture.log("second", "third")
        try await until { fixture.delivered == ["second", "third"] }
        #expect(fixture.clock.elapsed == .zero)
        isIll.withLock { $0 = false }
        try await drive(fixture, toEvents: 4)
        #expect(fixture.delivered == ["second", "third", "first"])
        #expect(fixture.shipper.statistics.isBalanced)
    }

    @Test("A pause is one sleep of the clock, however long it is")
    func wakesOnce() async throws {
        let fixture = ShipperFixture.taking(settings())
        fixture.transport.enqueue(.status(503, headers: [.retryAfter: "200"]))
        fixture.log("a")
        try await drive(fixture, toEvents: 2)
        #expect(fixture.clock.sleeps.filter { $0 > .seconds(1) } == [.seconds(200)])
    }

    @Test("A batch that breaks the connection each time is given up in the end, and the next one has its turn")
    func givingUp() async throws {
        let fixture = ShipperFixture(
            settings {
                $0.batchRecords = 1
                $0.attempts = 4
            }
        ) { request in
            if try await request.body.text().contains("poison") {
                throw TransportError(.connectionLost, sent: .maybe, stage: "test")
            }
            return Response(.ok)
        }
        fixture.log("poison", "a")
        try await drive(fixture, toEvents: 5)
        #expect(fixture.events.filter { $0 == "gave up 1" }.count == 1)
        #expect(fixture.events.filter { $0 == "acknowledged 1, rejected 0" }.count == 1)
        #expect(fixture.shipper.statistics.drops[.gaveUp].total == 1)
        #expect(fixture.shipper.statistics.isBalanced)
    }

    @Test("An error that carries an answer counts as that answer")
    func responseError() async throws {
        struct Refusal: ResponseError {
            var response: Response
            var stage: String { "test" }
            var reason: String { "refused" }
        }
        let fixture = ShipperFixture.taking(settings())
        fixture.transport.enqueue([
            .failure(Refusal(response: Response(.serviceUnavailable, headers: [.retryAfter: "5"]))),
            .failure(Refusal(response: Response(.badRequest))),
        ])
        fixture.log("a")
        try await drive(fixture, toEvents: 2)
        #expect(fixture.events == ["retrying 1 after \(Duration.seconds(5))", "refused 1"])
    }

    @Test("While the receiver is away the queue keeps to its bound, the severe ones stay, and every loss is counted")
    func outage() async throws {
        let isAway = Locked(true)
        let fixture = ShipperFixture(
            settings {
                $0.queueRecords = 20
                $0.batchRecords = 5
            }
        ) { _ in
            if isAway.withLock({ $0 }) { throw TransportError(.cannotConnect, sent: .nothing, stage: "test") }
            return Response(.ok)
        }
        // Two batches wait before a retry, and the receiver is offered no third.
        for number in 0..<5 { fixture.log("first\(number)") }
        try await fixture.waitForEvents(1)
        for number in 0..<5 { fixture.log("second\(number)") }
        try await fixture.waitForEvents(2)
        for number in 0..<100 { fixture.log("info\(number)") }
        for number in 0..<10 { fixture.log("error\(number)", level: .error) }
        var statistics = fixture.shipper.statistics
        #expect(statistics.queuedRecords == 20)
        #expect(statistics.inFlight == 10)
        #expect(statistics.drops[.full].description == "info: 80")
        #expect(statistics.drops[.displaced].description == "info: 10")
        #expect(statistics.isBalanced)
        isAway.withLock { $0 = false }
        let events = fixture.events.count
        try await drive(fixture, toEvents: events + 6)
        try await fixture.shipper.flush()
        let delivered = fixture.delivered.filter { $0 != "90" }
        // Which of the two pauses is the shorter is up to chance.
        let early = Set((0..<5).flatMap { ["first\($0)", "second\($0)"] })
        #expect(Set(delivered).isSuperset(of: early) && delivered.count == 30)
        let expected = (10..<20).map { "info\($0)" } + (0..<10).map { "error\($0)" }
        #expect(delivered.filter { !early.contains($0) } == expected)
        let reports = fixture.requests.flatMap { $0 }.filter { $0.contains("HTTPChain.LogShipper") }
        #expect(
            reports == [
                "warning HTTPChain.LogShipper 90 log records were dropped log.dropped.count=90"
                    + " log.dropped.level.info=90 log.dropped.reason.full=80 log.dropped.reason.displaced=10"
            ]
        )
        statistics = fixture.shipper.statistics
        #expect(statistics.acknowledged == 30)
        #expect(statistics.isBalanced)
    }
}
#endif
