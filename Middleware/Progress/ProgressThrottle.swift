/// Lets through so many reports a second and no more.
struct ProgressThrottle: Sendable {
    private let interval: Duration
    private var next: Duration?

    /// - Parameter rate: How many a second; all of them where it is not a positive number.
    init(perSecond rate: Double) {
        interval = rate.isFinite && rate > 0 ? .seconds(1 / min(max(rate, 1e-6), 1e6)) : .zero
    }

    /// Whether a report may go out now; one that may counts.
    mutating func admits(at now: Duration) -> Bool {
        if let next, now < next { return false }
        pass(at: now)
        return true
    }

    /// Counts a report that goes out whatever the rate.
    mutating func pass(at now: Duration) {
        next = now + interval
    }
}
