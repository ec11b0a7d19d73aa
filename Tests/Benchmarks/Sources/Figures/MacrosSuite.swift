import Scenarios

extension Suite {
    /// What a call of a declared client costs beside the same call written by hand.
    static let macros = Suite(name: "macros", prefixes: ["macros"], run: measureMacros)

    private static func measureMacros() async throws -> [Figure] {
        let scenarios = try DeclaredScenarios.all()
        let measured = try await Measurements.of(scenarios, count: 5_000, rounds: 25)
        let ratio = measured.ratio("macros.declared", to: "macros.written")
        return scenarios.flatMap { measured.figures(of: $0.name) }
            + [Figure(name: "macros.declared.ratio", value: ratio, unit: "x")]
    }
}
