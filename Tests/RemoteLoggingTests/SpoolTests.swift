#if AllTests
import Foundation
import HTTPChainCore
import HTTPChainLogSpool
import HTTPChainRemoteLogging
import Logging
import Testing

@Suite("A spool of log records", .timeLimit(.minutes(10)))
struct SpoolTests {
    private let directory = SpoolScratch()

    @Test("Records come in the order in which they were appended, until they are acknowledged")
    func order() throws {
        let spool = try directory.spool()
        #expect(try spool.nextBatch(maximumRecords: 10) == nil)
        for number in 0..<5 { try spool.append(numbered(number)) }
        let first = try #require(try spool.nextBatch(maximumRecords: 3))
        #expect(first.records == (0..<3).map { numbered($0) })
        #expect(try spool.nextBatch(maximumRecords: 3) == first)
        try spool.acknowledge(first.position)
        #expect(try spool.nextBatch(maximumRecords: 10)?.numbers == [3, 4])
        try spool.append(numbered(5))
        #expect(try spool.drain() == [3, 4, 5])
        #expect(spool.isEmpty)
    }

    @Test("What was not acknowledged comes again from the next spool, before its own, and nothing else does")
    func nextProcess() throws {
        do {
            let spool = try directory.spool()
            for number in 0..<10 { try spool.append(numbered(number)) }
            let batch = try #require(try spool.nextBatch(maximumRecords: 4))
            try spool.acknowledge(batch.position)
            // Read, and not acknowledged.
            _ = try spool.nextBatch(maximumRecords: 4)
        }
        let spool = try directory.spool()
        #expect(!spool.isEmpty)
        for number in 10..<13 { try spool.append(numbered(number)) }
        #expect(try spool.drain() == Array(4..<13))
    }

    @Test("A suspended spool lets go of its directory, and goes on where it was")
    func suspended() throws {
        let spool = try directory.spool()
        for number in 0..<4 { try spool.append(numbered(number)) }
        let batch = try #require(try spool.nextBatch(maximumRecords: 1))
        try spool.acknowledge(batch.position)
        try spool.resume()
        for round in 0..<3 {
            spool.suspend()
            spool.suspend()
            let problem = LogSpoolError.Problem.suspended(directory: directory.path)
            #expect(throws: LogSpoolError(problem)) { try spool.append(numbered(100)) }
            #expect(throws: LogSpoolError(problem)) { try spool.nextBatch(maximumRecords: 1) }
            #expect(throws: LogSpoolError(problem)) { try spool.acknowledge(batch.position) }
            #expect(!spool.isEmpty)
            // As another process would.
            #expect(try directory.canBeLocked())
            try spool.resume()
            #expect(try !directory.canBeLocked())
            try spool.append(numbered(4 + round))
        }
        #expect(try spool.drain() == Array(1..<7))
    }

    @Test("A spool whose directory was used while it was suspended is closed, and nothing is delivered twice")
    func usedWhileSuspended() throws {
        let spool = try directory.spool()
        for number in 0..<4 { try spool.append(numbered(number)) }
        spool.suspend()
        do {
            let other = try directory.spool()
            #expect(throws: LogSpoolError(.inUse(directory: directory.path))) { try spool.resume() }
            #expect(try other.drain() == [0, 1, 2, 3])
        }
        let problem = LogSpoolError.Problem.usedMeanwhile(directory: directory.path)
        #expect(throws: LogSpoolError(problem)) { try spool.resume() }
        #expect(throws: LogSpoolError(problem)) { try spool.append(numbered(4)) }
        #expect(throws: LogSpoolError(problem)) { try spool.nextBatch(maximumRecords: 1) }
        #expect(try directory.spool().drain() == [])
    }

    @Test("Many runs with a few records each do not leave many files")
    func runs() throws {
        for run in 0..<50 {
            let spool = try directory.spool()
            try spool.append(numbered(run))
        }
        #expect(directory.segments.count <= 3)
        #expect(try directory.spool().drain(maximumRecords: 7) == Array(0..<50))
        _ = try directory.spool()
        #expect(try directory.spool().peek() == [])
    }

    @Test("A run that logs nothing leaves no segment")
    func nothing() throws {
        _ = try directory.spool()
        _ = try directory.spool()
        #expect(directory.names == ["lock"])
    }

