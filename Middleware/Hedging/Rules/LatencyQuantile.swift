import HTTPChainCore
import HTTPChainSupport

/// A quantile of recent latencies, in constant memory.
///
/// This is a histogram in which each cell is a twelfth larger than the previous one. The result is accurate within 9 %,
/// from 1 microsecond to an hour. Two histograms alternate, and the result combines both. When the newer one has enough
/// calls, it replaces the older one, so that old calls are forgotten.
package struct LatencyQuantile: Sendable {
    /// The number of calls per generation.
    package static let generation = 1000
    /// The minimum number of calls for a result.
    package static let minimum = 20

    private static let bounds: [Double] = {
        var bounds: [Double] = []
        var bound = 1e-6
        while bound < 3600 {
            bounds.append(bound)
            bound *= 13.0 / 12.0
        }
        return bounds
    }()

    private var older = [UInt32](repeating: 0, count: bounds.count + 1)
    private var younger = [UInt32](repeating: 0, count: bounds.count + 1)
    private var olderCount = 0
    private var youngerCount = 0

    package init() {}

    package mutating func record(_ latency: Duration) {
        let seconds = latency.inSeconds
        younger[Self.bounds.sortedIndex { $0 >= seconds }] += 1
        youngerCount += 1
        guard youngerCount >= Self.generation else { return }
        swap(&older, &younger)
        olderCount = youngerCount
        for index in younger.indices { younger[index] = 0 }
        youngerCount = 0
    }

    /// Returns the time within which a share of the calls got a response; `nil` if there were too few calls.
    package func value(_ share: Double) -> Duration? {
        let count = olderCount + youngerCount
        guard count >= Self.minimum else { return nil }
        let rank = (min(max(share, 0), 1) * Double(count)).rounded(.up)
        var seen = 0
        for index in older.indices {
            seen += Int(older[index]) + Int(younger[index])
            if Double(seen) >= rank, seen > 0 {
                return .nanoseconds(Int64(Self.bounds[min(index, Self.bounds.count - 1)] * 1e9))
            }
        }
        return .seconds(3600)
    }
}
