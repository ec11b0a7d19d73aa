import Foundation
import HTTPChainSupport

/// The smoothed speed of a transfer: an exponential average weighted by the time between samples.
struct Throughput: Sendable {
    /// Shorter steps are combined, so that a burst of small chunks is one sample.
    private static let shortestStep = 0.1

    private let window: Double
    private var time: Double
    private var bytes: Int64 = 0
    private var sum = 0.0
    private var weight = 0.0

    /// Begins measuring.
    ///
    /// - Parameters:
    ///   - start: The time at which the transfer had 0 bytes.
    ///   - window: The averaging time. Older samples have a weight of at most about a third.
    init(from start: Duration, over window: Duration = .seconds(3)) {
        time = start.inSeconds
        self.window = window.inSeconds
    }

    /// Records the total number of bytes transferred so far.
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
    /// The average begins at 0. Dividing by the accumulated weight removes that initial value.
    var bytesPerSecond: Double? { weight > 0 ? sum / weight : nil }
}
