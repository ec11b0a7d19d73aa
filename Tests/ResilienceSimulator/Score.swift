/// What a policy made of a scenario.
package struct Score: Sendable {
    package var scenario: String
    package var policy: String
    /// The calls answered in time, as a share of those that could have been: the calls made, or what the servers can
    /// answer, whichever is less, second by second.
    package var goodput = 0.0
    /// Latencies of the calls answered in time, waits included, in milliseconds.
    package var p50 = 0.0
    package var p99 = 0.0
    package var p999 = 0.0
    /// The share of the servers' work that nobody waited for any more.
    package var wasted = 0.0
    /// Seconds from the end of the disturbance until nine tenths of the calls are answered for two seconds; `nil` where
    /// there was none, or it never came to that.
    package var recovery: Double?
    /// Jain's index over the clients' answered calls: 1 when all have the same.
    package var fairness = 1.0
    /// Attempts for each call.
    package var load = 1.0
    /// The share of the attempts that a server answered with 429.
    package var rejected = 0.0
    /// Second by second.
    package var series: [Second] = []

    package struct Second: Sendable {
        package var offered = 0
        package var answered = 0
        package var refused = 0
        /// The limit of the first client for the first server; 0 without.
        package var limit = 0
        /// What waits or is worked on at the servers.
        package var atServers = 0
    }

    /// One line of a table.
    package var line: String {
        func text(_ value: Double, _ digits: Int = 0) -> String {
            let scale = digits == 2 ? 100.0 : 1
            let rounded = (value * scale).rounded() / scale
            return digits == 0 ? "\(Int(rounded))" : "\(rounded)"
        }
        func column(_ value: String, _ width: Int) -> String {
            value + String(repeating: " ", count: max(1, width - value.count))
        }
        return column(scenario, 22) + column(policy, 12) + column(text(goodput * 100) + " %", 8) + column(text(p50), 7)
            + column(text(p99), 7) + column(text(p999), 8) + column(text(wasted * 100) + " %", 8)
            + column(recovery.map { text($0) + " s" } ?? "-", 8) + column(text(fairness, 2), 6)
            + column(text(load, 2), 6)
            + text(rejected * 100) + " %"
    }

    /// The names of the columns.
    package static let heading =
        "scenario              policy      goodput p50    p99    p99.9   wasted  recover fair  load  429"
}
