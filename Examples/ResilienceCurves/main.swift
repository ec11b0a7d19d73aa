// Draws the effects of the circuit breaker, concurrency limit, load shedding and hedging on simulated failures:
//
//     swift run -c release ResilienceCurves [directory]
//     swift run -c release ResilienceCurves --table
//     swift run -c release ResilienceCurves --check Sources/HTTPChain/HTTPChain.docc/Resilience.md
//
// The first command prints a line for each run and, if a directory is given, writes one SVG for each scenario there.
// The second prints the means over five seeds as a Markdown table. The third fails unless the page contains that table
// and the adaptive limit is better than every other limit, or worse by no more than `ScoreBound` has a reason for.

import Foundation
import HTTPChainCircuitBreaker
import HTTPChainHedging
import HTTPChainLoadShedding
import ResilienceSimulator

if CommandLine.arguments.dropFirst().first == "--table" {
    print(ScoreTable.markdown())
    exit(0)
}
if CommandLine.arguments.dropFirst().first == "--check" {
    guard let page = CommandLine.arguments.dropFirst(2).first else {
        print("say which page is to be checked: --check PAGE")
        exit(2)
    }
    let text = try String(contentsOfFile: page, encoding: .utf8)
    let scores = ScoreTable.means()
    let missing = ScoreTable.markdown(scores).split(separator: "\n").filter { !text.contains($0) }
    guard missing.isEmpty else {
        print("\(page) does not have these rows; put the output of --table there:")
        for row in missing { print(row) }
        exit(1)
    }
    let behind = ScoreBound.all.flatMap { bound in bound.exceeded(by: scores.filter { $0.scenario == bound.scenario }) }
    guard behind.isEmpty else {
        print("the adaptive limit is further behind the best of the others than its reason says:")
        for score in behind { print(score) }
        exit(1)
    }
    print("\(page) has all scores")
    exit(0)
}

let directory = CommandLine.arguments.dropFirst().first.map { URL(fileURLWithPath: $0, isDirectory: true) }
if let directory { try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true) }

var breaker = ClientPolicy("breaker")
breaker.breaker = CircuitBreakerPolicy()
var shedding = ClientPolicy("shedding")
shedding.shedding = LoadSheddingPolicy(multiplier: 1.1, window: .seconds(10))
var hedging = ClientPolicy("hedging")
hedging.hedging = HedgingPolicy(after: .quantile(0.96))
hedging.budget = 0.05

let none = ClientPolicy("none")
let comparisons: [(name: String, scenario: Scenario, policies: [ClientPolicy])] =
    Scenario.all.map { ($0.name, $0, ClientPolicy.limits) } + [
        ("breaker, constant timeouts", .constantTimeouts, [none, breaker]),
        ("breaker, thundering herd", .herd, [none, breaker]), ("shedding, overload", .overload, [none, shedding]),
        ("hedging, stragglers", .stragglers, [none, hedging]), ("rate limit, quota", .quota, ClientPolicy.rates),
    ]

print(Score.heading)
for comparison in comparisons {
    let scores = comparison.policies.map { Simulation.run(comparison.scenario, $0) }
    for score in scores { print(score.line) }
    guard let directory else { continue }
    let name = comparison.name.replacingOccurrences(of: ",", with: "").replacingOccurrences(of: " ", with: "-")
    let picture = Picture(scenario: comparison.scenario, scores: scores)
    try Data(picture.svg.utf8).write(to: directory.appendingPathComponent("\(name).svg"))
}
