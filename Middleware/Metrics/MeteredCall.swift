import HTTPChainCore
import HTTPTypes
import Metrics

/// A call, from its start to the end of its response's body.
struct MeteredCall: Sendable {
    let clock: Stopwatch
    let table: MetricsTable
    let method: String
    /// The target of the call, or `nil` if an inner stage determines it.
    let target: HTTPRequest?
    /// The URL template that was set for the call.
    let template: String?
    let tellsTemplate: Bool
    let record: CallRecord
    let sent: MeteredSize

    func begin() {
        table.activeCalls(method).increment(by: 1.0)
    }

    func end(_ outcome: OutcomeKey, received: Int64? = nil, cache: CacheResult? = nil) {
        table.activeCalls(method).decrement(by: 1.0)
        let series = table.series(
            for: target ?? record.target ?? HTTPRequest(method: .get, scheme: nil, authority: nil, path: nil),
            method: method,
            template: tellsTemplate ? template ?? record.template : nil
        )
        series.end(outcome, clock.elapsed, sent: sent.value, received: received)
        series.count(retries: record.retries, redirects: record.redirects, cache: cache)
    }
}

/// Measures the time since its creation.
struct Stopwatch: Sendable {
    private let environment: CallEnvironment
    private let start: Int64
    private let bound: TimeBound

    init(_ options: borrowing RequestOptions) {
        environment = CallEnvironment(of: options)
        let start = environment.nanoseconds
        self.start = start
        bound = TimeBound(options, start: .nanoseconds(start))
    }

    /// The elapsed nanoseconds.
    var elapsed: Int64 {
        let (passed, isTooLong) = environment.nanoseconds.subtractingReportingOverflow(start)
        return isTooLong ? .max : passed
    }

    /// Whether the time limit of the exchange has passed.
    var isTimeUp: Bool { bound.hasPassed(at: environment.elapsed) }
}
