import Foundation
import HTTPChainSupport

/// The speed of a transfer, smoothed: an exponentially weighted average whose weights follow the time between samples.
struct Throughput: Sendable {
    /// Shorter steps are put together: a burst of small chunks is one sample, not many wild ones.
    private static let shortestStep = 0.1

    private let window: Double
    private var time: Double
    private var bytes: Int64 = 0
    private var sum = 0.0
    private var weight = 0.0

    /// Begins to measure.
    ///
    /// - Parameters:
    ///   - start: When the transfer stands at 0 bytes.
    ///   - window: How far back the average looks: what is older counts for a third at most.
    init(from start: Duration, over window: Duration = .seconds(3)) {
        time = start.inSeconds
        self.window = window.inSeconds
    }

    /// Takes in how many bytes have been transferred in all at a moment.
    mutating func record(_ total: Int64, at now: Duration) {
        let step = now.inSeconds - time
        guard step >= Self.shortestStep else { return }
        let fresh = 1 - exp(-step / window)
        sum += fresh * (Double(total - bytes) / step - sum)
        weight += fresh * (1 - weight)
        time = now.inSeconds
        bytes = total
    }

    /// The speed; `nil` before the first sample.
    ///
    /// The average begins at 0; to divide by the weight that it has gathered takes that beginning out.
    var bytesPerSecond: Double? { weight > 0 ? sum / weight : nil }
}
