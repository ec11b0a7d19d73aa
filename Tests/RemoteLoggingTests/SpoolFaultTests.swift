#if AllTests
import Foundation
import HTTPChainCore
import HTTPChainLogSpool
import HTTPChainRemoteLogging
import Logging
import TestSupport
import Testing

/// What happened to each record in a script some steps of which failed.
private struct SpoolLedger {
    var appended = 0
    var accepted: [Int] = []
    /// The end of what was handed out and acknowledged, as far as that was written down.
    var acknowledged = -1
    /// What this process has acknowledged, written down or not.
    var attempted = -1
    /// What any process has.
    var everAttempted = -1
    /// Whether a record that was refused may be delivered all the same: it was written, the disk did not confirm it,
    /// and the process ended before the disk let it be cut off.
    var mayKeepRefused = false

    mutating func append(_ spool: LogSpool, _ number: Int) {
        appended += 1
        let level: Logger.Level = number % 7 == 0 ? .error : .info
        guard (try? spool.append(numbered(number, level, length: number % 5 == 0 ? 900 : 30))) != nil else { return }
        accepted.append(number)
    }

    /// Reads a batch, which must go on where this process has acknowledged, and acknowledges it.
    mutating func send(_ spool: LogSpool, _ maximumRecords: Int) {
        guard let batch = try? spool.nextBatch(maximumRecords: maximumRecords) else { return }
        let expected = accepted.filter { $0 > attempted }
        let numbers = mayKeepRefused ? batch.numbers.filter { accepted.contains($0) } : batch.numbers
        #expect(numbers == Array(expected.prefix(numbers.count)))
        guard let last = batch.numbers.last else { return }
        attempted = last
        everAttempted = max(everAttempted, last)
        if (try? spool.acknowledge(batch.position)) != nil { acknowledged = last }
    }
}

@Suite("A spool whose disk fails", .heavy, .timeLimit(.minutes(10)))
struct SpoolFaultTests {
    /// Appends, sends, acknowledges and opens again; what fails, fails.
    private func script(
        _ directory: SpoolScratch,
        _ files: FaultyFiles,
        _ durability: LogSpoolDurability,
        mayKeepRefused: Bool = false
    ) -> SpoolLedger {
        var ledger = SpoolLedger()
        ledger.mayKeepRefused = mayKeepRefused
        var number = 0
        for _ in 0..<3 {
            guard let spool = try? directory.spool(limit: 20_000, durability: durability, files: files) else {
                continue
            }
            // What was acknowledged and not written down may come again.
            ledger.attempted = ledger.acknowledged
            for _ in 0..<12 {
                ledger.append(spool, number)
                number += 1
            }
            resume(spool, &ledger)
            for _ in 0..<14 {
                ledger.append(spool, number)
                number += 1
            }
            ledger.send(spool, 5)
        }
        return ledger
    }

    /// Sends, where what an earlier process has acknowledged without being able to write it down may come first.
    private func resume(_ spool: LogSpool, _ ledger: inout SpoolLedger) {
        for _ in 0..<10 {
            // A batch that passes over what cannot be read does not tell where the front is.
            guard let batch = try? spool.nextBatch(maximumRecords: 1), batch.damagedParts == 0,
                let first = batch.numbers.first
            else { continue }
            #expect(first > ledger.acknowledged)
            ledger.attempted = max(ledger.attempted, ledger.accepted.last { $0 < first } ?? -1)
            break
        }
        for _ in 0..<3 { ledger.send(spool, 3) }
    }

    /// A sound process finds all that was accepted and is not done with, and can work with the directory.
    private func inspect(_ directory: SpoolScratch, _ ledger: SpoolLedger) throws {
        let spool = try directory.spool(limit: 20_000)
        let numbers = try spool.peek()
        #expect(try spool.countPendingRecords() == numbers.count)
        let left = Set(numbers)
        #expect(numbers == numbers.sorted() && left.count == numbers.count, "in order, each once")
        #expect((numbers.first ?? .max) > ledger.acknowledged, "nothing comes again that was acknowledged")
        // Deleting a segment is a way of acknowledging too, so what was attempted may be gone.
        #expect(ledger.mayKeepRefused || left.isSubset(of: ledger.accepted))
        let missing = ledger.accepted.filter { $0 > ledger.everAttempted && !left.contains($0) }
        #expect(missing.isEmpty, "\(missing) were accepted")
        #expect(spool.report.damagedParts == 0)
        let size = try directory.segments.reduce(0) { try $0 + directory.bytes($1).count }
        #expect(Int64(size) == spool.report.bytes)
        #expect(try spool.drain() == numbers)
        try spool.append(numbered(1000))
        #expect(try spool.drain() == [1000])
        #expect(directory.segments.count <= 1)
        #expect(directory.names.filter { !$0.hasSuffix(".segment") }.allSatisfy { ["lock", "position"].contains($0) })
    }

    @Test(
        "Every operation of a script fails in turn: nothing that was accepted is lost, nothing comes twice",
        arguments: FaultyFiles.Fault.allCases,
        [LogSpoolDurability.process, .power]
    )
    func everyOperation(fault: FaultyFiles.Fault, durability: LogSpoolDurability) async throws {
        let sound = FaultyFiles()
        sound.fail(at: nil, fault)
        let clean = SpoolScratch()
        let ledger = script(clean, sound, durability)
        #expect(ledger.accepted.count == ledger.appended)
        try inspect(clean, ledger)
        let count = sound.count
        #expect(count > 100)
        let step = Drill.isFull || durability == .process ? 1 : 7
        var runs = 0
        for operation in stride(from: 0, to: count, by: step) {
            // Other tests want their turn.
            await Task.yield()
            let directory = SpoolScratch()
            let files = FaultyFiles()
            files.fail(at: operation, fault)
            let mayKeepRefused = durability == .power && fault != .once && fault != .late
            let ledger = script(directory, files, durability, mayKeepRefused: mayKeepRefused)
            try inspect(directory, ledger)
            runs += 1
        }
        Drill.report("spool-faults-\(fault.rawValue)-\(durability)", runs)
    }

