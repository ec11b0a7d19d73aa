import Foundation
import HTTPChainCore
import Logging

@testable import HTTPChainLogSpool
@testable import HTTPChainRemoteLogging

/// The files of a log spool, as an earlier process, or something else, has left them.
///
/// The input is one record, and then a whole directory. Its first byte tells how many of those after it are the
/// position, which is given the right checksum; all of it is a segment, in pieces some of which stand in a sound frame.
func checkSpool(_ input: Input) -> Int32 {
    checkRecord(input.bytes)
    let size = Int(input.bytes.first ?? 0) % 129
    checkDirectory(position: [UInt8](input.bytes.dropFirst().prefix(size)), input)
    return 0
}

/// A record that is read is the same when it is written and read again.
private func checkRecord(_ bytes: Data) {
    guard let record = bytes.withUnsafeBytes({ try? LogRecordReader.record(in: $0) }) else { return }
    do {
        let frame = try SpoolSegment.frame(record)
        let again = try frame.withUnsafeBytes { try LogRecordReader.record(in: .init(rebasing: $0[8...])) }
        require(try SpoolSegment.frame(again).count == frame.count, "a record of another size when read again")
        require(again.message == record.message && again.level == record.level, "another record when read again")
        require(again.attributes.map(\.name) == record.attributes.map(\.name), "other attributes when read again")
    } catch {
        require(false, "what was read is refused: \(error)")
    }
}

/// A spool opens, hands out what is sound, and goes on.
private func checkDirectory(position: [UInt8], _ input: Input) {
    let files = MemoryFiles()
    if !position.isEmpty {
        var position = position
        for start in [0, 64] where position.count >= start + 36 {
            let check = position[start..<(start + 32)].withUnsafeBytes { CRC32.value($0) }
            withUnsafeBytes(of: check.littleEndian) { position.replaceSubrange((start + 32)..<(start + 36), with: $0) }
        }
        files.set("/spool/position", position)
    }
    var segment = SpoolSegment.header(number: 1, salt: 7)
    var payloads: [[UInt8]] = []
    for piece in input.pieces {
        if piece.first.map({ $0 % 3 == 0 }) ?? true {
            segment += piece
        } else {
            segment += frame([UInt8](piece))
            payloads.append([UInt8](piece))
        }
    }
    checkFrames(segment, payloads)
    for bytes in [segment, [UInt8](input.bytes)] {
        files.set("/spool/" + SpoolSegment.name(1), bytes)
        do throws(LogSpoolError) {
            try use(files)
        } catch {
            if case .newerFormat = error.problem { continue }
            require(false, "the spool fails: \(error)")
        }
    }
}

private func frame(_ payload: [UInt8]) -> [UInt8] {
    var writer = LogRecordWriter(capacity: payload.count + 8)
    writer.append(UInt32(0))
    writer.append(UInt32(payload.count))
    var frame = writer.bytes + payload
    let check = frame[4...].withUnsafeBytes { CRC32.value($0) } ^ 7
    withUnsafeBytes(of: check.littleEndian) { frame.replaceSubrange(0..<4, with: $0) }
    return frame
}

/// All that stands in a sound frame is found, whatever is between.
private func checkFrames(_ segment: [UInt8], _ payloads: [[UInt8]]) {
    segment.withUnsafeBytes { buffer in
        var wanted = payloads[...]
        var offset = SpoolSegment.headerSize
        var budget = SpoolSegment.searchBudget(for: buffer.count)
        loop: while true {
            switch SpoolSegment.step(buffer, at: offset, salt: 7, isWhole: true, searching: &budget) {
            case .record(let range):
                if wanted.first.map({ buffer[range].elementsEqual($0) }) ?? false { wanted.removeFirst() }
                offset = range.upperBound
            case .damaged(let next):
                require(next > offset && next < buffer.count, "\(next) is not after \(offset)")
                offset = next
            case .torn, .end: break loop
            case .incomplete: require(false, "more than all is needed")
            }
        }
        require(wanted.isEmpty, "\(wanted.count) of \(payloads.count) frames were not found")
    }
}

private func use(_ files: MemoryFiles) throws(LogSpoolError) {
    let directory = URL(fileURLWithPath: "/spool")
    func open() throws(LogSpoolError) -> LogSpool {
        try LogSpool(directory: directory, limit: 65_536, segmentSize: 4096, durability: .power, files: files)
    }
    let record = LogRecord(date: Date(timeIntervalSince1970: 1), level: .info, component: "c", message: "m")
    do {
        let spool = try open()
        var count = 0
        while let batch = try spool.nextBatch(maximumRecords: 3) {
            count += 1
            require(count < 5000, "batches without end")
            try spool.acknowledge(batch.position)
        }
        require(spool.isEmpty, "\(spool.report) and nothing to read")
        try spool.append(record)
    }
    let spool = try open()
    let batch = try spool.nextBatch(maximumRecords: 10)
    require(batch?.records == [record] && batch?.damagedParts == 0, "\(String(describing: batch)) was not appended")
    let count = try spool.countPendingRecords()
    require(count == 1, "\(count) records")
}
