/// Limits the rate of reports.
struct ProgressThrottle: Sendable {
    private let interval: Duration
    private var next: Duration?

    /// - Parameter rate: The maximum number per second; unlimited if it isn't a positive number.
    init(perSecond rate: Double) {
        interval = rate.isFinite && rate > 0 ? .seconds(1 / min(max(rate, 1e-6), 1e6)) : .zero
    }

    /// Returns whether a report may be sent now.
    ///
    /// If so, the report counts as sent.
    mutating func admits(at now: Duration) -> Bool {
        if let next, now < next { return false }
        pass(at: now)
        return true
    }

    /// Counts a report that is sent regardless of the rate.
    mutating func pass(at now: Duration) {
        next = now + interval
    }
}
