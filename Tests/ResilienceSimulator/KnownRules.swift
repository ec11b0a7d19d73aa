import Foundation
package import HTTPChainConcurrencyLimit
import HTTPChainCore

extension ConcurrencyAlgorithm {
    /// Additive increase after a success at the limit, and a decrease by a tenth after a drop.
    package static func aimd(in range: ClosedRange<Int> = 1...1000, initial: Int = 10) -> ConcurrencyAlgorithm {
        .custom("AIMD") { AIMDConcurrency(bounded: BoundedLimit(range, initial: initial)) }
    }

    /// Keeps the server's queue, estimated from the shortest latency, between two bounds, as in TCP Vegas.
    package static func vegas(in range: ClosedRange<Int> = 1...1000, initial: Int = 10) -> ConcurrencyAlgorithm {
        .custom("Vegas") { VegasConcurrency(bounded: BoundedLimit(range, initial: initial)) }
    }

    /// Compares the current latency with its long-term average, as in Netflix's Gradient2 rule.
    package static func gradient2(in range: ClosedRange<Int> = 1...1000, initial: Int = 10) -> ConcurrencyAlgorithm {
        .custom("Gradient2") { Gradient2Concurrency(bounded: BoundedLimit(range, initial: initial)) }
    }
}

/// Additive increase, multiplicative decrease (Chiu and Jain, 1989).
private struct AIMDConcurrency: ConcurrencyRule {
    fileprivate var bounded: BoundedLimit

    var limit: Int { bounded.limit }

    mutating func learn(_ sample: ConcurrencySample) {
        if sample.outcome == .dropped {
            bounded.set(bounded.value * 0.9)
        } else if Double(sample.inFlight) * 2 >= bounded.value {
            bounded.set(bounded.value + 1)
        }
    }
}

/// TCP Vegas (Brakmo and Peterson, 1995) as adapted by Netflix's concurrency-limits.
private struct VegasConcurrency: ConcurrencyRule {
    fileprivate var bounded: BoundedLimit
    fileprivate var shortest: Double?
    fileprivate var samples = 0

    var limit: Int { bounded.limit }

    mutating func learn(_ sample: ConcurrencySample) {
        let latency = sample.latency.inSeconds
        guard latency > 0 else { return }
        let step = max(1, log10(bounded.value))
        samples += 1
        if Double(samples) > 30 * bounded.value {
            samples = 0
            shortest = latency
            return
        }
        if sample.outcome == .dropped { return bounded.set(bounded.value - step) }
        guard let known = shortest, latency >= known else {
            shortest = latency
            return
        }
        guard Double(sample.inFlight) * 2 >= bounded.value else { return }
        let queue = (bounded.value * (1 - known / latency)).rounded(.up)
        if queue <= step {
            bounded.set(bounded.value + 6 * step)
        } else if queue < 3 * step {
            bounded.set(bounded.value + step)
        } else if queue > 6 * step {
            bounded.set(bounded.value - step)
        }
    }
}

/// The Gradient2 rule of Netflix's concurrency-limits.
private struct Gradient2Concurrency: ConcurrencyRule {
    fileprivate var bounded: BoundedLimit
    fileprivate var long = 0.0
    fileprivate var count = 0
    /// The sum of the first samples, whose plain mean is the initial average.
    fileprivate var sum = 0.0

    var limit: Int { bounded.limit }

    mutating func learn(_ sample: ConcurrencySample) {
        let latency = sample.latency.inSeconds
        guard latency > 0 else { return }
        count += 1
        if count <= 10 {
            sum += latency
            long = sum / Double(count)
        } else {
            long += (latency - long) * 2 / 601
        }
        if long / latency > 2 { long *= 0.95 }
        guard Double(sample.inFlight) * 2 >= bounded.value else { return }
        let gradient = max(0.5, min(1, 1.5 * long / latency))
        bounded.set(bounded.value * 0.8 + (bounded.value * gradient + 4) * 0.2)
    }
}
