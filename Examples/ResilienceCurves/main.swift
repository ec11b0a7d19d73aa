// Draws what the rules of circuit breaker, concurrency limit, load shedding and hedging do in simulated trouble:
//
//     swift run -c release ResilienceCurves [directory]
//
// prints the table of scores and, with a directory, writes one SVG for each scenario there.

import Foundation
import HTTPChainCircuitBreaker
import HTTPChainHedging
import HTTPChainLoadShedding
import ResilienceSimulator

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
        ("hedging, stragglers", .stragglers, [none, hedging]),
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
