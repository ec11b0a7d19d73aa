#if AllTests
import Foundation
import HTTPChainCore
import HTTPChainTesting
import Logging
import TestSupport
import Testing

@testable import HTTPChainLogSpool
@testable import HTTPChainRemoteLogging

@Suite("A spool whose files are damaged", .heavy, .timeLimit(.minutes(10)))
struct SpoolDamageTests {
    private let directory = SpoolScratch()

    /// Fills the directory with records in several segments.
    ///
    /// - Returns: The numbers in each segment.
    private func fill(_ count: Int = 130, acknowledging done: Int = 0) throws -> [[Int]] {
        var numbers: [[Int]] = []
        let spool = try directory.spool()
        for number in 0..<count {
            try spool.append(numbered(number))
            if directory.segments.count > numbers.count { numbers.append([]) }
            numbers[numbers.count - 1].append(number)
        }
        if done > 0, let batch = try spool.nextBatch(maximumRecords: done) { try spool.acknowledge(batch.position) }
        return numbers
    }

    /// What a spool says of damage.
    private struct Damage {
        let damagedParts: Int
        let damagedBytes: Int64
        let tornBytes: Int64
        let isPositionLost: Bool

        init(_ spool: LogSpool) {
            damagedParts = spool.report.damagedParts
            damagedBytes = spool.damagedBytes
            tornBytes = spool.findings.tornBytes
            isPositionLost = spool.findings.isPositionLost
        }
    }

    /// What is read of a copy of the directory in which one file is changed.
    private func read(_ name: String, _ change: (inout [UInt8]) -> Void) throws -> (numbers: [Int], Damage) {
        let copy = try directory.copy()
        var bytes = try copy.bytes(name)
        change(&bytes)
        try copy.write(bytes, name)
        let spool = try copy.spool()
        let numbers = try spool.drain()
        let report = Damage(spool)
        #expect(try spool.isEmpty && spool.countPendingRecords() == 0)
        try spool.append(numbered(1000))
        #expect(try spool.countPendingRecords() == 1)
        #expect(try spool.drain() == [1000], "it goes on")
        return (numbers, report)
    }

    private func frameSize() throws -> Int { try SpoolSegment.frame(numbered(0)).count }

    @Test("The last segment is cut off at any byte: every whole record is there, and the rest is no damage")
    func torn() throws {
        _ = try fill(8)
        let name = try #require(directory.segments.first)
        let size = try directory.bytes(name).count
        for count in 0..<size {
            let (numbers, report) = try read(name) { $0.removeLast($0.count - count) }
            let whole = max(0, count - 64) / (try frameSize())
            #expect(numbers == Array(0..<whole), "\(count) bytes")
            #expect(report.damagedParts == 0)
            let torn = count < 64 ? 0 : count - 64 - whole * (try frameSize())
            #expect(report.tornBytes == Int64(torn))
        }
    }

    @Test("After a torn record others are appended in its place")
    func tornAndOn() throws {
        _ = try fill(8)
        let name = try #require(directory.segments.first)
        let bytes = try directory.bytes(name)
        try directory.write(bytes.dropLast(5), name)
        do {
            let spool = try directory.spool()
            try spool.append(numbered(100, length: 3))
            try spool.append(numbered(101, length: 300))
        }
        #expect(try directory.spool().drain() == Array(0..<7) + [100, 101])
        #expect(directory.segments.count <= 1)
    }

    @Test("One bit turned over in a segment costs one record at most")
    func flipped() throws {
        let segments = try fill()
        let all = segments.flatMap { $0 }
        let name = try #require(directory.segments.dropFirst().first)
        let size = try directory.bytes(name).count
        for index in stride(from: 0, to: size, by: Drill.isFull ? 1 : 11) {
            let (numbers, report) = try read(name) { $0[index] ^= 1 << UInt8(index % 8) }
            let lost = Set(all).subtracting(numbers)
            #expect(lost.count == (index < 64 ? 0 : 1), "byte \(index)")
            #expect(numbers == all.filter { !lost.contains($0) })
            #expect(report.damagedParts == lost.count)
        }
    }

    @Test("Bytes at random in place of others cost nothing outside of them")
    func overwritten() throws {
        let all = try fill().flatMap { $0 }
        let names = directory.segments
        let random = SeededRandom(seed: 11)
        let frame = try frameSize()
        for round in 0..<(Drill.isFull ? 2000 : 150) {
            let name = names[random.index(below: names.count)]
            let length = 1 + random.index(below: 400)
            let start = 64 + random.index(below: try directory.bytes(name).count - 64)
            var end = 0
            let (numbers, report) = try read(name) { bytes in
                end = min(bytes.count, start + length)
                for index in start..<end { bytes[index] = UInt8(random.index(below: 256)) }
            }
            #expect(numbers == numbers.sorted() && Set(numbers).isSubset(of: all))
            #expect(all.count - numbers.count <= (end - start) / frame + 2, "round \(round)")
            #expect(report.damagedParts <= 1)
        }
    }

