/// How far the adaptive limit may be behind the best of the other limits in one scenario, on average over
/// `ScoreTable.seeds`, and why.
package struct ScoreBound: Sendable {
    package let scenario: String
    /// In shares of what could be answered.
    let goodput: Double
    /// In times of the shortest; of rules that answer about as many calls, since the calls that are not answered have
    /// no latency.
    let p99: Double
    let p999: Double
    /// In shares of the work.
    let wasted: Double
    /// In seconds.
    let recovery: Double
    let fairness: Double
    package let reason: String

    /// Says which scores are further behind than this allows; nothing if none is.
    ///
    /// - Parameter scores: The means of all limits in this scenario.
    package func exceeded(by scores: [MeanScore]) -> [String] {
        let adaptive = ClientPolicy.adaptive.name
        let others = scores.filter { $0.policy != adaptive }
        guard let ours = scores.first(where: { $0.policy == adaptive }), let best = others.map(\.goodput).max() else {
            return ["\(scenario): there is nothing to compare"]
        }
        let near = others.filter { $0.goodput >= best - 0.1 }
        var found: [String] = []
        func check(_ score: String, _ behind: Double?, _ allowed: Double) {
            guard let behind, behind > allowed + 0.005 else { return }
            found.append("\(scenario): \(score) is behind by \(behind), and \(allowed) is allowed: \(reason)")
        }
        func ratio(_ value: (MeanScore) -> Double) -> Double? { near.map(value).min().map { value(ours) / $0 } }
        check("goodput", best - ours.goodput, goodput)
        check("p99", ratio(\.p99), p99)
        check("p99.9", ratio(\.p999), p999)
        check("wasted work", near.map(\.wasted).min().map { ours.wasted - $0 }, wasted)
        check("fairness", near.map(\.fairness).max().map { $0 - ours.fairness }, fairness)
        check("recovery", near.compactMap(\.recovery).min().map { (ours.recovery ?? .infinity) - $0 }, recovery)
        return found
    }

    /// One for each scenario.
    package static let all: [ScoreBound] = [
        ScoreBound(
            scenario: Scenario.overload.name,
            goodput: 0.002,
            p99: 1.31,
            p999: 1.27,
            wasted: 0,
            recovery: 0,
            fairness: 0.023,
            reason: "A client whose limit is the larger keeps it for a while; a fixed one gives each the same."
        ),
        ScoreBound(
            scenario: Scenario.slowStart.name,
            goodput: 0.003,
            p99: 1.34,
            p999: 1.24,
            wasted: 0.011,
            recovery: 0,
            fairness: 0.004,
            reason: "Doubling at first overshoots once; the fixed limit was chosen well for this server."
        ),
        ScoreBound(
            scenario: Scenario.badHost.name,
            goodput: 0.001,
            p99: 1.16,
            p999: 3.78,
            wasted: 0,
            recovery: 0,
            fairness: 0,
            reason: "No limit loses the calls to the bad host; those that a limit lets wait are answered late."
        ),
        ScoreBound(
            scenario: Scenario.brownOut.name,
            goodput: 0.013,
            p99: 1.12,
            p999: 1.09,
            wasted: 0.001,
            recovery: 0,
            fairness: 0.003,
            reason: "The limit follows the server by rounds; the fixed one was right before and after."
        ),
        ScoreBound(
            scenario: Scenario.constantTimeouts.name,
            goodput: 0.022,
            p99: 1.41,
            p999: 1.2,
            wasted: 0.005,
            recovery: 0.6,
            fairness: 0,
            reason: "The limit falls to one, and doubles by short rounds; Vegas adds six an answer."
        ),
        ScoreBound(
            scenario: Scenario.drift.name,
            goodput: 0.014,
            p99: 1,
            p999: 1,
            wasted: 0,
            recovery: 0,
            fairness: 0.001,
            reason: "Rounds with fewer calls measure the latency without a queue."
        ),
        ScoreBound(
            scenario: Scenario.herd.name,
            goodput: 0.018,
            p99: 1.09,
            p999: 1.09,
            wasted: 0,
            recovery: 1,
            fairness: 0.008,
            reason: "As after constant timeouts, the limit has to be found again."
        ),
        ScoreBound(
            scenario: Scenario.lowRate.name,
            goodput: 0.002,
            p99: 1.14,
            p999: 1.01,
            wasted: 0.011,
            recovery: 0,
            fairness: 0,
            reason: "The limit is never reached: what differs is which of the few calls fail while the server hangs."
        ),
    ]
}
