#if AllTests
import Foundation
import HTTPChainCore
import HTTPChainInMemory
import HTTPChainTesting
import HTTPTypes
import Logging
import TestSupport
import Testing

@testable import HTTPChainLogShipper
@testable import HTTPChainLogSpool
@testable import HTTPChainRemoteLogging

@Suite("A log shipper with a spool", .timeLimit(.minutes(10)))
struct ShipperSpoolTests {
    private let scratch = SpoolScratch()

    private func shipper(
        _ spool: LogSpool,
        over transport: InMemoryTransport,
        clock: VirtualClock = VirtualClock(),
        batch: Int = 512,
        exports: Int = 1
    ) -> LogShipper {
        var settings = LogShipper.Settings()
        settings.batchRecords = batch
        settings.concurrentExports = exports
        return LogShipper(
            to: ShipperFixture.url,
            format: LineFormat(),
            resource: LogResource(serviceName: "plants"),
            over: transport,
            settings: settings,
            spool: spool,
            environment: .virtual(clock)
        )
    }

    /// Waits until the disk has what was logged.
    private func written(_ shipper: LogShipper) async throws {
        try await until("the records to be written") { shipper.statistics.unwritten == 0 }
    }

    private func taking() -> InMemoryTransport {
        InMemoryTransport { _ in Response(.ok) }
    }

    /// Never answers.
    private func mute() -> InMemoryTransport {
        InMemoryTransport { _ in
            try await Rendezvous().wait()
            return Response(.ok)
        }
    }

    private func messages(_ transport: InMemoryTransport) -> [String] {
        transport.requests.filter { $0.response?.status == .ok }
            .flatMap { $0.text.split(separator: "\n") }.map { String($0.split(separator: " ")[2]) }
    }

    @Test("A shipper ships from a spool as from memory: in batches, by age, and on a flush")
    func ships() async throws {
        let clock = VirtualClock()
        let transport = taking()
        let spool = try scratch.spool()
        let shipper = shipper(spool, over: transport, clock: clock, batch: 10)
        for number in 0..<25 { shipper.log(entry("\(number)")) }
        try await transport.waitForRequests(2)
        try await written(shipper)
        try await clock.waitForSleepers()
        clock.advance(by: .seconds(1))
        try await transport.waitForRequests(3)
        shipper.log(entry("25"))
        #expect(try await shipper.flush().isComplete)
        #expect(messages(transport) == (0...25).map(String.init))
        #expect(transport.requests.map { $0.text.split(separator: "\n").count } == [10, 10, 5, 1])
        #expect(shipper.statistics.acknowledged == 26)
        #expect(shipper.statistics.isBalanced)
        #expect(spool.isEmpty)
    }

    @Test("What was accepted survives the process: another sends it at once, in order, before its own")
    func survives() async throws {
        let dying = shipper(try scratch.spool(), over: mute(), batch: 10)
        for number in 0..<35 { dying.log(entry("\(number)", number % 2 == 0 ? .error : .info)) }
        try await written(dying)
        // As the files stand when a process is killed.
        let copy = try scratch.copy()

        let transport = taking()
        let spool = try copy.spool()
        let shipper = shipper(spool, over: transport, batch: 10)
        try await until("what was left to be counted") { shipper.statistics.recovered == 35 }
        shipper.log(entry("own"))
        #expect(try await shipper.flush().isComplete)
        #expect(messages(transport) == (0..<35).map(String.init) + ["own"])
        #expect(shipper.statistics.isBalanced)
        #expect(spool.isEmpty)
    }

    @Test("What was left is sent though nobody logs")
    func sendsByItself() async throws {
        try scratch.spool().append(entry("left"))
        let clock = VirtualClock()
        let transport = taking()
        let shipper = shipper(try scratch.spool(), over: transport, clock: clock)
        try await clock.waitForSleepers()
        clock.advance(by: .seconds(1))
        try await transport.waitForRequests(1)
        #expect(try await shipper.shutdown().isComplete)
        #expect(messages(transport) == ["left"])
    }

    @Test("What was acknowledged does not come again in the next process")
    func acknowledged() async throws {
        do {
            let shipper = shipper(try scratch.spool(), over: taking())
            shipper.log(entry("a"))
            #expect(try await shipper.flush().isComplete)
            try await shipper.shutdown()
        }
        let transport = taking()
        let shipper = shipper(try scratch.spool(), over: transport)
        shipper.log(entry("b"))
        #expect(try await shipper.flush().isComplete)
        #expect(messages(transport) == ["b"])
    }

    @Test("A shutdown whose deadline passes leaves the rest to the next process, and counts none of it as lost")
    func shutdown() async throws {
        do {
            let shipper = shipper(try scratch.spool(), over: mute(), batch: 2)
            for message in ["a", "b", "c"] { shipper.log(entry(message)) }
            #expect(try await shipper.shutdown(deadline: .zero) == .init(isComplete: false, left: 3))
            #expect(shipper.statistics.drops.isEmpty)
            #expect(shipper.statistics.queuedRecords == 3)
            #expect(shipper.statistics.isBalanced)
        }
        let transport = taking()
        let shipper = shipper(try scratch.spool(), over: transport)
        #expect(try await shipper.flush().isComplete)
        #expect(messages(transport) == ["a", "b", "c"])
    }