    @Test("A batch keeps to its bounds, and has one record at least")
    func bounds() throws {
        let spool = try directory.spool()
        for number in 0..<20 { try spool.append(numbered(number, length: 100)) }
        let size = Int64(try SpoolSegment.frame(numbered(0, length: 100)).count - 8)
        #expect(try spool.nextBatch(maximumRecords: 7)?.numbers == Array(0..<7))
        #expect(try spool.nextBatch(maximumRecords: 0)?.numbers == [0])
        #expect(try spool.nextBatch(maximumRecords: 100, maximumBytes: ByteCount(size * 3))?.numbers == [0, 1, 2])
        #expect(try spool.nextBatch(maximumRecords: 100, maximumBytes: ByteCount(size * 4 - 1))?.numbers == [0, 1, 2])
        #expect(try spool.nextBatch(maximumRecords: 100, maximumBytes: 1)?.numbers == [0])
    }

    @Test("A batch goes over the ends of segments, and several may be in flight")
    func segments() throws {
        let spool = try directory.spool()
        for number in 0..<200 { try spool.append(numbered(number)) }
        #expect(directory.segments.count > 2)
        #expect(try spool.nextBatch(maximumRecords: 1000)?.numbers == Array(0..<200))
        let first = try #require(try spool.nextBatch(maximumRecords: 90))
        let second = try #require(try spool.nextBatch(after: first.position, maximumRecords: 90))
        #expect(first.position < second.position)
        #expect(second.numbers == Array(90..<180))
        try spool.acknowledge(second.position)
        // That of an earlier one changes nothing any more.
        try spool.acknowledge(first.position)
        #expect(try spool.nextBatch(after: first.position, maximumRecords: 90)?.numbers == Array(180..<200))
    }

    @Test("A segment goes once everything in it is acknowledged")
    func removal() throws {
        let spool = try directory.spool()
        for number in 0..<200 { try spool.append(numbered(number)) }
        var count = directory.segments.count
        let all = count
        while let batch = try spool.nextBatch(maximumRecords: 10) {
            try spool.acknowledge(batch.position)
            #expect(directory.segments.count <= count)
            count = directory.segments.count
        }
        #expect(all > 3 && count <= 1)
        #expect(spool.report.pendingBytes == 0)
        #expect(spool.report.bytes <= 2048)
    }

    @Test("Records that are sent as they come do not make the files grow")
    func steady() throws {
        let spool = try directory.spool(limit: 16_384)
        for number in 0..<2000 {
            try spool.append(numbered(number))
            #expect(try spool.drain() == [number])
            #expect(spool.report.bytes <= 4096)
        }
        #expect(directory.segments.count <= 1)
    }

    @Test("Records that are not acknowledged are counted, those of an earlier process included")
    func counts() throws {
        var done = 0
        for run in 1...4 {
            let spool = try directory.spool()
            #expect(try spool.countPendingRecords() == (run - 1) * 150 - done)
            for number in 0..<150 { try spool.append(numbered(number)) }
            #expect(try spool.countPendingRecords() == run * 150 - done)
            for _ in 0..<3 {
                let batch = try #require(try spool.nextBatch(maximumRecords: 23))
                #expect(try spool.countPendingRecords() == run * 150 - done)
                try spool.acknowledge(batch.position)
                done += 23
                #expect(try spool.countPendingRecords() == run * 150 - done)
            }
        }
        let spool = try directory.spool()
        #expect(try spool.drain().count == 600 - done)
        #expect(try spool.countPendingRecords() == 0)
    }

    @Test("A spool that is full refuses records and keeps those that it has; the last tenth is for what is severe")
    func full() throws {
        let spool = try directory.spool(limit: 20_000)
        func fill(_ level: Logger.Level) -> Int {
            var count = 0
            while count < 1000, (try? spool.append(numbered(count, level))) != nil { count += 1 }
            return count
        }
        let common = fill(.notice)
        #expect(spool.report.bytes > 17_000 && spool.report.bytes <= 18_000)
        #expect(fill(.trace) == 0 && fill(.info) == 0)
        let severe = fill(.warning)
        #expect(severe > 10)
        #expect(fill(.critical) == 0)
        #expect(spool.report.bytes > 19_500 && spool.report.bytes <= 20_000)
        #expect(throws: LogSpoolError(.full(limit: 20_000))) { try spool.append(numbered(1, .critical)) }
        #expect(spool.report.refusedRecords == 6)
        #expect(spool.report.lastFailure == nil)
        #expect(spool.report.acceptedRecords == common + severe)
        let size = try directory.segments.reduce(0) { try $0 + directory.bytes($1).count }
        #expect(Int64(size) == spool.report.bytes)
        #expect(try spool.drain() == Array(0..<common) + Array(0..<severe))
        #expect(fill(.info) == common)
    }