    @Test("A segment without a header is passed over, and the others are read")
    func header() throws {
        let segments = try fill()
        let name = try #require(directory.segments.dropFirst().first)
        let (numbers, report) = try read(name) { bytes in for index in 0..<64 { bytes[index] = 0 } }
        #expect(numbers == segments[0] + segments[2...].flatMap { $0 })
        #expect(report.damagedParts == 1 && report.damagedBytes > 3000)
        // The other copy tells the same.
        for half in [0..<32, 32..<64] {
            let (numbers, report) = try read(name) { bytes in for index in half { bytes[index] = 0xFF } }
            #expect(numbers == segments.flatMap { $0 } && report.damagedParts == 0)
        }
    }

    @Test("A segment under the name of another is not taken for it")
    func renamed() throws {
        let segments = try fill()
        let names = directory.segments
        let other = try directory.bytes(names[2])
        let (numbers, report) = try read(names[1]) { $0 = other }
        #expect(numbers == segments[0] + segments[2...].flatMap { $0 })
        #expect(report.damagedParts == 1)
    }

    @Test("A segment that became shorter or empty, or is gone, costs only what was in it")
    func shorter() throws {
        let segments = try fill()
        let names = directory.segments
        let others = segments[0] + segments[2...].flatMap { $0 }
        for count in [0, 10, 64, 70, 1000] {
            let (numbers, report) = try read(names[1]) { $0.removeLast($0.count - count) }
            #expect(report.damagedParts == (count == 64 ? 0 : 1))
            let whole = max(0, count - 64) / (try frameSize())
            #expect(numbers == segments[0] + segments[1].prefix(whole) + segments[2...].flatMap { $0 })
        }
        let copy = try directory.copy()
        try FileManager.default.removeItem(at: copy.url.appendingPathComponent(names[1]))
        #expect(try copy.spool().drain() == others)
    }

    @Test("A segment that goes, or becomes shorter, while the spool is open is counted as damaged")
    func gone() throws {
        let segments = try fill(220)
        let names = directory.segments
        let spool = try directory.spool()
        try FileManager.default.removeItem(at: directory.url.appendingPathComponent(names[1]))
        #expect(truncate(directory.path + "/" + names[3], 200) == 0)
        let whole = (200 - 64) / (try frameSize())
        #expect(try spool.drain() == segments[0] + segments[2] + segments[3].prefix(whole) + segments[4])
        #expect(spool.report.damagedParts == 2)
        #expect(spool.report.bytes <= 4096)
    }

    @Test("Lengths that cannot be are passed over", arguments: [0, 1, 0x7FFF_FFFF, 0xFFFF_FFFF, 16 << 20] as [UInt32])
    func length(length: UInt32) throws {
        let all = try fill().flatMap { $0 }
        let (numbers, report) = try read(directory.segments[0]) { bytes in
            withUnsafeBytes(of: length.littleEndian) { bytes.replaceSubrange(68..<72, with: $0) }
        }
        #expect(numbers == Array(all.dropFirst()))
        #expect(report.damagedParts == 1)
    }

    /// A frame as one would write it who does not know the segment's number, in bytes that are text.
    private func textualFrame() throws -> String {
        for number in 0..<1000 {
            let record = LogRecord(
                date: Date(timeIntervalSinceReferenceDate: 0),
                level: .info,
                component: "c",
                message: "\(number)"
            )
            if let text = String(bytes: try SpoolSegment.frame(record), encoding: .utf8) { return text }
        }
        throw CancellationError()
    }

    @Test("A record whose message looks like a frame is not taken for one, whatever is damaged before it")
    func forged() throws {
        do {
            let spool = try directory.spool()
            var record = numbered(1)
            record.message += try textualFrame()
            try spool.append(record)
            try spool.append(numbered(2))
        }
        let (numbers, _) = try read(directory.segments[0]) { $0[70] ^= 1 }
        #expect(numbers == [2])
    }

    @Test("One place of the position that is damaged leaves what the other tells, and no position all that is there")
    func position() throws {
        let all = try fill(130, acknowledging: 5).flatMap { $0 }
        do {
            let spool = try directory.spool()
            let batch = try #require(try spool.nextBatch(maximumRecords: 5))
            try spool.acknowledge(batch.position)
        }
        let copy = try directory.copy()
        #expect(try copy.spool().peek().first == 10)
        let size = try directory.bytes("position").count
        for index in 0..<size {
            let (numbers, report) = try read("position") { $0[index] ^= 0x10 }
            #expect(numbers == Array(all[10...]) || numbers == Array(all[5...]), "byte \(index)")
            #expect(!report.isPositionLost)
        }
        let (numbers, report) = try read("position") { for index in $0.indices { $0[index] = 7 } }
        #expect(numbers == all)
        #expect(report.isPositionLost)
        for count in 0..<size {
            let (numbers, _) = try read("position") { $0.removeLast($0.count - count) }
            #expect([0, 5, 10].contains(numbers.first))
        }
    }

