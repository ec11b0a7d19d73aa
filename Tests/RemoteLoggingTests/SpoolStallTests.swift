#if AllTests
import Foundation
import HTTPChainCore
import HTTPChainInMemory
import HTTPChainSupport
import HTTPChainTesting
import HTTPTypes
import Logging
import TestSupport
import Testing

@testable import HTTPChainLogShipper
@testable import HTTPChainLogSpool
@testable import HTTPChainRemoteLogging

/// The machine's file system on a disk that answers nothing while it is stalled, and counts what is asked of it.
private final class GatedFiles: FileSystem {
    struct Account: Sendable {
        var isStalled = false
        var bytesRead = 0
        var writes = 0
        var synchronizations = 0
        /// The threads that asked for anything.
        var threads: Set<ObjectIdentifier> = []
    }

    private let system = SystemFiles()
    private let gate = NSCondition()
    fileprivate let state = Locked(Account())

    var account: Account { state.withLock { $0 } }

    /// Forgets what was asked before.
    func beginCounting(stalled: Bool = false) {
        state.withLock { $0 = Account(isStalled: stalled) }
    }

    func release() {
        gate.lock()
        state.withLock { $0.isStalled = false }
        gate.broadcast()
        gate.unlock()
    }

    fileprivate func pass() {
        state.withLock { _ = $0.threads.insert(ObjectIdentifier(Thread.current)) }
        gate.lock()
        while state.withLock({ $0.isStalled }) { gate.wait() }
        gate.unlock()
    }

    func makeDirectory(_ path: String) throws(FileFault) {
        pass()
        try system.makeDirectory(path)
    }

    func list(_ path: String, _ visit: (UnsafeBufferPointer<UInt8>) -> Void) throws(FileFault) {
        pass()
        try system.list(path, visit)
    }

    func status(of path: String) throws(FileFault) -> FileStatus? {
        pass()
        return try system.status(of: path)
    }

    func open(_ path: String, _ opening: FileOpening) throws(FileFault) -> (any File)? {
        pass()
        return try system.open(path, opening).map { GatedFile($0, self) }
    }

    func rename(_ path: String, to destination: String) throws(FileFault) -> Bool {
        pass()
        return try system.rename(path, to: destination)
    }

    func remove(_ path: String) throws(FileFault) -> Bool {
        pass()
        return try system.remove(path)
    }

    func synchronizeDirectory(_ path: String) throws(FileFault) {
        pass()
        try system.synchronizeDirectory(path)
    }
}

private final class GatedFile: File {
    private let file: any File
    private let disk: GatedFiles

    init(_ file: any File, _ disk: GatedFiles) {
        self.file = file
        self.disk = disk
    }

    func status() throws(FileFault) -> FileStatus {
        disk.pass()
        return try file.status()
    }

    func read(into buffer: UnsafeMutableRawBufferPointer, at offset: Int64) throws(FileFault) -> Int {
        disk.pass()
        let count = try file.read(into: buffer, at: offset)
        disk.state.withLock { $0.bytesRead += count }
        return count
    }

    func write(_ bytes: UnsafeRawBufferPointer, at offset: Int64) throws(FileFault) {
        disk.pass()
        disk.state.withLock { $0.writes += 1 }
        try file.write(bytes, at: offset)
    }

    func truncate(to size: Int64) throws(FileFault) {
        disk.pass()
        try file.truncate(to: size)
    }

    func setPermissions(_ permissions: UInt16) throws(FileFault) {
        disk.pass()
        try file.setPermissions(permissions)
    }

    func lock() throws(FileFault) -> Bool {
        disk.pass()
        return try file.lock()
    }

    func unlock() { file.unlock() }

    func synchronize() throws(FileFault) {
        disk.pass()
        disk.state.withLock { $0.synchronizations += 1 }
    }
}

@Suite("A spool whose disk stalls", .heavy, .timeLimit(.minutes(10)))
struct SpoolStallTests {
    private let scratch = SpoolScratch()

    private func shipper(
        _ spool: LogSpool,
        over transport: InMemoryTransport = InMemoryTransport { _ in Response(.ok) },
        clock: VirtualClock = VirtualClock()
    ) -> LogShipper {
        LogShipper(
            to: ShipperFixture.url,
            format: LineFormat(),
            resource: LogResource(serviceName: "plants"),
            over: transport,
            spool: spool,
            environment: .virtual(clock)
        )
    }