    @Test("The disk is full after any number of bytes: what was accepted is there, and nothing else")
    func fullDisk() async throws {
        for room in stride(from: 0, to: 26_000, by: Drill.isFull ? 13 : 149) {
            await Task.yield()
            let directory = SpoolScratch()
            let files = FaultyFiles()
            files.fill(after: room)
            let ledger = script(directory, files, .process)
            try inspect(directory, ledger)
        }
    }

    @Test("A record that is refused because of the disk is said so, and records are taken again once it is well")
    func recovery() throws {
        let directory = SpoolScratch()
        let files = FaultyFiles()
        let spool = try directory.spool(files: files)
        try spool.append(numbered(0))
        files.fill(after: 20)
        for number in 1...3 {
            #expect(throws: LogSpoolError.injected) { try spool.append(numbered(number)) }
        }
        #expect(spool.report.refusedRecords == 3)
        #expect(spool.report.lastFailure == .injected)
        files.fill(after: .max)
        try spool.append(numbered(4))
        #expect(try spool.drain() == [0, 4])
    }

    @Test("Where a refused record could not be cut off at once, it is before the next is written")
    func repair() throws {
        let directory = SpoolScratch()
        let files = FaultyFiles()
        do {
            let spool = try directory.spool(files: files)
            try spool.append(numbered(0))
            files.fail(at: 0, .late)
            #expect(throws: LogSpoolError.injected) { try spool.append(numbered(1, length: 500)) }
            files.fail(at: 0, .dead)
            #expect(throws: LogSpoolError.injected) { try spool.append(numbered(2, length: 500)) }
            files.fail(at: nil, .dead)
            #expect(try spool.peek() == [0])
            try spool.append(numbered(3))
            #expect(try spool.peek() == [0, 3])
        }
        #expect(try directory.spool().drain() == [0, 3])
    }

    @Test("An acknowledgement that cannot be written down is said so, and holds for this process")
    func acknowledgement() throws {
        let directory = SpoolScratch()
        let files = FaultyFiles()
        do {
            let spool = try directory.spool(files: files)
            for number in 0..<6 { try spool.append(numbered(number)) }
            let batch = try #require(try spool.nextBatch(maximumRecords: 2))
            files.fail(at: 0, .readOnly)
            #expect(throws: LogSpoolError.injected) { try spool.acknowledge(batch.position) }
            #expect(try spool.peek() == [2, 3, 4, 5])
        }
        files.fail(at: nil, .once)
        let spool = try directory.spool(files: files)
        #expect(try spool.peek() == Array(0..<6))
        // The next one that can be written tells of all before it.
        let batch = try #require(try spool.nextBatch(maximumRecords: 2))
        files.fail(at: 0, .once)
        #expect(throws: LogSpoolError.injected) { try spool.acknowledge(batch.position) }
        let next = try #require(try spool.nextBatch(maximumRecords: 1))
        try spool.acknowledge(next.position)
        let copy = try directory.copy()
        #expect(try copy.spool().peek() == [3, 4, 5])
    }

    @Test("A part of the disk that cannot be read is tried three times, and then passed over")
    func unreadable() throws {
        let directory = SpoolScratch()
        do {
            let spool = try directory.spool()
            for number in 0..<100 { try spool.append(numbered(number)) }
        }
        let files = FaultyFiles()
        let spool = try directory.spool(files: files)
        let all = try spool.peek()
        // The first operation opens the segment, the second reads it.
        for _ in 0..<2 {
            files.fail(at: 1, .once)
            #expect(throws: LogSpoolError.injected) { try spool.nextBatch(maximumRecords: 1000) }
        }
        files.fail(at: 1, .once)
        let batch = try #require(try spool.nextBatch(maximumRecords: 1000))
        #expect(batch.damagedParts == 1)
        let first = try #require(batch.numbers.first)
        #expect(first > 10 && batch.numbers == Array(all[first...]))
        #expect(spool.report.damagedParts == 1)
        // Not acknowledged, it comes when it can be read after all.
        #expect(try spool.peek() == all)
    }

    @Test("A disk of which nothing can be read costs no record")
    func nothingReadable() throws {
        let directory = SpoolScratch()
        let files = FaultyFiles()
        do {
            let spool = try directory.spool(files: files)
            for number in 0..<100 { try spool.append(numbered(number)) }
        }
        let spool = try directory.spool(files: files)
        files.fail(at: 0, .dead)
        for _ in 0..<10 {
            #expect(throws: LogSpoolError.injected) { try spool.nextBatch(maximumRecords: 1000) }
        }
        files.fail(at: nil, .dead)
        #expect(try spool.drain() == Array(0..<100))
        #expect(spool.report.damagedParts == 0)
    }

    @Test("A spool does not open where the disk fails, and does once it is well")
    func opening() throws {
        let directory = SpoolScratch()
        let files = FaultyFiles()
        files.fail(at: 0, .dead)
        #expect(throws: LogSpoolError.injected) { try directory.spool(files: files) }
        files.fail(at: nil, .dead)
        try directory.spool(files: files).append(numbered(1))
        #expect(try directory.spool(files: files).drain() == [1])
    }
}
#endif