    @Test("A position beyond all segments is not believed to cover what comes later")
    func positionBeyond() throws {
        _ = try fill(30, acknowledging: 20)
        let name = try #require(directory.segments.first)
        let bytes = try directory.bytes(name)
        try directory.write(Array(bytes.prefix(200)), name)
        do {
            let spool = try directory.spool()
            for number in 100..<110 { try spool.append(numbered(number)) }
            #expect(try spool.peek() == Array(100..<110))
        }
        for name in directory.segments {
            try FileManager.default.removeItem(at: directory.url.appendingPathComponent(name))
        }
        let spool = try directory.spool()
        try spool.append(numbered(200))
        #expect(try spool.drain() == [200])
    }

    @Test("A position that nobody could have come to is no position", arguments: [8, 16, 24])
    func impossiblePosition(offset: Int) throws {
        let all = try fill(130, acknowledging: 5).flatMap { $0 }
        let (numbers, report) = try read("position") { bytes in
            for index in offset..<(offset + 8) { bytes[64 + index] = 0xFF }
            let check = bytes[64..<96].withUnsafeBytes { CRC32.value($0) }
            withUnsafeBytes(of: check.littleEndian) { bytes.replaceSubrange(96..<100, with: $0) }
        }
        #expect(numbers == all)
        #expect(report.isPositionLost)
    }

    @Test("What a later version wrote is refused and left alone")
    func newer() throws {
        _ = try fill(130, acknowledging: 5)
        func newer(_ bytes: inout [UInt8], version: Int, length: Int, at offset: Int) {
            bytes[offset + version] = 2
            let check = bytes[offset..<(offset + length)].withUnsafeBytes { CRC32.value($0) }
            withUnsafeBytes(of: check.littleEndian) {
                bytes.replaceSubrange((offset + length)..<(offset + length + 4), with: $0)
            }
        }
        let name = directory.segments[1]
        for (file, version, length, offset) in [(name, 8, 28, 0), ("position", 4, 32, 64)] {
            let copy = try directory.copy()
            var bytes = try copy.bytes(file)
            newer(&bytes, version: version, length: length, at: offset)
            try copy.write(bytes, file)
            let before = try copy.names.map { try copy.bytes($0) }
            #expect(throws: LogSpoolError(.newerFormat(file: copy.path + "/" + file))) { try copy.spool() }
            #expect(try copy.names.map { try copy.bytes($0) } == before)
        }
    }

    @Test("Things of other names, and what is no file, are left alone")
    func foreign() throws {
        let all = try fill().flatMap { $0 }
        let manager = FileManager.default
        let last = try #require(directory.segments.last.flatMap(SpoolSegment.number))
        let names = ["notes.txt", "0.segment", "000000000000000G.segment", ".hidden", "ffffffffffffffff.segment"]
        for name in names { try directory.write([1, 2, 3], name) }
        let folder = SpoolSegment.name(0)
        try manager.createDirectory(at: directory.url.appendingPathComponent(folder), withIntermediateDirectories: true)
        let link = SpoolSegment.name(last + 5)
        try manager.createSymbolicLink(
            atPath: directory.path + "/" + link,
            withDestinationPath: directory.path + "/notes.txt"
        )
        let pipe = SpoolSegment.name(last + 9)
        #expect(mkfifo(directory.path + "/" + pipe, 0o600) == 0)
        let spool = try directory.spool()
        #expect(spool.findings.foreignFiles == names.count + 3)
        #expect(try spool.drain() == all)
        try spool.append(numbered(1))
        #expect(try spool.drain() == [1])
        #expect(Set(directory.names).isSuperset(of: names + [folder, link, pipe]))
    }

    @Test("A file that is far too long for a segment is not read, and goes with what is before it")
    func huge() throws {
        let segments = try fill()
        let name = directory.segments[1]
        #expect(truncate(directory.path + "/" + name, 1 << 40) == 0)
        let spool = try directory.spool()
        #expect(throws: LogSpoolError(.full(limit: .mebibytes(1)))) { try spool.append(numbered(1)) }
        #expect(try spool.drain() == segments[0] + segments[2...].flatMap { $0 })
        #expect(spool.report.damagedParts == 1)
        #expect(spool.report.bytes <= 4096)
        try spool.append(numbered(1))
    }

    @Test("A place that cannot be a spool is an error that names it")
    func places() throws {
        let manager = FileManager.default
        try directory.write([1], "file")
        let file = directory.url.appendingPathComponent("file")
        for place in [file, file.appendingPathComponent("under")] {
            let error = #expect(throws: LogSpoolError.self) { try LogSpool(directory: place) }
            #expect(error?.reason.contains(place.path) ?? false)
        }
        for name in ["lock", "position"] {
            let place = directory.url.appendingPathComponent("with-\(name)")
            try manager.createDirectory(
                at: place.appendingPathComponent(name),
                withIntermediateDirectories: true
            )
            let error = #expect(throws: LogSpoolError.self) { try LogSpool(directory: place) }
            #expect(error?.reason.contains(place.path) ?? false)
        }
    }
}
#endif
