import Scenarios

/// How fast the stage is beside a plain C loop over the same library, at the same level and with the same buffers, and
/// how much memory a long stream takes.
enum CodingFigures {
    /// Measures all codings.
    ///
    /// `gzip.ratio`, `gunzip.ratio`, `brotli.encode.ratio` and so on are throughput through the stage over that of C, the
    /// median of alternating rounds; the aim is 0.95. `memory.brotli1g` and `memory.zstd1g` are the growth of the peak of
    /// resident memory while a stream of 1 GB is encoded and decoded again.
    static func measure() async throws -> [Figure] {
        var figures = try await ratios(of: .gzip, encoding: "gzip", decoding: "gunzip", rounds: 7)
        for coding in [CodingScenarios.Coding.brotli, .zstd] {
            let name = coding.name
            let growth = try await ResidentMemory.growth(
                warmingUp: { try await CodingScenarios.passing(32 << 20, coding) },
                while: { try await CodingScenarios.passing(1_000_000_000, coding) }
            )
            if let growth { figures.append(Figure(name: "memory.\(name)1g", value: growth, unit: "MiB")) }
            figures += try await ratios(of: coding, encoding: "\(name).encode", decoding: "\(name).decode", rounds: 5)
        }
        return figures
    }

    private static func ratios(
        of coding: CodingScenarios.Coding,
        encoding: String,
        decoding: String,
        rounds: Int
    ) async throws -> [Figure] {
        let scenarios = try await CodingScenarios(coding)
        let encoders = [try scenarios.encoding(named: encoding), scenarios.encodingInC(named: "\(encoding).c")]
        let decoders = [try scenarios.decoding(named: decoding), scenarios.decodingInC(named: "\(decoding).c")]
        return try await ratio(of: encoders, rounds: rounds) + ratio(of: decoders, rounds: 25)
    }

    private static func ratio(of pair: [Scenario], rounds: Int) async throws -> [Figure] {
        let measured = try await Measurements.of(pair, count: 1, rounds: rounds)
        let speeds = pair.map { scenario in
            let seconds = measured.time(of: scenario.name) / 1e9
            return Figure(name: scenario.name, value: Double(CodingScenarios.size >> 20) / seconds, unit: "MiB/s")
        }
        // Times, so upside down: what C takes over what the stage takes.
        let ratio = measured.ratio(pair[1].name, to: pair[0].name)
        return [Figure(name: "\(pair[0].name).ratio", value: ratio, unit: "x")] + speeds
    }
}
