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
        for (bytes, name) in [(2 << 20, "2m"), (32 << 20, "32m")] {
            var cold = ColdCalls(after: bytes, named: name)
            figures += try await cold.figures(of: scenarios)
        }
        let presets = try PresetScenarios.inMemory()
        let compared = try await Measurements.of(presets, count: 5000, rounds: 25)
        let (preset, copy) = (presets[0].name, presets[1].name)
        figures += compared.figures(of: preset, over: copy) + compared.figures(of: copy)
        figures.append(Figure(name: "\(preset).ratio", value: compared.ratio(preset, to: copy), unit: "x"))
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
        var switches: [Double] = []
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
            for scenario in [bare, transport, chain] {
                let figure = "readme.\(scenario.name == bare.name ? "bare" : scenario.name).\(name)\(suffix).switches"
                let count = median(samples[scenario.name]?.switches ?? [])
                figures.append(Figure(name: figure, value: count, unit: "count"))
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
                let (usage, allocations) = (Usage.current, malloc_counter_value())
                try await run(scenario, tasks: tasks)
                let used = Usage.current
                samples[scenario.name, default: Samples()].time.append(
                    (used.nanoseconds - usage.nanoseconds) / Double(Self.perRound)
                )
                samples[scenario.name, default: Samples()].switches.append(
                    (used.switches - usage.switches) / Double(Self.perRound)
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
}

/// What all threads of this process have used so far.
private struct Usage {
    /// The processor's time, of the program and of the system for it.
    let nanoseconds: Double
    /// How often a thread made way for another, because it waited or had its turn.
    let switches: Double

    static var current: Usage {
        var usage = rusage()
        #if canImport(Darwin)
        getrusage(RUSAGE_SELF, &usage)
        #else
        getrusage(__rusage_who_t(RUSAGE_SELF.rawValue), &usage)
        #endif
        func nanoseconds(_ time: timeval) -> Double { Double(time.tv_sec) * 1e9 + Double(time.tv_usec) * 1e3 }
        return Usage(
            nanoseconds: nanoseconds(usage.ru_utime) + nanoseconds(usage.ru_stime),
            switches: Double(usage.ru_nvcsw + usage.ru_nivcsw)
        )
    }
}

/// Calls after memory of a size was touched, as the kernel, TLS and SwiftNIO touch it between the calls of a program.
struct ColdCalls {
    private static let rounds = 3
    private static let perRound = 300

    private let name: String
    private var memory: [UInt8]

    init(after bytes: Int, named name: String) {
        self.name = name
        memory = [UInt8](repeating: 1, count: bytes)
    }

    /// The best median of the rounds, for each scenario.
    mutating func figures(of scenarios: [Scenario]) async throws -> [Figure] {
        var best: [String: Double] = [:]
        for _ in 0..<Self.rounds {
            for scenario in scenarios {
                var times: [Double] = []
                for _ in 0..<Self.perRound {
                    touch()
                    let start = ContinuousClock.now
                    try await scenario.run(1)
                    times.append(start.duration(to: .now).nanoseconds)
                }
                best[scenario.name] = min(best[scenario.name] ?? .infinity, times.sorted()[times.count / 2])
            }
        }
        return scenarios.map { Figure(name: "\($0.name).cold.\(name)", value: best[$0.name] ?? .nan, unit: "ns") }
    }

    /// Writes to each cache line of the memory.
    mutating func touch() {
        for index in stride(from: 0, to: memory.count, by: 64) { memory[index] &+= 1 }
    }
}