    /// Logs in one go.
    ///
    /// - Returns: The thread.
    private func log(_ count: Int, _ level: Logger.Level = .info, to shipper: LogShipper) -> ObjectIdentifier {
        for number in 0..<count { shipper.log(entry("\(number)", level)) }
        return ObjectIdentifier(Thread.current)
    }

    @Test("Who logs never touches the disk, and goes on though it answers nothing at all")
    func caller() async throws {
        let files = GatedFiles()
        let spool = try scratch.spool(limit: .mebibytes(4), files: files)
        let shipper = shipper(spool)
        files.beginCounting(stalled: true)
        let caller = log(1000, to: shipper)
        let statistics = shipper.statistics
        #expect(statistics.unwritten == 1000 && statistics.accepted == 0 && statistics.isBalanced)
        // Nor does who asks how things stand, while a record is being written.
        try await until("the first to be under way") { !files.account.threads.isEmpty }
        #expect(spool.isEmpty && spool.report.acceptedRecords == 0)
        files.release()
        try await until("the disk to have them") { shipper.statistics.accepted == 1000 }
        #expect(!files.account.threads.isEmpty && !files.account.threads.contains(caller))
        #expect(try await shipper.flush().isComplete)
        #expect(shipper.statistics.acknowledged == 1000 && shipper.statistics.isBalanced)
    }

    @Test("What waits for the disk is written in groups, and a group waits for its power once")
    func groups() async throws {
        let files = GatedFiles()
        let spool = try scratch.spool(
            limit: .mebibytes(4),
            segmentSize: .mebibytes(1),
            durability: .power,
            files: files
        )
        let shipper = shipper(spool)
        files.beginCounting(stalled: true)
        _ = log(500, to: shipper)
        files.release()
        try await until("the disk to have them") { shipper.statistics.accepted == 500 }
        // The header of the segment, the record that came first, and the others.
        #expect(files.account.writes <= 3)
        #expect(files.account.synchronizations <= 2)
        try await shipper.shutdown()
    }

    @Test("As much as is configured waits for a disk that stalls, the severe ones longest, and each loss is counted")
    func bounds() async throws {
        let files = GatedFiles()
        let shipper = shipper(try scratch.spool(limit: .mebibytes(4), files: files))
        files.beginCounting(stalled: true)
        _ = log(1, to: shipper)
        try await until("the first to be under way") { !files.account.threads.isEmpty }
        _ = log(3000, to: shipper)
        _ = log(100, .error, to: shipper)
        let statistics = shipper.statistics
        #expect(statistics.unwritten == 2049)
        #expect(statistics.drops.description == "full (info: 1052)")
        files.release()
        #expect(try await shipper.shutdown().isComplete)
        #expect(shipper.statistics.acknowledged == 2049 && shipper.statistics.isBalanced)
    }

    @Test("A shutdown waits some seconds for a disk that stalls, and counts what it did not take")
    func shutdown() async throws {
        let files = GatedFiles()
        let clock = VirtualClock()
        let shipper = shipper(try scratch.spool(limit: .mebibytes(4), files: files), clock: clock)
        files.beginCounting(stalled: true)
        _ = log(1, to: shipper)
        try await until("the first to be under way") { !files.account.threads.isEmpty }
        _ = log(10, .error, to: shipper)
        async let ended = shipper.shutdown(deadline: .zero)
        try await clock.waitForSleepers()
        clock.advance(by: LogShipper.diskPatience)
        #expect(try await ended.isComplete == false)
        #expect(shipper.statistics.drops.description == "unwritable (error: 10)")
        files.release()
        try await until("the first to be written") { shipper.statistics.unwritten == 0 }
        #expect(shipper.statistics.accepted == 1 && shipper.statistics.isBalanced)
    }

    @Test("What was logged is written though the shipper is gone")
    func death() async throws {
        let files = GatedFiles()
        do {
            let shipper = shipper(try scratch.spool(limit: .mebibytes(4), files: files))
            files.beginCounting(stalled: true)
            _ = log(600, to: shipper)
        }
        files.release()
        try await until("another spool to find them") { (try? scratch.spool().countPendingRecords()) == 600 }
    }

