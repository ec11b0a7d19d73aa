import Foundation
import HTTPChainCore
import HTTPTypes
import MallocCounter
import Scenarios

extension Suite {
    /// The README's chain: what it costs by itself, what a hit of its cache costs, and the processor's time of a call over
    /// each transport against the client below used without the library.
    static let readme = Suite(name: "readme", prefixes: ["readme"], run: measureReadme)

    private static func measureReadme() async throws -> [Figure] {
        let scenarios = try await ReadmeScenarios.inMemory()
        let measured = try await Measurements.of(scenarios, count: 5000, rounds: 25)
        var figures = scenarios.flatMap { measured.figures(of: $0.name) }
        let server = try LoopbackServer()
        defer { server.stop() }
        let (url, withContent) = (server.url, server.contentURL)
        let path = "/users/42"
        for (peer, base) in [
            (NetworkPeer.asyncHTTPClient(url + path), url),
            (.asyncHTTPClient(withContent + path, named: "asynchttpclient.body"), withContent),
            (try .urlSession(url + path), url),
        ] {
            figures += try await ReadmeCalls(peer, base: base).figures()
            try await peer.shutdown()
        }
        return figures
    }
}

/// Calls to a server in a process of its own: by a plain client, over its transport, and through the README's chain.
private struct ReadmeCalls {
    private static let rounds = 25
    private static let perRound = 240

    /// What a call took, of each round.
    private struct Samples {
        var time: [Double] = []
        var allocations: [Double] = []
    }

    private let name: String
    private let bare: Scenario
    private let transport: Scenario
    private let chain: Scenario

    init(_ peer: NetworkPeer, base: String) throws {
        name = peer.name
        bare = peer.bare
        var request = Request.get(base + "/users/42")
        for field in ReadmeScenarios.fields {
            if let name = HTTPField.Name(field.name) { request.headers[name] = field.value }
        }
        transport = ReadmeScenarios.calls(
            of: request,
            through: try Chain(transport: peer.transport),
            named: "transport"
        )
        chain = ReadmeScenarios.calls(
            of: .get("users/42", headers: [.accept: "application/json"]),
            through: try ReadmeScenarios.chain(over: peer.transport, base: base),
            named: "chain"
        )
    }

    func figures() async throws -> [Figure] {
        var figures: [Figure] = []
        for (suffix, tasks) in [("", 16), (".sequential", 1)] {
            let samples = try await measure(tasks: tasks)
            func ratio(_ scenario: Scenario) -> Double {
                let pairs = zip(samples[scenario.name]?.time ?? [], samples[bare.name]?.time ?? [])
                return median(pairs.map { $0 / $1 })
            }
            let time = median(samples[bare.name]?.time ?? [])
            figures.append(Figure(name: "readme.bare.\(name)\(suffix)", value: time, unit: "ns"))
            for scenario in [transport, chain] {
                let figure = "readme.\(scenario.name).\(name)\(suffix).cpu"
                figures.append(Figure(name: figure, value: ratio(scenario), unit: "x"))
            }
            guard malloc_counter_is_available(), tasks == 1 else { continue }
            for scenario in [bare, transport, chain] {
                let figure = "readme.\(scenario.name).\(name).allocations"
                let count = median(samples[scenario.name]?.allocations ?? [])
                figures.append(Figure(name: figure, value: count, unit: "count"))
            }
        }
        return figures
    }

    /// The processor's time of all threads of this process for a call, and its allocations, in rounds in which the three
    /// take turns in a changing order.
    private func measure(tasks: Int) async throws -> [String: Samples] {
        let scenarios = [bare, transport, chain]
        for scenario in scenarios { try await run(scenario, tasks: tasks) }
        var samples: [String: Samples] = [:]
        for round in 0..<Self.rounds {
            for place in scenarios.indices {
                let scenario = scenarios[(place + round) % scenarios.count]
                let (time, allocations) = (Self.processorTime, malloc_counter_value())
                try await run(scenario, tasks: tasks)
                samples[scenario.name, default: Samples()].time.append(
                    (Self.processorTime - time) / Double(Self.perRound)
                )
                samples[scenario.name, default: Samples()].allocations.append(
                    Double(malloc_counter_value() - allocations) / Double(Self.perRound)
                )
            }
        }
        return samples
    }

    private func run(_ scenario: Scenario, tasks: Int) async throws {
        guard tasks > 1 else { return try await scenario.run(Self.perRound) }
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<tasks { group.addTask { try await scenario.run(Self.perRound / tasks) } }
            try await group.waitForAll()
        }
    }

    private func median(_ values: [Double]) -> Double {
        let sorted = values.sorted()
        return sorted.isEmpty ? .nan : sorted[sorted.count / 2]
    }

    /// In nanoseconds, of the program and of the system for it.
    private static var processorTime: Double {
        var usage = rusage()
        #if canImport(Darwin)
        getrusage(RUSAGE_SELF, &usage)
        #else
        getrusage(__rusage_who_t(RUSAGE_SELF.rawValue), &usage)
        #endif
        func nanoseconds(_ time: timeval) -> Double { Double(time.tv_sec) * 1e9 + Double(time.tv_usec) * 1e3 }
        return nanoseconds(usage.ru_utime) + nanoseconds(usage.ru_stime)
    }
}