    @Test("A limit that counts holds for the next spool too")
    func fullAgain() throws {
        do {
            let spool = try directory.spool(limit: 20_000)
            while (try? spool.append(numbered(0, .error))) != nil {}
        }
        #expect(throws: LogSpoolError(.full(limit: 20_000))) {
            try directory.spool(limit: 20_000).append(numbered(1, .error))
        }
    }

    @Test("A record longer than a segment is refused, and so is one that is nested too deeply")
    func large() throws {
        let spool = try directory.spool()
        #expect {
            try spool.append(numbered(0, length: 5000))
        } throws: { error in
            guard case .recordTooLarge(_, let limit) = (error as? LogSpoolError)?.problem else { return false }
            return limit == 4096
        }
        var record = numbered(1)
        var value: JSONValue = 1
        for _ in 0..<70 { value = [value] }
        record.attributes["deep"] = value
        #expect(throws: LogSpoolError(.recordTooDeep(limit: 64))) { try spool.append(record) }
        try spool.append(numbered(2))
        #expect(try spool.drain() == [2])
    }

    @Test("A record as long as a segment is read, beyond what is read at once")
    func longRecord() throws {
        let spool = try directory.spool(limit: .mebibytes(64), segmentSize: .mebibytes(2))
        let lengths = [10, 1_900_000, 20, 300_000, 300_000, 30]
        for (number, length) in lengths.enumerated() { try spool.append(numbered(number, length: length)) }
        let batch = try #require(try spool.nextBatch(maximumRecords: 10, maximumBytes: .mebibytes(8)))
        #expect(batch.records.map(\.message.utf8.count) == lengths)
        #expect(try spool.drain(maximumRecords: 1) == Array(0..<6))
    }

    @Test("A second spool in a directory is told that it is in use, until the first is gone")
    func inUse() throws {
        var spool: LogSpool? = try directory.spool()
        try spool?.append(numbered(1))
        let error = #expect(throws: LogSpoolError.self) { try directory.spool() }
        #expect(error?.problem == .inUse(directory: directory.path))
        #expect(error?.description.contains("give each a directory of its own") ?? false)
        spool = nil
        #expect(try directory.spool().drain() == [1])
    }

    @Test("What it makes is for this user alone")
    func permissions() throws {
        let nested = directory.url.appendingPathComponent("logs/spool")
        let spool = try LogSpool(directory: nested)
        try spool.append(numbered(1))
        _ = try spool.drain()
        func mode(_ path: String) throws -> Int {
            let attributes = try FileManager.default.attributesOfItem(atPath: path)
            return try #require(attributes[.posixPermissions] as? Int)
        }
        #expect(try mode(nested.path) == 0o700)
        let names = try FileManager.default.contentsOfDirectory(atPath: nested.path)
        #expect(names.count == 3)
        for name in names { #expect(try mode(nested.path + "/" + name) == 0o600) }
    }

    @Test("A spool that is to survive a loss of power works as one that is not")
    func power() throws {
        do {
            let spool = try directory.spool(durability: .power)
            for number in 0..<50 { try spool.append(numbered(number, length: 300)) }
            let batch = try #require(try spool.nextBatch(maximumRecords: 20))
            try spool.acknowledge(batch.position)
        }
        #expect(try directory.spool(durability: .power).drain() == Array(20..<50))
    }

    @Test("Many tasks append while one sends: each record comes once, those of a task in their order")
    func concurrency() async throws {
        let spool = try directory.spool(limit: .mebibytes(4), segmentSize: 8192)
        let tasks = 8
        let each = 500
        let numbers = try await withThrowingTaskGroup(of: [Int].self) { group in
            for task in 0..<tasks {
                group.addTask {
                    for number in 0..<each {
                        try spool.append(numbered(task * 1_000_000 + number))
                        if number % 50 == 0 { await Task.yield() }
                    }
                    return []
                }
            }
            group.addTask {
                var numbers: [Int] = []
                while numbers.count < tasks * each {
                    numbers += try spool.drain(maximumRecords: 64)
                    await Task.yield()
                }
                return numbers
            }
            return try await group.reduce(into: []) { $0 += $1 }
        }
        for task in 0..<tasks {
            #expect(numbers.filter { $0 / 1_000_000 == task } == (0..<each).map { task * 1_000_000 + $0 })
        }
        #expect(spool.isEmpty)
    }

    @Test("What is read while others append is what was accepted before, in order")
    func reading() async throws {
        let spool = try directory.spool(limit: .mebibytes(4))
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { for number in 0..<2000 { try spool.append(numbered(number)) } }
            for _ in 0..<3 {
                group.addTask {
                    var last = 0
                    while last < 2000 {
                        let numbers = try spool.peek()
                        #expect(numbers == Array(0..<numbers.count))
                        #expect(numbers.count >= last)
                        last = numbers.count
                        await Task.yield()
                    }
                }
            }
            try await group.waitForAll()
        }
    }
}
#endif
