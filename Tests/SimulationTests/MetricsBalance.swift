#if AllTests
import HTTPChainMetrics
import HTTPChainSupport
import Metrics

/// Keeps what the metrics of a simulation come to: what has begun, and what has ended.
final class MetricsBalance: MetricsFactory {
    private struct Account: Sendable {
        var inFlight = 0.0
        var begun = 0
        var ended = 0
    }

    private let account = Locked(Account())

    /// What is in flight, by the gauges of calls and of attempts.
    var inFlight: Double { account.withLock { $0.inFlight } }
    /// How many calls and attempts have begun.
    var begun: Int { account.withLock { $0.begun } }
    /// How many durations were recorded.
    var ended: Int { account.withLock { $0.ended } }

    /// A gauge of what is in flight.
    private final class Gauge: MeterHandler {
        private let balance: MetricsBalance

        init(_ balance: MetricsBalance) { self.balance = balance }

        func set(_ value: Int64) {}
        func set(_ value: Double) {}
        func increment(by amount: Double) {
            balance.account.withLock { account in
                account.inFlight += amount
                account.begun += 1
            }
        }
        func decrement(by amount: Double) { balance.account.withLock { $0.inFlight -= amount } }
    }

    /// Durations.
    private final class Durations: RecorderHandler {
        private let balance: MetricsBalance

        init(_ balance: MetricsBalance) { self.balance = balance }

        func record(_ value: Int64) { record(Double(value)) }
        func record(_ value: Double) { balance.account.withLock { $0.ended += 1 } }
    }

    func makeMeter(label: String, dimensions: [(String, String)]) -> any MeterHandler {
        let names = [HTTPMetrics.activeCalls, HTTPMetrics.activeRequests].map(\.name)
        return names.contains(label) ? Gauge(self) : NOOPMetricsHandler.instance
    }

    func makeRecorder(label: String, dimensions: [(String, String)], aggregate: Bool) -> any RecorderHandler {
        let names = [HTTPMetrics.callDuration, HTTPMetrics.requestDuration].map(\.name)
        return names.contains(label) ? Durations(self) : NOOPMetricsHandler.instance
    }

    func makeCounter(label: String, dimensions: [(String, String)]) -> any CounterHandler {
        NOOPMetricsHandler.instance
    }

    func makeTimer(label: String, dimensions: [(String, String)]) -> any TimerHandler { NOOPMetricsHandler.instance }
    func destroyMeter(_ handler: any MeterHandler) {}
    func destroyRecorder(_ handler: any RecorderHandler) {}
    func destroyCounter(_ handler: any CounterHandler) {}
    func destroyTimer(_ handler: any TimerHandler) {}
}
#endif
