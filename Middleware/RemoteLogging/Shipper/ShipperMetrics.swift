import HTTPChainCore
import Logging
import Metrics

/// Publishes the statistics as metrics, each time adding the difference.
final class ShipperMetrics: Sendable {
    private struct DropCounter: Hashable {
        let reason: LogShipper.DropReason
        let level: Logger.Level
    }

    private struct State {
        var published = LogShipper.Statistics()
        var drops: [DropCounter: Counter] = [:]
    }

    private let factory: any MetricsFactory
    private let service: String
    private let accepted: Counter
    private let sent: Counter
    private let acknowledged: Counter
    private let rejected: Counter
    private let ownTraffic: Counter
    private let retries: Counter
    private let queuedRecords: Gauge
    private let queuedBytes: Gauge
    private let state = Locked(State())

    init(service: String, factory: any MetricsFactory) {
        self.factory = factory
        self.service = service
        func counter(_ name: String) -> Counter {
            Counter(label: "httpchain.logs.\(name)", dimensions: [("service", service)], factory: factory)
        }
        func gauge(_ name: String) -> Gauge {
            Gauge(label: "httpchain.logs.\(name)", dimensions: [("service", service)], factory: factory)
        }
        accepted = counter("accepted")
        sent = counter("sent")
        acknowledged = counter("acknowledged")
        rejected = counter("rejected")
        ownTraffic = counter("own_traffic")
        retries = counter("retries")
        queuedRecords = gauge("queued.records")
        queuedBytes = gauge("queued.bytes")
    }

    /// Adds the changes since the last publication.
    func publish(_ statistics: LogShipper.Statistics) {
        state.withLock { state in
            let last = state.published
            // Publications may overtake each other; older statistics add nothing.
            guard statistics.isLater(than: last) else { return }
            state.published = statistics
            accepted.increment(by: statistics.accepted - last.accepted)
            sent.increment(by: statistics.sent - last.sent)
            acknowledged.increment(by: statistics.acknowledged - last.acknowledged)
            rejected.increment(by: statistics.rejected - last.rejected)
            ownTraffic.increment(by: statistics.ownTraffic - last.ownTraffic)
            retries.increment(by: statistics.retries - last.retries)
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

extension LogShipper.Statistics {
    /// Counters only grow: in the later of two states, none is smaller.
    fileprivate func isLater(than other: LogShipper.Statistics) -> Bool {
        accepted >= other.accepted && sent >= other.sent && acknowledged >= other.acknowledged
            && rejected >= other.rejected && ownTraffic >= other.ownTraffic && retries >= other.retries
            && dropped >= other.dropped
    }
}