    @Test("Opening reads the last segment and the headers of the others, however many there are", arguments: [4, 40])
    func opening(segments: Int) async throws {
        let size = 16_384
        do {
            let spool = try scratch.spool(limit: .mebibytes(4), segmentSize: ByteCount(Int64(size)))
            var number = 0
            while scratch.segments.count < segments {
                try spool.append(numbered(number, length: 900))
                number += 1
            }
        }
        let files = GatedFiles()
        let spool = try scratch.spool(limit: .mebibytes(4), segmentSize: ByteCount(Int64(size)), files: files)
        #expect(files.account.bytesRead <= size + segments * SpoolSegment.headerSize + 128)
        #expect(!spool.isEmpty)
        // They are counted, and sent, all the same.
        let all = try spool.countPendingRecords()
        let shipper = shipper(spool)
        try await until("what was left to be counted") { shipper.statistics.recovered == all }
        #expect(shipper.statistics.isBalanced)
        #expect(try await shipper.shutdown().isComplete)
        #expect(shipper.statistics.acknowledged == all && shipper.statistics.isBalanced)
    }
}

@Suite("Closing a spool")
struct SpoolClosingTests {
    private let scratch = SpoolScratch()

    @Test("Another spool may use the directory of a closed one, whose own operations fail")
    func closing() throws {
        let first = try scratch.spool()
        for number in 0..<3 { try first.append(numbered(number)) }
        let batch = try #require(try first.nextBatch(maximumRecords: 1))
        #expect(throws: LogSpoolError(.inUse(directory: scratch.path))) { try scratch.spool() }
        first.close()
        first.close()
        let closed = LogSpoolError(.closed(directory: scratch.path))
        #expect(throws: closed) { try first.append(numbered(9)) }
        #expect(throws: closed) { try first.nextBatch(maximumRecords: 1) }
        #expect(throws: closed) { try first.acknowledge(batch.position) }
        #expect(throws: closed) { try first.countPendingRecords() }
        #expect(!first.isEmpty && first.report.acceptedRecords == 3)
        let second = try scratch.spool()
        #expect(try second.drain() == [0, 1, 2])
    }

    @Test("Records that are appended together are kept in order, over several segments; each refusal has its reason")
    func together() throws {
        let spool = try scratch.spool(limit: .kibibytes(64))
        var deep: JSONValue = .null
        for _ in 0..<100 { deep = .array([deep]) }
        var tooDeep = numbered(50)
        tooDeep.attributes["deep"] = deep
        let records =
            (0..<50).map { numbered($0) } + [tooDeep, numbered(51, length: 5000)] + (52..<120).map { numbered($0) }
        let outcomes = spool.append(contentsOf: records)
        #expect(outcomes.count == 120)
        #expect(outcomes[50] == LogSpoolError(.recordTooDeep(limit: LogRecordWriter.maximumDepth)))
        guard case .recordTooLarge? = outcomes[51]?.problem else {
            Issue.record("\(String(describing: outcomes[51]))")
            return
        }
        #expect(outcomes.compactMap { $0 }.count == 2)
        #expect(scratch.segments.count > 2)
        #expect(spool.report.acceptedRecords == 118 && spool.report.refusedRecords == 2)
        #expect(try spool.drain() == Array(0..<50) + Array(52..<120))
        #expect(spool.append(contentsOf: []).isEmpty)
    }

    @Test("A group that the disk does not take is tried one by one, and what it has taken in part does not come twice")
    func oneByOne() throws {
        let files = FaultyFiles()
        let spool = try scratch.spool(segmentSize: .kibibytes(16), files: files)
        try spool.append(numbered(0))
        files.fail(at: 0, .once)
        #expect(spool.append(contentsOf: (1..<40).map { numbered($0) }).allSatisfy { $0 == nil })
        // The write of the group and its being cut off, and each record.
        #expect(files.count == 2 + 39)
        files.fail(at: 0, .readOnly)
        #expect(spool.append(contentsOf: (40..<50).map { numbered($0) }).allSatisfy { $0 == .injected })
        files.fail(at: nil, .once)
        try spool.append(numbered(50))
        #expect(spool.report.refusedRecords == 10)
        #expect(try spool.drain() == Array(0..<40) + [50])
    }
}
#endif
