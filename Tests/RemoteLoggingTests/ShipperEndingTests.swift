#if AllTests
import Foundation
import HTTPChainCore
import HTTPChainInMemory
import HTTPChainTesting
import HTTPTypes
import Logging
import Testing

@testable import HTTPChainLogShipper
@testable import HTTPChainRemoteLogging

@Suite("Flushing and shutting down a log shipper", .timeLimit(.minutes(10)))
struct ShipperEndingTests {
    /// Nobody answers before the gate opens.
    private func gated(_ gate: Rendezvous, _ settings: LogShipper.Settings = .standard) -> ShipperFixture {
        ShipperFixture(settings) { _ in
            try await gate.wait()
            return Response(.ok)
        }
    }

    @Test("A flush sends at once what waits, also more than a batch, and waits for the last answer")
    func flush() async throws {
        var settings = LogShipper.Settings()
        settings.batchRecords = 10
        let fixture = ShipperFixture.taking(settings)
        for number in 0..<25 { fixture.log("\(number)") }
        #expect(try await fixture.shipper.flush() == .init(isComplete: true, left: 0))
        #expect(fixture.delivered == (0..<25).map(String.init))
        #expect(fixture.clock.elapsed == .zero)
        #expect(fixture.shipper.statistics.acknowledged == 25)
    }

