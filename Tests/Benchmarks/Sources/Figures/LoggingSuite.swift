import DiskStall
import Foundation
import HTTPChainCore
import HTTPChainLogShipper
import HTTPChainLogSpool
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
        figures += try await stages()
        figures += try await spooling()
        figures += try await sustained("logging.sustained", LoggingScenarios.manyRecords, perSecond: 100_000)
        figures += try await sustained("logging.sustained.defaults", LogShipper.Settings(), perSecond: 5000)
        let growth = try await ResidentMemory.growth(
            warmingUp: { try await offer(1) },
            while: { try await offer(1_000_000) }
        )
        if let growth { figures.append(Figure(name: "logging.down.growth", value: growth, unit: "MiB")) }
        return figures
    }

    /// What the stage takes of a call, over one without it.
    private static func stages() async throws -> [Figure] {
        let scenarios = try LoggingScenarios.stages()
        let measured = try await Measurements.of(scenarios, count: 2000, rounds: 20)
        return scenarios.dropFirst().flatMap { measured.figures(of: $0.name, over: scenarios[0].name) }
    }

    private static func spooling() async throws -> [Figure] {
        let directory = FileManager.default.temporaryDirectory.appendingPathComponent("figures-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: directory) }
        let scenario = try LoggingScenarios.spooling(in: directory.appendingPathComponent("enqueue"))
        var figures = try await Measurements.of([scenario], count: 2000, rounds: 15).figures(of: scenario.name)
        figures += try await stalled(in: directory.appendingPathComponent("stalled"))
        figures.append(try opening(in: directory.appendingPathComponent("full")))
        return figures
    }

    /// What one of a thousand records costs the task that logs it, at most, while the spool's disk does not answer for
    /// five seconds.
    private static func stalled(in directory: URL) async throws -> [Figure] {
        guard disk_stall_is_available() else { return [] }
        let shipper = try LoggingScenarios.spoolingShipper(in: directory)
        let record = LoggingScenarios.record(42)
        var times: [Double] = []
        disk_stall_set(true)
        let end = ContinuousClock.now + .seconds(5)
        while ContinuousClock.now < end {
            for _ in 0..<10 {
                let start = ContinuousClock.now
                shipper.log(record)
                times.append(start.duration(to: .now).nanoseconds / 1000)
            }
            try await Task.sleep(for: .milliseconds(1))
        }
        let unwritten = shipper.statistics.unwritten
        disk_stall_set(false)
        guard unwritten == times.count else { throw Uncounted() }
        while shipper.statistics.unwritten > 0 { try await Task.sleep(for: .milliseconds(1)) }
        guard shipper.statistics.accepted == times.count else { throw Uncounted() }
        try await shipper.shutdown(deadline: .zero)
        times.sort()
        return [
            Figure(name: "logging.enqueue.spool.stalled.p50", value: times[times.count / 2], unit: "us"),
            Figure(name: "logging.enqueue.spool.stalled.p999", value: times[times.count * 999 / 1000], unit: "us"),
        ]
    }

    /// How long it takes to open a spool of 64 MiB that is full.
    private static func opening(in directory: URL) throws -> Figure {
        let limit = ByteCount.mebibytes(64)
        try LoggingScenarios.fillSpool(in: directory, limit: limit)
        var best = Double.infinity
        for _ in 0..<10 {
            let start = ContinuousClock.now
            let spool = try LogSpool(directory: directory, limit: limit)
            best = min(best, start.duration(to: .now).nanoseconds / 1e6)
            spool.close()
            guard try FileManager.default.contentsOfDirectory(atPath: directory.path).isEmpty == false else {
                throw Uncounted()
            }
        }
        return Figure(name: "logging.spool.open", value: best, unit: "ms")
    }

    /// So many records a second for three seconds, to a server in a process of its own.
    private static func sustained(
        _ name: String,
        _ settings: LogShipper.Settings,
        perSecond: Int
    ) async throws -> [Figure] {
        let server = try LoopbackServer()
        defer { server.stop() }
        let transport = URLSessionTransport()
        let shipper = LoggingScenarios.shipper(over: transport, to: "\(server.url)/logs", settings: settings)
        let (perTick, ticks) = (perSecond / 100, 300)
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
            Figure(name: name, value: Double(statistics.acknowledged) / seconds, unit: "records/s"),
            Figure(name: "\(name).lost", value: Double(perTick * ticks - statistics.acknowledged), unit: "count"),
        ]
    }

    /// Offers records to a shipper whose receiver is not there.
    private static func offer(_ count: Int) async throws {
        let shipper = LoggingScenarios.shipper(over: AbsentReceiver())
        for number in 0..<count { shipper.log(LoggingScenarios.record(number)) }
        let statistics = shipper.statistics
        guard statistics.accepted + statistics.dropped >= count else { throw Uncounted() }
        try await shipper.shutdown(deadline: .zero)
    }
}

/// Records that the statistics do not know of.
struct Uncounted: Error {}
