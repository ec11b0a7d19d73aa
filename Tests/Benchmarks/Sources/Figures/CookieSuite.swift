import Scenarios

extension Suite {
    /// What cookies add to a call that has none, and how long it takes to find those of a request among many.
    static let cookies = Suite(name: "cookies", prefixes: ["cookies"]) {
        // Before anything else, which might ask the list.
        let suffix = try CookieScenarios.firstSuffix()
        let stages = try await CookieScenarios.stages()
        let calls = try await Measurements.of(stages, count: 20_000, rounds: 25)
        var figures = stages.flatMap { calls.figures(of: $0.name, over: CookieScenarios.baseline) }
        figures.append(Figure(name: "cookies.suffix.first", value: suffix.nanoseconds, unit: "ns"))

        let few = try await CookieScenarios.selection("cookies.select.10", others: 0)
        let many = try await CookieScenarios.selection("cookies.select.3000", others: 2_990)
        let call = try await CookieScenarios.call("cookies.call.3000", others: 2_990)
        let selections = try await Measurements.of([few, many, call], count: 1_000, rounds: 25)
        for one in [few, many, call] { figures += selections.figures(of: one.name) }
        figures.append(
            Figure(
                name: "cookies.growth.ratio",
                value: selections.ratio(many.name, to: few.name),
                unit: "x"
            )
        )
        return figures
    }
}
