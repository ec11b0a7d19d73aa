#if AllTests
import Foundation
import HTTPChainCore
import HTTPChainGzip
import HTTPChainInMemory
import HTTPChainTesting
import HTTPTypes
import Logging
import TestSupport
import Testing

@testable import HTTPChainLogShipper
@testable import HTTPChainRemoteLogging

@Suite("Shipping log records", .timeLimit(.minutes(10)))
struct ShipperTests {
    private func settings(_ change: (inout LogShipper.Settings) -> Void) -> LogShipper.Settings {
        var settings = LogShipper.Settings()
        change(&settings)
        return settings
    }

    // MARK: Batches

    @Test("Nothing runs before the first record")
    func lazy() async throws {
        let fixture = ShipperFixture.taking()
        #expect(fixture.clock.pendingDeadlines.isEmpty)
        #expect(try await fixture.shipper.flush() == .init(isComplete: true, left: 0))
        #expect(try await fixture.shipper.shutdown() == .init(isComplete: true, left: 0))
        #expect(fixture.transport.requestCount == 0)
    }

    @Test("Records are sent together once the first has waited long enough")
    func age() async throws {
        let fixture = ShipperFixture.taking()
        fixture.log("a")
        try await fixture.clock.waitForSleepers()
        #expect(fixture.clock.pendingDeadlines == [.seconds(1)])
        fixture.clock.advance(by: .milliseconds(900))
        fixture.log("b")
        fixture.log("c", level: .error)
        #expect(fixture.transport.requestCount == 0)
        fixture.clock.advance(by: .milliseconds(100))
        try await fixture.waitForEvents(1)
        #expect(fixture.requests == [["info garden a", "info garden b", "error garden c"]])
        fixture.log("d")
        try await fixture.clock.waitForSleepers()
        fixture.clock.advanceToNextDeadline()
        try await fixture.waitForEvents(2)
        #expect(fixture.delivered == ["a", "b", "c", "d"])
    }

    @Test("A full batch does not wait")
    func count() async throws {
        let fixture = ShipperFixture.taking(settings { $0.batchRecords = 3 })
        fixture.log("a")
        try await fixture.clock.waitForSleepers()
        fixture.log("b", "c")
        try await fixture.waitForEvents(1)
        #expect(fixture.requests == [["info garden a", "info garden b", "info garden c"]])
        #expect(fixture.clock.elapsed == .zero)
    }

    @Test("A batch that is large enough does not wait")
    func bytes() async throws {
        let fixture = ShipperFixture.taking(settings { $0.batchBytes = 2000 })
        fixture.log("a")
        try await fixture.clock.waitForSleepers()
        fixture.log(String(repeating: "b", count: 2000))
        fixture.log("c")
        try await fixture.shipper.flush()
        #expect(fixture.requests.map(\.count) == [1, 1, 1])
        #expect(fixture.clock.elapsed == .zero)
    }

    @Test("What came while a batch was in flight is sent in batches as well, in order")
    func backlog() async throws {
        let gate = Rendezvous()
        let fixture = ShipperFixture(settings { $0.batchRecords = 10 }) { _ in
            try await gate.wait()
            return Response(.ok)
        }
        for number in 0..<10 { fixture.log("\(number)") }
        try await fixture.transport.waitForRequests(1)
        for number in 10..<35 { fixture.log("\(number)") }
        gate.reach()
        try await fixture.shipper.flush()
        #expect(fixture.requests.map(\.count) == [10, 10, 10, 5])
        #expect(fixture.delivered == (0..<35).map(String.init))
    }

    @Test("As many batches are in flight at once as the settings allow", arguments: [1, 3])
    func concurrency(count: Int) async throws {
        let gate = Rendezvous()
        let fixture = ShipperFixture(
            settings {
                $0.batchRecords = 1
                $0.concurrentExports = count
            }
        ) { _ in
            try await gate.wait()
            return Response(.ok)
        }
        fixture.log("a", "b", "c", "d", "e")
        try await fixture.transport.waitForRequests(count)
        #expect(fixture.shipper.statistics.inFlight == count)
        #expect(fixture.shipper.statistics.queuedRecords == 5 - count)
        let bytes = fixture.shipper.statistics.queuedBytes
        #expect(bytes >= 5 - count && bytes % (5 - count) == 0, "as much for each of records of one length")
        gate.reach()
        try await fixture.shipper.flush()
        #expect(fixture.shipper.statistics.queuedBytes == 0)
        #expect(fixture.delivered.sorted() == ["a", "b", "c", "d", "e"])
    }

    // MARK: Requests

    @Test("A batch is a POST in the words of the format, marked as log traffic, with the time it has")
    func request() async throws {
        let fixture = ShipperFixture.taking()
        fixture.log("a")
        try await fixture.shipper.flush()
        let request = try #require(fixture.transport.requests.first)
        #expect(request.method == .post)
        #expect(request.url == ShipperFixture.url)
        #expect(request.headers[.contentType] == "text/x-lines")
        #expect(request.options[LogTrafficNote.self])
        #expect(request.options.deadline == .seconds(30))
        #expect(request.options[EnvironmentNote.self].time is VirtualClock)
    }

