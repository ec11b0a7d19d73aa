#if AllTests
import Foundation
import HTTPChainCore
import HTTPChainLogShipper
import HTTPChainRemoteLogging
import HTTPChainTesting
import HTTPChainURLSession
import HTTPTypes
import Logging
import TestSupport
import Testing

/// A receiver that can be stopped and started again on its port, and writes down what it got.
private final class DrillReceiver: Sendable {
    struct Batch: Sendable {
        let lines: [String]
        /// Whether the answer was written, and the receiver was not being stopped meanwhile.
        var isAnswered = false
    }

    private struct State {
        var server: LoopbackServer?
        var port: UInt16 = 0
        var isStopping = false
        var batches: [Batch] = []
    }

    private let state = Locked(State())

    var batches: [Batch] { state.withLock { $0.batches } }
    var url: String { "http://127.0.0.1:\(state.withLock { $0.port })/logs" }

    func start() async throws {
        let server = try await LoopbackServer.start(port: state.withLock { $0.port }) { [state] exchange in
            let body = try await exchange.readBody()
            let lines = String(decoding: body, as: UTF8.self).split(separator: "\n").map(String.init)
            let index = state.withLock { state in
                state.batches.append(Batch(lines: lines))
                return state.batches.count - 1
            }
            try await exchange.reply(200)
            state.withLock { state in
                state.batches[index].isAnswered = !state.isStopping
            }
        }
        state.withLock { state in
            state.server = server
            state.port = server.port
            state.isStopping = false
        }
    }

    func stop() async {
        let server = state.withLock { state in
            state.isStopping = true
            return state.server
        }
        await server?.stop()
    }
}

@Suite("A receiver that is away for a while", .heavy, .timeLimit(.minutes(10)))
struct ShipperOutageTests {
    @Test("What fits the bound arrives, once where it was acknowledged, and what was lost is reported exactly")
    func drill() async throws {
        let receiver = DrillReceiver()
        try await receiver.start()
        let transport = URLSessionTransport()
        var settings = LogShipper.Settings()
        settings.batchAge = .milliseconds(50)
        settings.retryBase = .milliseconds(100)
        settings.retryCap = .milliseconds(500)
        let shipper = LogShipper(
            to: receiver.url,
            format: LineFormat(),
            resource: LogResource(serviceName: "drill"),
            over: transport,
            settings: settings
        )
        let isOver = Locked(false)
        // Some 10,000 records a second, one of ten of them more severe than the others.
        let load = Task {
            var number = 0
            while !isOver.withLock({ $0 }) {
                for _ in 0..<50 {
                    shipper.log(entry("\(number)", number % 10 == 0 ? .error : .info))
                    number += 1
                }
                try await Task.sleep(for: .milliseconds(5))
            }
            return number
        }
        try await until("the first records to arrive") { shipper.statistics.acknowledged > 0 }
        await receiver.stop()
        if Drill.isFull { try await Task.sleep(for: .seconds(20)) }
        try await until("the queue to be full, and an attempt to have failed") {
            let statistics = shipper.statistics
            return statistics.retries > 0 && !statistics.drops[.full].isEmpty
                && !statistics.drops[.displaced].isEmpty
        }
        let before = shipper.statistics.acknowledged
        try await receiver.start()
        try await until("records to arrive again") { shipper.statistics.acknowledged > before }
        isOver.withLock { $0 = true }
        let offered = try await load.value
        #expect(try await shipper.shutdown(deadline: .seconds(300)).isComplete)
        await receiver.stop()
        await transport.shutdown()

        let statistics = shipper.statistics
        #expect(statistics.isBalanced)
        #expect(statistics.accepted + statistics.drops[.full].total == offered)
        #expect(statistics.drops[.full].total > 0)
        #expect(statistics.drops[.displaced].total > 0)
        #expect(statistics.retries > 0)
        let lost = statistics.drops[.full].total + statistics.drops[.displaced].total
        #expect(statistics.drops.total == lost)

        let batches = receiver.batches
        let unique = Dictionary(grouping: batches, by: \.lines)
        // A batch comes again only when the answer to it may not have arrived.
        #expect(unique.values.allSatisfy { copies in copies.filter(\.isAnswered).count <= 1 })
        let lines = unique.keys.flatMap { $0 }
        let records = lines.filter { !$0.contains(DropReport.component) }
        #expect(Set(records).count == records.count)
        #expect(records.count == offered - lost)
        #expect(records.count == statistics.acknowledged)
        let reported = lines.filter { $0.contains(DropReport.component) }.compactMap { line in
            line.split(separator: " ").first { $0.hasPrefix("log.dropped.count=") }.flatMap { Int($0.dropFirst(18)) }
        }
        #expect(reported.reduce(0, +) == lost)
        // The severe ones had the better chance.
        let graveLost = statistics.drops.byLevel[.error]
        #expect(graveLost < lost / 10)
    }
}
#endif