    @Test("A batch that was answered before an earlier one is not done with until that is")
    func order() async throws {
        let gate = Rendezvous()
        let transport = InMemoryTransport { request in
            if try await request.body.text().contains("first") { try await gate.wait() }
            return Response(.ok)
        }
        let spool = try scratch.spool()
        let shipper = shipper(spool, over: transport, batch: 1, exports: 2)
        shipper.log(entry("first"))
        shipper.log(entry("second"))
        try await until { shipper.statistics.acknowledged == 1 }
        #expect(try spool.countPendingRecords() == 2)
        gate.reach()
        #expect(try await shipper.flush().isComplete)
        #expect(spool.isEmpty)
    }

    @Test("A full spool takes severe records longer, and what does not fit is counted and reported")
    func full() async throws {
        let spool = try scratch.spool(limit: .kibibytes(64))
        let transport = taking()
        transport.enqueue(.failure(.beforeConnect()), times: 3)
        let shipper = shipper(spool, over: transport, clock: .automatic(), batch: 100)
        let message = String(repeating: "m", count: 500)
        for _ in 0..<200 { shipper.log(entry(message)) }
        try await written(shipper)
        #expect(shipper.statistics.drops[.full][.info] > 50)
        for _ in 0..<5 { shipper.log(entry(message, .error)) }
        try await written(shipper)
        #expect(shipper.statistics.drops[.full][.error] == 0)
        #expect(shipper.statistics.accepted + shipper.statistics.drops[.full].total == 205)
        // The clock goes on while the disk is read, and each flush has so much of it.
        try await until("the spool to be sent") { try await shipper.flush().isComplete }
        #expect(shipper.statistics.isBalanced)
        let lost = shipper.statistics.drops.total
        let reported = transport.requests.filter { $0.response?.status == .ok }
            .compactMap { $0.text.firstMatch(of: /log\.dropped\.count=(\d+)/) }.compactMap { Int($0.1) }
        #expect(reported.reduce(0, +) == lost)
    }

    @Test("A disk that takes nothing loses records, which are counted, and harms nothing else")
    func unwritable() async throws {
        let files = FaultyFiles()
        let transport = taking()
        let shipper = shipper(try scratch.spool(files: files), over: transport)
        shipper.log(entry("a"))
        #expect(try await shipper.flush().isComplete)
        files.fail(at: 0, .readOnly)
        shipper.log(entry("b"))
        shipper.log(entry("c", .error))
        try await written(shipper)
        files.fail(at: nil, .once)
        #expect(shipper.statistics.drops[.unwritable].description == "info: 1, error: 1")
        shipper.log(entry("d"))
        #expect(try await shipper.flush().isComplete)
        // What was lost is reported as soon as the disk takes it, before the next record or after it.
        let report = transport.requests.filter { $0.text.contains("log.dropped.reason.unwritable=2") }
        #expect(messages(transport).first == "a" && messages(transport).dropFirst().sorted() == ["2", "d"])
        #expect(report.count == 1)
        #expect(shipper.statistics.isBalanced)
    }

    @Test("A disk that cannot be read is asked again after a pause")
    func unreadable() async throws {
        let files = FaultyFiles()
        let clock = VirtualClock()
        let transport = taking()
        let shipper = shipper(try scratch.spool(files: files), over: transport, clock: clock)
        shipper.log(entry("a"))
        try await clock.waitForSleepers()
        files.fail(at: 0, .once)
        clock.advance(by: .seconds(1))
        try await until { clock.sleeps.count == 2 }
        #expect(transport.requestCount == 0)
        try await clock.waitForSleepers()
        clock.advance(by: .seconds(1))
        try await transport.waitForRequests(1)
        #expect(try await shipper.shutdown().isComplete)
        #expect(messages(transport) == ["a"])
    }

    @Test("Damage among what was left is passed over, and the rest is sent")
    func damage() async throws {
        do {
            let spool = try scratch.spool()
            for number in 0..<20 { try spool.append(entry("\(number)")) }
        }
        let name = try #require(scratch.segments.first)
        var bytes = try scratch.bytes(name)
        bytes[bytes.count / 2] ^= 0xFF
        try scratch.write(bytes, name)
        let transport = taking()
        let shipper = shipper(try scratch.spool(), over: transport)
        shipper.log(entry("own"))
        #expect(try await shipper.flush().isComplete)
        #expect(messages(transport).count == 20)
        #expect(messages(transport).last == "own")
        #expect(try await shipper.shutdown().isComplete)
    }

    @Test("Thousands of records from many tasks arrive once each")
    func stress() async throws {
        let transport = taking()
        let spool = try scratch.spool(limit: .mebibytes(16), segmentSize: .kibibytes(64))
        let shipper = shipper(spool, over: transport, batch: 100, exports: 3)
        await withTaskGroup(of: Void.self) { group in
            for task in 0..<4 {
                group.addTask {
                    for number in 0..<1000 {
                        shipper.log(entry("\(task)-\(number)"))
                        if number % 200 == 0 { _ = try? await shipper.flush() }
                    }
                }
            }
        }
        #expect(try await shipper.shutdown().isComplete)
        let seen = messages(transport)
        #expect(seen.count == 4000)
        #expect(Set(seen).count == 4000)
        #expect(shipper.statistics.isBalanced)
        #expect(spool.isEmpty)
    }
}
#endif
