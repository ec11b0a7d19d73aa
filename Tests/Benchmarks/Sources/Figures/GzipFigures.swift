import Scenarios

/// How fast the gzip stage is beside a plain C loop over zlib, at the same level and with the same buffers.
enum GzipFigures {
    /// `gzip.ratio` and `gunzip.ratio`: throughput through the stage over that of C, the median of alternating rounds;
    /// the aim is 0.95.
    static func measure() async throws -> [Figure] {
        let scenarios = try await GzipScenarios()
        let compressing = [try scenarios.compressing(named: "gzip"), scenarios.compressingInC(named: "gzip.c")]
        let decoding = [try scenarios.decoding(named: "gunzip"), scenarios.decodingInC(named: "gunzip.c")]
        return try await ratio(of: compressing, rounds: 7) + ratio(of: decoding, rounds: 25)
    }

    private static func ratio(of pair: [Scenario], rounds: Int) async throws -> [Figure] {
        let measured = try await Measurements.of(pair, count: 1, rounds: rounds)
        let speeds = pair.map { scenario in
            let seconds = measured.time(of: scenario.name) / 1e9
            return Figure(name: scenario.name, value: Double(GzipScenarios.size >> 20) / seconds, unit: "MiB/s")
        }
        // Times, so upside down: what C takes over what the stage takes.
        let ratio = measured.ratio(pair[1].name, to: pair[0].name)
        return [Figure(name: "\(pair[0].name).ratio", value: ratio, unit: "x")] + speeds
    }
}
