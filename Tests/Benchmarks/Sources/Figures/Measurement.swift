import MallocCounter
import Scenarios

/// One line of output.
struct Figure {
    let name: String
    let value: Double
    let unit: String

    var line: String {
        let digits = value == value.rounded() || abs(value) >= 1000 ? 0 : abs(value) < 10 ? 3 : 1
        return "\(name) \(Self.format(value, digits: digits)) \(unit)"
    }

    init(name: String, value: Double, unit: String) {
        self.name = name
        self.value = value
        self.unit = unit
    }

    /// A line of output read back; `nil` for any other line.
    init?(line: some StringProtocol) {
        let words = line.split(separator: " ")
        guard words.count == 3, let value = Double(words[1]) else { return nil }
        self.init(name: String(words[0]), value: value, unit: String(words[2]))
    }

    static func format(_ value: Double, digits: Int) -> String {
        guard value.isFinite, abs(value) < 1e15 else { return "\(value)" }
        let scale = (0..<digits).reduce(1.0) { scale, _ in scale * 10 }
        let scaled = Int64((abs(value) * scale).rounded())
        let whole = scaled / Int64(scale)
        let sign = value < 0 && scaled != 0 ? "-" : ""
        guard digits > 0 else { return "\(sign)\(whole)" }
        let fraction = String(scaled % Int64(scale))
        return "\(sign)\(whole)." + String(repeating: "0", count: digits - fraction.count) + fraction
    }
}

/// Several scenarios measured side by side.
struct Measurements {
    /// The best time of one run of each scenario, in nanoseconds, over all rounds.
    private(set) var best: [String: Double] = [:]
    /// The time of each round, by scenario.
    private(set) var rounds: [String: [Double]] = [:]
    /// Heap allocations of one run in steady state; empty where they cannot be counted.
    private(set) var allocations: [String: Double] = [:]
    /// The allocations of each round, by scenario.
    private var allocationRounds: [String: [Double]] = [:]

    /// Runs each scenario `count` times in a row, all of them in turn, and that for a number of rounds: what slows the
    /// machine down for a while hits all of them.
    static func of(_ scenarios: [Scenario], count: Int, rounds: Int) async throws -> Measurements {
        var result = Measurements()
        for scenario in scenarios {
            try await scenario.run(max(1, count / 10))
        }
        for _ in 0..<rounds {
            for scenario in scenarios {
                let before = malloc_counter_value()
                let start = ContinuousClock.now
                try await scenario.run(count)
                let time = start.duration(to: .now).nanoseconds / Double(count)
                let allocations = Double(malloc_counter_value() - before) / Double(count)
                result.add(scenario.name, time: time, allocations: allocations)
            }
        }
        return result
    }

    private mutating func add(_ name: String, time: Double, allocations count: Double) {
        best[name] = min(best[name] ?? .infinity, time)
        rounds[name, default: []].append(time)
        guard malloc_counter_is_available() else { return }
        // The fewest of all rounds, to a hundredth: the odd allocation of the measurement itself is not the request's.
        allocationRounds[name, default: []].append(count)
        allocations[name] = min(allocations[name] ?? .infinity, (count * 100).rounded() / 100)
    }

    func time(of name: String) -> Double { best[name] ?? .nan }

    /// The median over the rounds of the ratio within a round.
    func ratio(_ name: String, to base: String) -> Double {
        let ratios = zip(rounds[name] ?? [], rounds[base] ?? []).map { $0 / $1 }.sorted()
        return ratios.isEmpty ? .nan : ratios[ratios.count / 2]
    }

    /// The middle of the times of a scenario, for what swings too much for its best to say something.
    func median(of name: String) -> Double {
        let times = (rounds[name] ?? []).sorted()
        return times.isEmpty ? .nan : times[times.count / 2]
    }

    /// The middle of the allocations of a scenario, for what allocates now more and now less; `nil` where they cannot be
    /// counted.
    func medianAllocations(of name: String) -> Double? {
        guard let counts = allocationRounds[name]?.sorted(), !counts.isEmpty else { return nil }
        return counts[counts.count / 2]
    }

    /// What a scenario takes more than another, in time and allocations; of that other, all it takes.
    func figures(of name: String, over base: String) -> [Figure] {
        if name == base { return figures(of: name) }
        var figures = [Figure(name: name, value: time(of: name) - time(of: base), unit: "ns")]
        if let count = allocations[name], let common = allocations[base] {
            figures.append(Figure(name: "\(name).allocations", value: count - common, unit: "count"))
        }
        return figures
    }

    /// Time and allocations of a scenario.
    func figures(of name: String) -> [Figure] {
        [Figure(name: name, value: time(of: name), unit: "ns")]
            + (allocations[name].map { [Figure(name: "\(name).allocations", value: $0, unit: "count")] } ?? [])
    }
}

extension Duration {
    var nanoseconds: Double {
        Double(components.seconds) * 1e9 + Double(components.attoseconds) * 1e-9
    }
}
