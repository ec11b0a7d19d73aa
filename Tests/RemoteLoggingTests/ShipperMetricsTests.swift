#if AllTests
import HTTPChainCore
import HTTPChainInMemory
import HTTPChainLogShipper
import HTTPChainRemoteLogging
import HTTPChainTesting
import HTTPTypes
import Logging
import Metrics
import TestSupport
import Testing

/// Keeps what counters and gauges were told.
private final class MetricsRecorder: MetricsFactory {
    private final class Handler: CounterHandler, RecorderHandler {
        private let key: String
        private let values: Locked<[String: Int64]>

        init(_ key: String, _ values: Locked<[String: Int64]>) {
            self.key = key
            self.values = values
        }

        func increment(by amount: Int64) { values.withLock { $0[key, default: 0] += amount } }
        func reset() {}
        func record(_ value: Int64) { values.withLock { $0[key] = value } }
        func record(_ value: Double) { record(Int64(value)) }
    }

    private let values = Locked<[String: Int64]>([:])

    var seen: [String: Int64] { values.withLock { $0.filter { $0.value != 0 } } }

    private func handler(_ label: String, _ dimensions: [(String, String)]) -> Handler {
        Handler("\(label) \(dimensions.map { "\($0.0)=\($0.1)" }.joined(separator: " "))", values)
    }

    func makeCounter(label: String, dimensions: [(String, String)]) -> any CounterHandler {
        handler(label, dimensions)
    }

    func makeRecorder(label: String, dimensions: [(String, String)], aggregate: Bool) -> any RecorderHandler {
        handler(label, dimensions)
    }

    func makeTimer(label: String, dimensions: [(String, String)]) -> any TimerHandler {
        NOOPMetricsHandler.instance
    }

    func destroyCounter(_ handler: any CounterHandler) {}
    func destroyRecorder(_ handler: any RecorderHandler) {}
    func destroyTimer(_ handler: any TimerHandler) {}
}

@Suite("The metrics of a log shipper", .timeLimit(.minutes(10)))
struct ShipperMetricsTests {
    @Test("What the statistics count is there as metrics, losses by reason and level")
    func metrics() async throws {
        let recorder = MetricsRecorder()
        let transport = InMemoryTransport { _ in Response(.ok) }
        transport.enqueue([.status(503), .text("rejected 1"), .status(.badRequest)])
        var settings = LogShipper.Settings()
        settings.queueRecords = 3
        settings.retryBase = .milliseconds(1)
        let shipper = LogShipper(over: transport, settings: settings, metrics: recorder)
        for _ in 0..<3 { shipper.log(entry("a")) }
        try await shipper.flush()
        shipper.log(entry("b", .error))
        try await shipper.flush()
        try await shipper.shutdown()
        shipper.log(entry("late"))
        try await shipper.shutdown()
        let service = "service=plants"
        #expect(
            recorder.seen == [
                "httpchain.logs.accepted \(service)": 4, "httpchain.logs.sent \(service)": 7,
                "httpchain.logs.acknowledged \(service)": 2, "httpchain.logs.rejected \(service)": 1,
                "httpchain.logs.retries \(service)": 1,
                "httpchain.logs.dropped \(service) reason=refused level=error": 1,
                "httpchain.logs.dropped \(service) reason=shut_down level=info": 1,
            ]
        )
    }

    @Test("The gauges show what waits")
    func gauges() async throws {
        let recorder = MetricsRecorder()
        let clock = VirtualClock()
        let transport = InMemoryTransport { _ in throw TransportError(.cannotConnect, sent: .nothing, stage: "test") }
        var settings = LogShipper.Settings()
        settings.batchRecords = 1
        let shipper = LogShipper(over: transport, settings: settings, environment: .virtual(clock), metrics: recorder)
        for _ in 0..<3 { shipper.log(entry("a")) }
        try await clock.waitForSleepers()
        clock.advance(by: .seconds(5))
        // Two wait before a retry, where one does not hold up the other.
        try await until { recorder.seen["httpchain.logs.queued.records service=plants"] == 1 }
        #expect(recorder.seen["httpchain.logs.queued.bytes service=plants"] ?? 0 > 90)
    }
}
#endif
