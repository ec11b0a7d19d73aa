import Foundation
import HTTPChainCore
import HTTPChainSupport
import TestSupport
import Testing

/// Bodies from files of which the system has a part in memory.
@Suite("A file of which a part is in memory")
struct FileInMemoryTests {
    private static let chunk = HTTPBody.chunkSize

    /// Twelve chunks, of which none is like another.
    private static let content = Data((0..<12).flatMap { [UInt8](repeating: $0, count: chunk - 1) + [255] })

    @Test(
        "The file is handed out whole and in order, wherever the part in memory ends",
        arguments: [0, 1, 4096, chunk, chunk + 4096, 3 * chunk, 4 * chunk, 7 * chunk - 1, 10 * chunk]
    )
    func part(inMemory: Int) async throws {
        let scratch = try ScratchDirectory.created()
        let content = Self.content.prefix(7 * Self.chunk + 100)
        let file = try scratch.file("a", content)
        let disk = PartlyInMemory(inMemory)
        var chunks: [Data] = []
        for try await chunk in HTTPBody.file(file, access: FileAccess(system: disk, executor: .shared)) {
            #expect(chunk.startIndex == 0)
            #expect(chunk.count <= Self.chunk)
            chunks.append(chunk)
        }
        #expect(Data(chunks.joined()) == content)
        #expect((disk.waits == 0) == (inMemory > content.count))
    }

    @Test("The file is asked for once in four chunks")
    func questions() async throws {
        let scratch = try ScratchDirectory.created()
        let file = try scratch.file("a", Self.content.prefix(8 * Self.chunk))
        let disk = PartlyInMemory(.max)
        let body = HTTPBody.file(file, access: FileAccess(system: disk, executor: .shared))
        #expect(try await body.collect().count == 8 * Self.chunk)
        #expect(disk.questions == 2)
        #expect(disk.waits == 0)
    }

    @Test(
        "A file that changes meanwhile ends with an error, and nothing is handed out after it",
        arguments: [1, 3, 4, 6]
    )
    func changed(after count: Int) async throws {
        let scratch = try ScratchDirectory.created()
        let content = Self.content
        let file = try scratch.file("a", content)
        let access = FileAccess(system: PartlyInMemory(.max), executor: .shared)
        var reader = try await HTTPBody.file(file, access: access).makeReader()
        var got = Data()
        for _ in 0..<count { got += try #require(try await reader.read()) }
        let handle = try FileHandle(forWritingTo: file)
        try handle.truncate(atOffset: UInt64(content.count - 1))
        try handle.close()
        var errors: [BodyError] = []
        for _ in 0..<12 where errors.count < 2 {
            do throws(any Error) {
                got += try await reader.read() ?? Data()
            } catch let error as BodyError {
                errors.append(error)
            }
        }
        #expect(errors.map(\.problem) == [.fileChanged(path: file.path), .fileChanged(path: file.path)])
        #expect(content.starts(with: got))
        #expect(got.count < content.count)
    }
}

/// The machine's files, of which so many bytes are in memory.
private final class PartlyInMemory: WrappedFiles {
    let base: any FileSystem = SystemFiles()
    private let inMemory: Int
    private let counts = Locked((questions: 0, waits: 0))

    init(_ inMemory: Int) { self.inMemory = inMemory }

    /// How often it was asked for what is in memory.
    var questions: Int { counts.withLock { $0.questions } }
    /// How often the disk was waited for.
    var waits: Int { counts.withLock { $0.waits } }

    func readsImmediately(in directory: String) -> Bool { true }

    func open(_ path: String, _ opening: FileOpening) throws(FileFault) -> (any File)? {
        try base.open(path, opening).map { PartlyInMemoryFile($0, self) }
    }

    /// How many of so many bytes are in memory from an offset on.
    fileprivate func ask(for count: Int, at offset: Int64) throws(FileFault) -> Int {
        counts.withLock { $0.questions += 1 }
        guard offset < inMemory else {
            throw FileFault(operation: "read", path: "it", code: EAGAIN, message: "would wait")
        }
        return min(count, inMemory - Int(offset))
    }

    fileprivate func wait() { counts.withLock { $0.waits += 1 } }
}

private final class PartlyInMemoryFile: WrappedFile {
    let base: any File
    private let system: PartlyInMemory

    init(_ base: any File, _ system: PartlyInMemory) {
        self.base = base
        self.system = system
    }

    func readImmediately(into buffers: [UnsafeMutableRawBufferPointer], at offset: Int64) throws(FileFault) -> Int {
        var rest = try system.ask(for: buffers.reduce(0) { $0 + $1.count }, at: offset)
        var count = 0
        for buffer in buffers where rest > 0 {
            let part = UnsafeMutableRawBufferPointer(rebasing: buffer.prefix(rest))
            let got = try base.read(into: part, at: offset + Int64(count))
            count += got
            rest = got < part.count ? 0 : rest - got
        }
        return count
    }

    func readImmediately(into buffer: UnsafeMutableRawBufferPointer, at offset: Int64) throws(FileFault) -> Int {
        try readImmediately(into: [buffer], at: offset)
    }

    func read(into buffer: UnsafeMutableRawBufferPointer, at offset: Int64) throws(FileFault) -> Int {
        system.wait()
        return try base.read(into: buffer, at: offset)
    }
}
