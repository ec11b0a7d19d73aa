#if AllTests
import Foundation
import HTTPChainCore
import HTTPChainLogShipper
import HTTPChainLogSpool
import HTTPChainRemoteLogging
import HTTPChainTesting
import HTTPChainURLSession
import Logging
import TestSupport
import Testing

/// A receiver that writes down the numbers that it gets, and now and then asks for them later.
private final class NumberReceiver: Sendable {
    struct Batch: Sendable {
        let numbers: [Int]
        let isTaken: Bool
    }

    private let received = Locked<[Batch]>([])
    private let server: LoopbackServer

    init() async throws {
        server = try await LoopbackServer.start { [received] exchange in
            let body = try await exchange.readBody()
            let numbers = String(decoding: body, as: UTF8.self).split(separator: "\n").compactMap { Int($0) }
            let isTaken = received.withLock { batches in
                let isTaken = batches.count % 7 != 1
                batches.append(Batch(numbers: numbers, isTaken: isTaken))
                return isTaken
            }
            try await exchange.reply(isTaken ? 200 : 503)
        }
    }

    var url: String { server.url("/logs") }

    var batches: [Batch] { received.withLock { $0 } }

    func stop() async { await server.stop() }
}

@Suite("A process that is killed while it ships from a spool", .heavy, .timeLimit(.minutes(10)))
struct SpoolShippingKillDrillTests {
    private let directory = SpoolScratch()
    private let kills = Drill.isFull ? 100 : 6

    /// The numbers as lines.
    private struct NumberLines: LogWireFormat {
        let contentType = "text/plain"

        func encode(_ batch: LogBatch) throws -> Data {
            let numbers = batch.records.compactMap { $0.attributes["number"]?.integer }
            return Data(numbers.map { "\($0)\n" }.joined().utf8)
        }
    }

    @Test("Every record that was accepted reaches the receiver; only what was in flight at a kill comes twice")
    func kills() async throws {
        let program = try #require(Programs.beside("LogSpoolKillDrill"), "LogSpoolKillDrill was not built")
        let receiver = try await NumberReceiver()
        let random = SeededRandom(seed: 3)
        var accepted: [Int] = []
        var killed = 0
        for _ in 0..<kills {
            // As many as the program logs ahead may have been accepted without a word.
            let first = (accepted.last ?? -1) + 502
            let helper = SpoolHelper(program, [directory.path, "\(first)", receiver.url])
            let output = try await helper.run(andKillAfter: 20_000 + UInt32(random.index(below: 150_000)))
            let lines = String(decoding: output, as: UTF8.self).split(
                separator: "\n",
                omittingEmptySubsequences: false
            )
            // The last line may be cut off.
            let numbers = lines.dropLast().filter { $0.hasPrefix("a ") }.compactMap { Int($0.dropFirst(2)) }
            #expect(numbers == numbers.sorted())
            accepted += numbers
            killed += 1
        }
        Drill.report("shipping-kills", killed)
        try await drain(to: receiver.url)
        await receiver.stop()

        let taken = receiver.batches.filter(\.isTaken).map(\.numbers)
        let delivered = taken.flatMap { $0 }
        let missing = Set(accepted).subtracting(delivered)
        #expect(missing.isEmpty, "\(missing.count) of \(accepted.count) are lost")
        // Some kills fell between the receiver's answer and its being written down.
        let repeated = delivered.count - Set(delivered).count
        #expect(repeated <= kills * 64, "\(repeated) came twice")
        var seen: Set<Int> = []
        let firsts = delivered.filter { seen.insert($0).inserted }
        #expect(firsts == firsts.sorted(), "in order")
        #expect(accepted.count > kills * (Drill.isFull ? 50 : 5), "there was something to look at")
        #expect(receiver.batches.contains { !$0.isTaken })
    }

    /// Sends what is left, as the next start of the program would.
    private func drain(to url: String) async throws {
        let transport = URLSessionTransport()
        let spool = try LogSpool(directory: directory.url)
        let shipper = LogShipper(
            to: url,
            format: NumberLines(),
            resource: LogResource(serviceName: "drill"),
            over: transport,
            spool: spool
        )
        #expect(try await shipper.shutdown(deadline: .seconds(60)).isComplete)
        #expect(spool.isEmpty)
        await transport.shutdown()
    }
}
#endif