    @Test("A chain with a gzip stage compresses the batches")
    func gzip() async throws {
        let transport = InMemoryTransport { _ in Response(.ok) }
        let shipper = LogShipper(
            over: try Chain(transport: transport) { GzipMiddleware(requests: .standard) },
            environment: .virtual(VirtualClock())
        )
        for _ in 0..<200 { shipper.log(entry("the same words again and again")) }
        try await shipper.flush()
        let request = try #require(transport.requests.first)
        #expect(request.headers[.contentEncoding] == "gzip")
        #expect(request.body.prefix(2) == Data([0x1F, 0x8B]))
        #expect(request.bodyLength < 1000)
        #expect(shipper.statistics.acknowledged == 200)
    }

    // MARK: What is taken

    @Test("Levels decide by component, and may be changed while it runs")
    func levels() async throws {
        let fixture = ShipperFixture(levels: LogLevels(.warning, ["http": .debug]))
        #expect(!fixture.shipper.isEnabled(.info, for: "garden"))
        #expect(fixture.shipper.isEnabled(.warning, for: "garden"))
        #expect(fixture.shipper.isEnabled(.debug, for: "http.client"))
        fixture.shipper.levels["garden"] = .trace
        #expect(fixture.shipper.isEnabled(.trace, for: "garden"))
        try await fixture.shipper.shutdown()
        #expect(!fixture.shipper.isEnabled(.critical, for: "garden"))
    }

    @Test("The filter has the last word")
    func filter() async throws {
        let fixture = ShipperFixture(answer: { _ in Response(.ok) }, filter: { !$0.message.hasPrefix("no") })
        fixture.log("yes", "no", "nothing", "well")
        try await fixture.shipper.flush()
        #expect(fixture.delivered == ["yes", "well"])
        #expect(fixture.shipper.statistics.accepted == 2)
    }

    @Test("What is logged on behalf of an export is not taken, by any shipper, and counted apart")
    func ownTraffic() async throws {
        let other = ShipperFixture.taking()
        let own = Locked<LogShipper?>(nil)
        let marks = Locked<[Bool]>([])
        let fixture = ShipperFixture { _ in
            marks.withLock { $0.append(LogShipper.isShipping) }
            own.withLock { $0 }?.log(entry("own"))
            await withTaskGroup(of: Void.self) { group in
                group.addTask {
                    marks.withLock { $0.append(LogShipper.isShipping) }
                    other.log("other")
                }
            }
            if own.withLock({ $0 })?.isEnabled(.critical, for: "x") == true { marks.withLock { $0.append(false) } }
            return Response(.ok)
        }
        own.withLock { $0 = fixture.shipper }
        fixture.log("a")
        #expect(!LogShipper.isShipping)
        try await fixture.shipper.flush()
        #expect(marks.withLock { $0 } == [true, true])
        #expect(fixture.shipper.statistics.ownTraffic == 1)
        #expect(other.shipper.statistics.ownTraffic == 1)
        #expect(fixture.shipper.statistics.accepted == 1)
        #expect(other.shipper.statistics.accepted == 0)
        #expect(fixture.shipper.statistics.drops.isEmpty)
        own.withLock { $0 = nil }
    }

    @Test("The worker does not keep the task-local values of whoever logged first")
    func taskLocals() async throws {
        let seen = Locked<[String]>([])
        let fixture = ShipperFixture { _ in
            seen.withLock { $0.append(Marker.word) }
            return Response(.ok)
        }
        Marker.$word.withValue("secret") { fixture.log("a") }
        try await fixture.shipper.flush()
        #expect(seen.withLock { $0 } == ["none"])
    }

    // MARK: Ends

    @Test("A shipper that nobody holds any more dies, and its worker with it")
    func death() async throws {
        let clock = VirtualClock()
        weak var weakShipper: LogShipper?
        weak var weakCore: ShipperCore?
        do {
            let shipper = LogShipper(over: InMemoryTransport { _ in Response(.ok) }, environment: .virtual(clock))
            shipper.log(entry("a"))
            try await clock.waitForSleepers()
            weakShipper = shipper
            weakCore = shipper.core
        }
        #expect(weakShipper == nil)
        try await until { weakCore == nil }
        #expect(clock.pendingDeadlines.isEmpty)
    }

    @Test("Thousands of records from many tasks arrive once each, and the sums are exact")
    func stress() async throws {
        let transport = InMemoryTransport()
        transport.on(.post, "*") { _ in Response(.ok) }
        var settings = LogShipper.Settings()
        settings.queueRecords = 100_000
        settings.queueBytes = .mebibytes(64)
        settings.batchRecords = 100
        settings.concurrentExports = 3
        let shipper = LogShipper(over: transport, settings: settings)
        await withTaskGroup(of: Void.self) { group in
            for task in 0..<8 {
                group.addTask {
                    for number in 0..<1000 {
                        shipper.log(entry("\(task)-\(number)", Logger.Level.allCases[number % 5 + 2]))
                        if number % 100 == 0 { _ = try? await shipper.flush() }
                    }
                }
            }
        }
        #expect(try await shipper.shutdown().isComplete)
        let lines = transport.requests.flatMap { $0.text.split(separator: "\n") }
            .map { String($0.split(separator: " ")[2]) }
        #expect(lines.count == 8000)
        #expect(Set(lines).count == 8000)
        let statistics = shipper.statistics
        #expect(statistics.acknowledged == 8000)
        #expect(statistics.sent == 8000)
        #expect(statistics.isBalanced)
        #expect(statistics.drops.isEmpty)
    }

    private enum Marker {
        @TaskLocal static var word = "none"
    }
}
#endif
