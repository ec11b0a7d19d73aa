import Foundation
import HTTPChainCore
import HTTPChainRemoteLogging
import HTTPChainURLSession
import Scenarios

extension Suite {
    /// What logging costs the program, how much a shipper sends, and what it keeps while nobody takes it.
    static let logging = Suite(name: "logging", prefixes: ["logging"], run: measureLogging)

    private static func measureLogging() async throws -> [Figure] {
        let scenarios = LoggingScenarios.enqueueing()
        let measured = try await Measurements.of(scenarios, count: 20_000, rounds: 15)
        var figures = scenarios.flatMap { measured.figures(of: $0.name) }
        figures += try await LogFormatFigures.measure()
        figures += try await spooling()
        figures += try await sustained()
        let growth = try await ResidentMemory.growth(
            warmingUp: { try await offer(1) },
            while: { try await offer(1_000_000) }
        )
        if let growth { figures.append(Figure(name: "logging.down.growth", value: growth, unit: "MiB")) }
        return figures
    }

    private static func spooling() async throws -> [Figure] {
        let directory = FileManager.default.temporaryDirectory.appendingPathComponent("figures-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: directory) }
        let scenario = try LoggingScenarios.spooling(in: directory)
        return try await Measurements.of([scenario], count: 2000, rounds: 15).figures(of: scenario.name)
    }

    /// 100,000 records a second for three seconds, to a server in a process of its own.
    private static func sustained() async throws -> [Figure] {
        let server = try LoopbackServer()
        defer { server.stop() }
        let transport = URLSessionTransport()
        let shipper = LoggingScenarios.shipper(
            over: transport,
            to: "\(server.url)/logs",
            settings: LoggingScenarios.manyRecords
        )
        let (perTick, ticks) = (1000, 300)
        let start = ContinuousClock.now
        for tick in 0..<ticks {
            for number in 0..<perTick { shipper.log(LoggingScenarios.record(number)) }
            try await Task.sleep(until: start + .milliseconds(10) * (tick + 1), clock: .continuous)
        }
        try await shipper.shutdown(deadline: .seconds(10))
        let seconds = start.duration(to: .now).nanoseconds / 1e9
        await transport.shutdown()
        let statistics = shipper.statistics
        return [
            Figure(name: "logging.sustained", value: Double(statistics.acknowledged) / seconds, unit: "records/s"),
            Figure(
                name: "logging.sustained.lost",
                value: Double(perTick * ticks - statistics.acknowledged),
                unit: "count"
            ),
        ]
    }

    /// Offers records to a shipper whose receiver is not there.
    private static func offer(_ count: Int) async throws {
        let shipper = LoggingScenarios.shipper(over: AbsentReceiver())
        for number in 0..<count { shipper.log(LoggingScenarios.record(number)) }
        let statistics = shipper.statistics
        guard statistics.accepted + statistics.dropped.total >= count else { throw Uncounted() }
        try await shipper.shutdown(deadline: .zero)
    }
}

/// Records that the statistics do not know of.
struct Uncounted: Error {}
