#if AllTests
import Foundation
import HTTPChainCore
import HTTPChainLogSpool
import HTTPChainRemoteLogging
import Logging
import TestSupport
import Testing

/// A directory that goes with the test; it is not there yet.
final class SpoolScratch: Sendable {
    private let scratch = ScratchDirectory()

    var url: URL { scratch.url }

    var path: String { scratch.path }

    var names: [String] { scratch.names }

    var segments: [String] { names.filter { $0.hasSuffix(".segment") } }

    func spool(
        limit: ByteCount = .mebibytes(1),
        segmentSize: ByteCount = 4096,
        durability: LogSpoolDurability = .process,
        files: any FileSystem = SystemFiles()
    ) throws(LogSpoolError) -> LogSpool {
        try LogSpool(
            directory: url,
            limit: limit,
            segmentSize: segmentSize,
            durability: durability,
            files: files
        )
    }

    func bytes(_ name: String) throws -> [UInt8] {
        [UInt8](try scratch.content(of: name))
    }

    func write(_ bytes: [UInt8], _ name: String) throws {
        try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
        try scratch.file(name, Data(bytes))
    }

    /// Whether nobody holds the lock on the directory.
    func canBeLocked() throws -> Bool {
        let file = open(path + "/lock", O_RDWR)
        defer { close(file) }
        try #require(file >= 0)
        return flock(file, LOCK_EX | LOCK_NB) == 0
    }

    /// Another directory with the same files.
    func copy() throws -> SpoolScratch {
        let copy = SpoolScratch()
        try FileManager.default.copyItem(at: url, to: copy.url)
        return copy
    }
}

/// A record that tells its number.
func numbered(_ number: Int, _ level: Logger.Level = .info, length: Int = 40) -> LogRecord {
    LogRecord(
        date: Date(timeIntervalSince1970: 784_111_777 + Double(number) / 1000),
        level: level,
        component: "test",
        message: String(repeating: "m", count: length),
        attributes: ["number": .integer(Int64(number))]
    )
}

extension LogSpoolBatch {
    /// What ``numbered(_:_:length:)`` has given the records.
    var numbers: [Int] { records.map { Int($0.attributes["number"]?.integer ?? -1) } }
}

extension LogSpool {
    /// Reads all that there is, and acknowledges it.
    func drain(maximumRecords: Int = 100) throws -> [Int] {
        var numbers: [Int] = []
        while let batch = try nextBatch(maximumRecords: maximumRecords) {
            numbers += batch.numbers
            try acknowledge(batch.position)
        }
        return numbers
    }

    /// Reads all that there is, and leaves it.
    func peek() throws -> [Int] {
        var numbers: [Int] = []
        var position: LogSpoolPosition?
        while let batch = try nextBatch(after: position, maximumRecords: 100) {
            numbers += batch.numbers
            position = batch.position
        }
        return numbers
    }
}

extension LogSpoolError {
    static let injected = LogSpoolError(FileFault.injected)
}
#endif
