import Foundation
import HTTPChainCore

/// A fixed limit.
struct FixedConcurrency: ConcurrencyRule {
    let limit: Int
    mutating func learn(_: ConcurrencySample) {}
}

/// A fractional limit with the bounds of a rule.
struct BoundedLimit: Sendable {
    let range: ClosedRange<Double>
    private(set) var value: Double

    init(_ range: ClosedRange<Int>, initial: Int) {
        let lower = max(1, range.lowerBound)
        let upper = min(max(lower, range.upperBound), 1_000_000)
        self.range = Double(min(lower, upper))...Double(upper)
        value = 0
        set(Double(initial))
    }

    mutating func set(_ new: Double) {
        guard new.isFinite else { return }
        value = min(max(new, range.lowerBound), range.upperBound)
    }

    var limit: Int { Int(value) }
}

/// Additive increase, multiplicative decrease (Chiu and Jain, 1989).
struct AIMDConcurrency: ConcurrencyRule {
    private var bounded: BoundedLimit

    init(in range: ClosedRange<Int>, initial: Int) { bounded = BoundedLimit(range, initial: initial) }

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
struct VegasConcurrency: ConcurrencyRule {
    private var bounded: BoundedLimit
    private var shortest: Double?
    private var samples = 0

    init(in range: ClosedRange<Int>, initial: Int) { bounded = BoundedLimit(range, initial: initial) }

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
struct Gradient2Concurrency: ConcurrencyRule {
    private var bounded: BoundedLimit
    private var long = 0.0
    private var count = 0
    /// The sum of the first samples, whose plain mean is the initial average.
    private var sum = 0.0

    init(in range: ClosedRange<Int>, initial: Int) { bounded = BoundedLimit(range, initial: initial) }

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
