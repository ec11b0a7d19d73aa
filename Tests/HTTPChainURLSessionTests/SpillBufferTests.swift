#if AllTests
import Foundation
import HTTPChainCore
import HTTPChainSupport
import TestSupport
import Testing

@testable import HTTPChainURLSession

@Suite("SpillBuffer")
struct SpillBufferTests {
    /// The sizes of the files in a directory.
    private func sizes(_ scratch: ScratchDirectory) throws -> [Int] {
        try scratch.names.map { try scratch.content(of: $0).count }
    }

    private func data(_ byte: UInt8, _ count: Int) -> Data {
        Data(repeating: byte, count: count)
    }

    private func readAll(_ buffer: SpillBuffer) async throws -> Data {
        var all = Data()
        while let chunk = try await buffer.read() { all.append(chunk) }
        return all
    }

    @Test("What fits under the watermark never touches the disk")
    func memory() async throws {
        let scratch = try ScratchDirectory.created()
        let buffer = SpillBuffer(watermark: 100, limit: 100, directory: scratch.url)
        try buffer.append(data(1, 60))
        try buffer.append(data(2, 40))
        #expect(scratch.names.isEmpty)
        buffer.finish()
        #expect(try await readAll(buffer) == data(1, 60) + data(2, 40))
    }

    @Test("Bytes come back in order across memory and disk, and the file goes when it is read")
    func order() async throws {
        let scratch = try ScratchDirectory.created()
        let buffer = SpillBuffer(watermark: 100, limit: 1_000_000, directory: scratch.url)
        var expected = Data()
        for byte in UInt8(0)..<50 {
            let chunk = data(byte, 37)
            try buffer.append(chunk)
            expected.append(chunk)
        }
        try await until("all to be written") { buffer.isWritten }
        #expect(try sizes(scratch) == [50 * 37 - 74])
        var read = Data()
        while read.count < expected.count, let chunk = try await buffer.read() { read.append(chunk) }
        #expect(read == expected)
        try buffer.append(data(7, 10))
        try await until("the empty file to give way to memory") { scratch.names.isEmpty }
        buffer.finish()
        #expect(try await readAll(buffer) == data(7, 10))
    }

    @Test("A reader that follows at a distance gives disk space back as it goes")
    func segments() async throws {
        let scratch = try ScratchDirectory.created()
        let buffer = SpillBuffer(watermark: 10, limit: 400, segmentSize: 100, directory: scratch.url)
        for byte in UInt8(0)..<4 { try buffer.append(data(byte, 100)) }
        try await until("all to be written") { buffer.isWritten }
        #expect(scratch.names.count == 4)
        for byte in UInt8(4)..<40 {
            #expect(try await buffer.read() == data(byte - 4, 100))
            try buffer.append(data(byte, 100))
            try await until("space to be given back") { buffer.isWritten && scratch.names.count <= 5 }
        }
        buffer.finish()
        #expect(try await readAll(buffer) == (UInt8(36)..<40).reduce(into: Data()) { $0 += data($1, 100) })
        try await until("the files to be deleted") { scratch.names.isEmpty }
    }

    @Test("More on disk than allowed is an error that says what to do")
    func limit() throws {
        let buffer = SpillBuffer(watermark: 10, limit: 20)
        try buffer.append(data(1, 10))
        try buffer.append(data(2, 20))
        let error = #expect(throws: SpillLimitError.self) { try buffer.append(data(3, 1)) }
        #expect(error?.limit == 20)
        #expect(error?.description.contains("raise spillLimit") == true)
    }

    @Test("Single bytes that wait are joined")
    func joining() async throws {
        let buffer = SpillBuffer(watermark: .mebibytes(1), limit: 0)
        for _ in 0..<10_000 { try buffer.append(data(1, 1)) }
        #expect(try await buffer.read()?.count == 10_000)
    }

    @Test("An error of the producer comes after the bytes before it, and again with every read")
    func failure() async throws {
        let buffer = SpillBuffer(watermark: 1, limit: 100)
        try buffer.append(data(1, 1))
        try buffer.append(data(2, 2))
        buffer.finish(throwing: BodyError(.alreadyRead))
        try buffer.append(data(3, 3))
        #expect(try await buffer.read() == data(1, 1))
        #expect(try await buffer.read() == data(2, 2))
        for _ in 0..<2 {
            await #expect(throws: BodyError.self) { try await buffer.read() }
        }
    }

