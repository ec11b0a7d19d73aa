import HTTPChainCore
import Logging
import Metrics

/// Publishes the statistics as metrics, by adding the difference each time.
final class ShipperMetrics: Sendable {
    private struct DropCounter: Hashable {
        let reason: LogShipper.DropReason
        let level: Logger.Level
    }

    private struct State {
        var published = LogShipper.Statistics()
        var drops: [DropCounter: Counter] = [:]
    }

    /// The counts that never decrease, by name.
    ///
    /// They show which of two states is the later one.
    private static let growing: [(name: String, count: @Sendable (LogShipper.Statistics) -> Int)] = [
        ("accepted", { $0.accepted }), ("sent", { $0.sent }), ("acknowledged", { $0.acknowledged }),
        ("rejected", { $0.rejected }), ("own_traffic", { $0.ownTraffic }), ("retries", { $0.retries }),
    ]

    private let factory: any MetricsFactory
    private let service: String
    private let counters: [Counter]
    private let queuedRecords: Gauge
    private let queuedBytes: Gauge
    private let state = Locked(State())

    init(service: String, factory: any MetricsFactory) {
        self.factory = factory
        self.service = service
        func gauge(_ name: String) -> Gauge {
            Gauge(label: "httpchain.logs.\(name)", dimensions: [("service", service)], factory: factory)
        }
        counters = Self.growing.map { name, _ in
            Counter(label: "httpchain.logs.\(name)", dimensions: [("service", service)], factory: factory)
        }
        queuedRecords = gauge("queued.records")
        queuedBytes = gauge("queued.bytes")
    }

    /// Adds the changes since the last publication.
    func publish(_ statistics: LogShipper.Statistics) {
        state.withLock { state in
            let last = state.published
            // Publications may overtake each other. Older statistics are ignored.
            guard statistics.dropped >= last.dropped,
                Self.growing.allSatisfy({ $0.count(statistics) >= $0.count(last) })
            else { return }
            state.published = statistics
            for (counter, (_, count)) in zip(counters, Self.growing) {
                counter.increment(by: count(statistics) - count(last))
            }
            queuedRecords.record(statistics.queuedRecords)
            queuedBytes.record(statistics.queuedBytes)
            guard statistics.drops != last.drops else { return }
            let drops = statistics.drops - last.drops
            for reason in LogShipper.DropReason.allCases where !drops[reason].isEmpty {
                for level in Logger.Level.allCases where drops[reason][level] > 0 {
                    counter(DropCounter(reason: reason, level: level), in: &state)
                        .increment(by: drops[reason][level])
                }
            }
        }
    }

    private func counter(_ key: DropCounter, in state: inout State) -> Counter {
        if let counter = state.drops[key] { return counter }
        let dimensions = [("service", service), ("reason", key.reason.rawValue), ("level", key.level.rawValue)]
        let counter = Counter(label: "httpchain.logs.dropped", dimensions: dimensions, factory: factory)
        state.drops[key] = counter
        return counter
    }
}
