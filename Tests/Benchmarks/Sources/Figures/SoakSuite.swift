import Foundation
import HTTPChainCore
import HTTPTypes
import Scenarios

extension Suite {
    /// How far resident memory grows while the README's chain over AsyncHTTPClient and over URLSession is used by 16 tasks
    /// at once for ten minutes (`SOAK_MINUTES`), by hand.
    static let soak = Suite(name: "soak", prefixes: ["soak"], isByHand: true, run: measureSoak)

    private static func measureSoak() async throws -> [Figure] {
        let minutes = ProcessInfo.processInfo.environment["SOAK_MINUTES"].flatMap { Double($0) } ?? 10
        let server = try LoopbackServer()
        defer { server.stop() }
        let url = server.url + "/users/42"
        var figures: [Figure] = []
        for peer in [NetworkPeer.asyncHTTPClient(url), try .urlSession(url)] {
            let calls = ReadmeScenarios.calls(
                of: .get("users/42", headers: [.accept: "application/json"]),
                through: try ReadmeScenarios.chain(over: peer.transport, base: server.url),
                named: peer.name
            )
            figures += try await soak(calls, for: .seconds(minutes * 60 / 2))
            try await peer.shutdown()
        }
        return figures
    }

    /// The first tenth of the time warms up.
    private static func soak(_ calls: Scenario, for time: Duration) async throws -> [Figure] {
        let start = ContinuousClock.now
        var count = 0
        var first: Double?
        while start.duration(to: .now) < time {
            try await withThrowingTaskGroup(of: Void.self) { group in
                for _ in 0..<16 { group.addTask { try await calls.run(100) } }
                try await group.waitForAll()
            }
            count += 1600
            if first == nil, start.duration(to: .now) > time / 10 { first = ResidentMemory.resident }
        }
        var figures = [Figure(name: "soak.\(calls.name).calls", value: Double(count), unit: "count")]
        if let first, let last = ResidentMemory.resident {
            figures.append(Figure(name: "soak.\(calls.name).memory", value: last, unit: "MiB"))
            figures.append(Figure(name: "soak.\(calls.name).growth", value: last - first, unit: "MiB"))
        }
        return figures
    }
}