    @Test("Flushes at the same time share the work")
    func shared() async throws {
        let gate = Rendezvous()
        let fixture = gated(gate)
        fixture.log("a", "b")
        try await withThrowingTaskGroup(of: LogShipper.FlushResult.self) { group in
            for _ in 0..<10 { group.addTask { try await fixture.shipper.flush() } }
            try await fixture.transport.waitForRequests(1)
            gate.reach()
            for try await result in group { #expect(result.isComplete) }
        }
        #expect(fixture.transport.requestCount == 1)
    }

    @Test("A flush does not wait for records that came after it")
    func later() async throws {
        let gate = Rendezvous()
        let fixture = ShipperFixture { request in
            if try await request.body.text().contains("late") { try await gate.wait() }
            return Response(.ok)
        }
        fixture.log("a")
        async let flushed = fixture.shipper.flush()
        try await fixture.transport.waitForRequests(1)
        fixture.log("late")
        #expect(try await flushed.isComplete)
        gate.reach()
    }

    @Test("A flush whose deadline passes says what is left, and loses nothing")
    func deadline() async throws {
        let gate = Rendezvous()
        var settings = LogShipper.Settings()
        settings.batchRecords = 2
        let fixture = gated(gate, settings)
        fixture.log("a", "b", "c")
        async let flushed = fixture.shipper.flush(deadline: .seconds(5))
        try await fixture.transport.waitForRequests(1)
        try await fixture.clock.waitForSleepers()
        fixture.clock.advance(by: .seconds(5))
        #expect(try await flushed == .init(isComplete: false, left: 3))
        gate.reach()
        #expect(try await fixture.shipper.flush().isComplete)
        #expect(fixture.delivered == ["a", "b", "c"])
    }

    @Test("A flush that is cancelled throws CancellationError, and loses nothing")
    func cancelled() async throws {
        let gate = Rendezvous()
        let fixture = gated(gate)
        fixture.log("a")
        let flush = Task { try await fixture.shipper.flush() }
        try await fixture.transport.waitForRequests(1)
        flush.cancel()
        await #expect(throws: CancellationError.self) { try await flush.value }
        gate.reach()
        #expect(try await fixture.shipper.flush().isComplete)
        #expect(fixture.delivered == ["a"])
    }

    @Test("A flush ends the pause before a retry")
    func hurry() async throws {
        let fixture = ShipperFixture.taking()
        fixture.transport.enqueue(.status(503), times: 1)
        fixture.log("a")
        try await fixture.clock.waitForSleepers()
        fixture.clock.advance(by: .seconds(1))
        try await fixture.waitForEvents(1)
        #expect(try await fixture.shipper.flush().isComplete)
        #expect(fixture.clock.elapsed == .seconds(1))
        #expect(fixture.delivered == ["a"])
    }

    @Test("A flush keeps to the pause that the receiver asked for")
    func patience() async throws {
        let fixture = ShipperFixture.taking()
        fixture.transport.enqueue(.status(503, headers: [.retryAfter: "20"]))
        fixture.log("a")
        try await fixture.clock.waitForSleepers()
        fixture.clock.advance(by: .seconds(1))
        try await fixture.waitForEvents(1)
        async let flushed = fixture.shipper.flush(deadline: .seconds(10))
        try await fixture.clock.waitForSleepers(count: 2)
        fixture.clock.advance(by: .seconds(10))
        let result = try await flushed
        #expect(!result.isComplete && result.left == 1)
        #expect(result.lastFailure?.contains("503") == true)
        #expect(fixture.transport.requestCount == 1)
    }

    @Test("A flush sends a report of losses alone, and only once when that is refused")
    func report() async throws {
        let fixture = ShipperFixture.taking()
        fixture.transport.enqueue(.status(.badRequest), times: 2)
        fixture.log("a")
        #expect(try await fixture.shipper.flush().isComplete)
        #expect(fixture.requests.map(\.count) == [1, 1])
        #expect(try await fixture.shipper.flush().isComplete)
        #expect(fixture.requests.map(\.count) == [1, 1, 1])
        #expect(fixture.requests[2][0].contains("log.dropped.count=1"))
        #expect(try await fixture.shipper.flush().isComplete)
        #expect(fixture.requests.count == 3)
    }

    @Test("A shutdown sends what waits, ends the worker, and takes nothing any more")
    func shutdown() async throws {
        let fixture = ShipperFixture.taking()
        fixture.log("a", "b")
        #expect(try await fixture.shipper.shutdown() == .init(isComplete: true, left: 0))
        #expect(fixture.delivered == ["a", "b"])
        fixture.log("c")
        fixture.log("d", level: .error)
        #expect(fixture.shipper.statistics.drops[.shutDown].description == "info: 1, error: 1")
        #expect(fixture.shipper.statistics.accepted == 2)
        #expect(try await fixture.shipper.flush().isComplete)
        #expect(try await fixture.shipper.shutdown() == .init(isComplete: true, left: 0))
        #expect(fixture.transport.requestCount == 1)
        #expect(fixture.clock.pendingDeadlines.isEmpty)
    }

    @Test("A shutdown whose deadline passes interrupts what is in flight, and says what is lost each time")
    func interrupted() async throws {
        var settings = LogShipper.Settings()
        settings.batchRecords = 2
        let fixture = gated(Rendezvous(), settings)
        fixture.log("a", "b", "c")
        async let first = fixture.shipper.shutdown(deadline: .seconds(5))
        async let second = fixture.shipper.shutdown(deadline: .seconds(50))
        try await fixture.transport.waitForRequests(1)
        try await fixture.clock.waitForSleepers(count: 2)
        fixture.clock.advance(by: .seconds(5))
        #expect(try await first == .init(isComplete: false, left: 3))
        #expect(try await second == .init(isComplete: false, left: 3))
        #expect(try await fixture.shipper.shutdown() == .init(isComplete: false, left: 3))
        #expect(fixture.shipper.statistics.drops[.abandoned].total == 3)
        #expect(fixture.shipper.statistics.isBalanced)
        #expect(fixture.clock.pendingDeadlines.isEmpty)
    }

    @Test(
        "A shutdown that is given no deadline takes as long as the settings say",
        arguments: [(LogShipper.Settings.standard, 30), (.commandLine, 3), (nil, 7)]
    )
    func shutdownTimeout(settings: LogShipper.Settings?, seconds: Int) async throws {
        var own = LogShipper.Settings()
        own.shutdownTimeout = .seconds(seconds)
        var settings = settings ?? own
        // Longer than the shutdown, so that it is the shutdown that ends.
        settings.exportTimeout = .seconds(90)
        let fixture = gated(Rendezvous(), settings)
        fixture.log("a")
        async let ended = fixture.shipper.shutdown()
        try await fixture.transport.waitForRequests(1)
        try await fixture.clock.waitForSleepers()
        try #require(fixture.clock.pendingDeadlines.contains(.seconds(seconds)))
        fixture.clock.advance(by: .seconds(seconds))
        #expect(try await ended == .init(isComplete: false, left: 1))
        #expect(fixture.shipper.statistics.drops[.abandoned].total == 1)
    }

    @Test("Without time a shutdown still ends")
    func noTime() async throws {
        let fixture = gated(Rendezvous())
        fixture.log("a")
        let result = try await fixture.shipper.shutdown(deadline: .zero)
        #expect(result == .init(isComplete: false, left: 1))
    }

    @Test("A shutdown that is cancelled throws CancellationError, and the shipper is shut down nevertheless")
    func cancelledShutdown() async throws {
        let fixture = gated(Rendezvous())
        fixture.log("a")
        let shutdown = Task { try await fixture.shipper.shutdown() }
        try await fixture.transport.waitForRequests(1)
        shutdown.cancel()
        await #expect(throws: CancellationError.self) { try await shutdown.value }
        #expect(!fixture.shipper.isEnabled(.critical, for: "x"))
        #expect(fixture.shipper.statistics.drops[.abandoned].total == 1)
        #expect(fixture.clock.pendingDeadlines.isEmpty)
    }
}
#endif
