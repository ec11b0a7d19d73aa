import Scenarios

/// What a record costs as bytes for a receiver (`logging.encode.*`), and a line of the application's log on its way to
/// the sink (`logging.handler*`).
enum LogFormatFigures {
    static func measure() async throws -> [Figure] {
        let scenarios = LogFormatScenarios.all() + LogFormatScenarios.handler()
        let measured = try await Measurements.of(scenarios, count: 1024, rounds: 60)
        return scenarios.flatMap { measured.figures(of: $0.name) }
    }
}
