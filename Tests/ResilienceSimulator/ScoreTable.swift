/// What a policy made of a scenario on average over several seeds.
package struct MeanScore: Sendable {
    package let scenario: String
    package let policy: String
    package let goodput: Double
    package let p50: Double
    package let p99: Double
    package let p999: Double
    package let wasted: Double
    /// `nil` where one of the runs never recovered, or there was nothing to recover from.
    package let recovery: Double?
    package let fairness: Double
    package let rejected: Double

    /// Runs a policy through a scenario, once for each seed.
    ///
    /// - Parameter seeds: What the numbers of each run begin with.
    package init(_ scenario: Scenario, _ policy: ClientPolicy, seeds: [UInt64] = ScoreTable.seeds) {
        let scores = seeds.map { Simulation.run(scenario, policy, seed: $0) }
        func mean(_ value: (Score) -> Double) -> Double {
            scores.reduce(0) { $0 + value($1) } / Double(max(1, scores.count))
        }
        self.scenario = scenario.name
        self.policy = policy.name
        goodput = mean(\.goodput)
        p50 = mean(\.p50)
        p99 = mean(\.p99)
        p999 = mean(\.p999)
        wasted = mean(\.wasted)
        fairness = mean(\.fairness)
        rejected = mean(\.rejected)
        recovery = scores.allSatisfy { $0.recovery != nil } ? mean { $0.recovery ?? 0 } : nil
    }

    /// One row of a table in Markdown.
    package var row: String {
        func percent(_ share: Double) -> String { "\(Int((share * 100).rounded())) %" }
        func whole(_ value: Double) -> String { value.isFinite ? "\(Int(value.rounded()))" : "-" }
        func tenths(_ value: Double) -> String { "\((value * 10).rounded() / 10)" }
        let cells = [
            scenario, policy, percent(goodput), whole(p50), whole(p99), whole(p999), percent(wasted),
            recovery.map { tenths($0) + " s" } ?? "-", "\((fairness * 100).rounded() / 100)", percent(rejected),
        ]
        return "| " + cells.joined(separator: " | ") + " |"
    }
}

/// The scores of all policies in all scenarios, as the documentation shows them.
package enum ScoreTable {
    /// What the runs of a mean begin with.
    package static let seeds: [UInt64] = [1, 2, 3, 4, 5]

    /// Each scenario with the policies that it judges.
    package static let comparisons: [(scenario: Scenario, policies: [ClientPolicy])] =
        Scenario.all.map { ($0, ClientPolicy.limits) } + [(.quota, ClientPolicy.rates)]

    /// Runs every policy through its scenarios, once for each seed.
    package static func means() -> [MeanScore] {
        comparisons.flatMap { comparison in comparison.policies.map { MeanScore(comparison.scenario, $0) } }
    }

    /// The table in Markdown.
    package static func markdown(_ scores: [MeanScore] = means()) -> String {
        let heading = [
            "| scenario | policy | goodput | p50 | p99 | p99.9 | wasted | recovery | fairness | 429 |",
            "| --- | --- | --- | --- | --- | --- | --- | --- | --- | --- |",
        ]
        return (heading + scores.map(\.row)).joined(separator: "\n")
    }
}