    @Test("Aborting throws away what waits, file and all, and fails at once")
    func abort() async throws {
        let scratch = try ScratchDirectory.created()
        let buffer = SpillBuffer(watermark: 1, limit: 100, directory: scratch.url)
        try buffer.append(data(1, 50))
        try await until("all to be written") { buffer.isWritten }
        #expect(try sizes(scratch) == [50])
        buffer.abort(throwing: CancellationError())
        try await until("the file to be deleted") { scratch.names.isEmpty }
        await #expect(throws: CancellationError.self) { try await buffer.read() }
        try buffer.append(data(1, 50))
        #expect(scratch.names.isEmpty)
    }

    @Test("A reader that waits gets what is appended, the end, and an abort", .timeLimit(.minutes(10)))
    func waiting() async throws {
        let buffer = SpillBuffer(watermark: 10, limit: 100)
        let first = Task { try await buffer.read() }
        try await until("the first reader to wait") { buffer.hasWaitingReader }
        try buffer.append(data(1, 5))
        #expect(try await first.value == data(1, 5))
        let second = Task { try await buffer.read() }
        try await until("the second reader to wait") { buffer.hasWaitingReader }
        buffer.finish()
        #expect(try await second.value == nil)
        #expect(try await buffer.read() == nil)

        let other = SpillBuffer(watermark: 10, limit: 100)
        let third = Task { try await other.read() }
        try await until("the third reader to wait") { other.hasWaitingReader }
        other.abort(throwing: CancellationError())
        await #expect(throws: CancellationError.self) { try await third.value }
    }

    @Test("A producer and a consumer at full speed lose nothing", .timeLimit(.minutes(10)))
    func race() async throws {
        let buffer = SpillBuffer(watermark: 5_000, limit: .mebibytes(64), segmentSize: 50_000)
        async let sum: (count: Int, checksum: Int) = {
            var count = 0
            var checksum = 0
            while let chunk = try await buffer.read() {
                for byte in chunk {
                    checksum = (checksum &* 31) &+ Int(byte)
                    count += 1
                }
            }
            return (count, checksum)
        }()
        var checksum = 0
        for index in 0..<1_000 {
            let byte = UInt8(index % 251)
            for _ in 0..<300 { checksum = (checksum &* 31) &+ Int(byte) }
            try buffer.append(data(byte, 300))
        }
        buffer.finish()
        let result = try await sum
        #expect(result.count == 300_000)
        #expect(result.checksum == checksum)
    }

    @Test("A reader that came to the end of one file before the next one was there goes on in the next one")
    func nextFileIsLate() async throws {
        let scratch = try ScratchDirectory.created()
        let disk = StallingFiles()
        let buffer = SpillBuffer(
            watermark: 0,
            limit: 100,
            segmentSize: 10,
            directory: scratch.url,
            access: FileAccess(system: disk, executor: FileExecutor(limit: 4))
        )
        try buffer.append(data(1, 10))
        try buffer.append(data(2, 10))
        disk.releaseOne()
        #expect(try await buffer.read() == data(1, 10))
        disk.release()
        buffer.finish()
        #expect(try await readAll(buffer) == data(2, 10))
    }

    @Test("A directory that is not there is a typed error")
    func noDirectory() async throws {
        let failures = Locked(0)
        let buffer = SpillBuffer(
            watermark: 0,
            limit: 100,
            directory: URL(fileURLWithPath: "/nonexistent-directory"),
            onFailure: { _ in failures.withLock { $0 += 1 } }
        )
        try buffer.append(data(1, 1))
        await #expect(throws: BodyError.self) { try await buffer.read() }
        try await until("the transfer to be told") { failures.withLock { $0 } == 1 }
    }

    @Test("A disk that stalls holds the producer up for as long as allowed, and then fails the transfer")
    func stalledDisk() async throws {
        let scratch = try ScratchDirectory.created()
        let disk = StallingFiles()
        let buffer = SpillBuffer(
            watermark: 0,
            limit: .mebibytes(64),
            directory: scratch.url,
            access: FileAccess(system: disk, executor: FileExecutor(limit: 1)),
            patience: .milliseconds(20)
        )
        // Below the limit nobody waits for the disk.
        for _ in 0..<8 { try buffer.append(data(1, 1_048_576)) }
        #expect(throws: BodyError.self) { try buffer.append(data(1, 1)) }
        disk.release()
        buffer.finish()
        #expect(try await readAll(buffer).count == 8 * 1_048_576 + 1)
    }
}
#endif
