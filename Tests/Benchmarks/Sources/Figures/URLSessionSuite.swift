import Foundation
import HTTPChainURLSession
import Scenarios

extension Suite {
    /// What twelve stages add to a round trip over the loopback interface.
    ///
    /// The server is a process of its own, so that neither its time nor its allocations are the client's.
    static let urlsession = Suite(name: "urlsession", prefixes: ["urlsession"], run: measureURLSession)

    private static func measureURLSession() async throws -> [Figure] {
        let server = try LoopbackServer()
        defer { server.stop() }
        let transport = URLSessionTransport()
        let scenarios = [
            try ChainScenarios.roundTrip(over: transport, to: server.url, stages: 0, named: "urlsession.bare"),
            try ChainScenarios.roundTrip(over: transport, to: server.url, stages: 12, named: "urlsession.12"),
        ]
        // One request each in turn: the median of many pairs stands still where the times themselves swing.
        let measured = try await Measurements.of(scenarios, count: 1, rounds: 2000)
        await transport.shutdown()
        let ratio = measured.median(of: "urlsession.12") / measured.median(of: "urlsession.bare")
        var figures: [Figure] = []
        for scenario in scenarios {
            figures.append(Figure(name: scenario.name, value: measured.median(of: scenario.name), unit: "ns"))
            if let allocations = measured.medianAllocations(of: scenario.name) {
                figures.append(Figure(name: "\(scenario.name).allocations", value: allocations, unit: "count"))
            }
        }
        return figures + [Figure(name: "urlsession.12.ratio", value: ratio, unit: "x")]
    }
}
