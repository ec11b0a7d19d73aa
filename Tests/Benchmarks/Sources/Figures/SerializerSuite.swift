import Scenarios

extension Suite {
    /// Decoding 1 MiB of JSON through the serializer stage, beside `JSONDecoder` alone.
    static let serializer = Suite(name: "serializer", prefixes: ["serializer"], run: measureSerializer)

    private static func measureSerializer() async throws -> [Figure] {
        let scenarios = try SerializerScenarios.all()
        let measured = try await Measurements.of(scenarios, count: 2, rounds: 41)
        return scenarios.flatMap { measured.figures(of: $0.name) }
            + [
                Figure(
                    name: "serializer.json1m.ratio",
                    value: measured.ratio("serializer.json1m", to: "serializer.json1m.decoder"),
                    unit: "x"
                )
            ]
    }
}
