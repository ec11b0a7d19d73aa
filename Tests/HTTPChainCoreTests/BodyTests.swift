import Foundation
import HTTPChainCore
import TestSupport
import Testing

@Suite("A body")
struct BodyTests {
    @Test("A body of bytes has their length and can be read again and again")
    func bytes() async throws {
        let body = HTTPBody("hello")
        #expect(body.length == 5)
        #expect(body.isReplayable)
        #expect(try await body.text() == "hello")
        #expect(try await body.text() == "hello")
        #expect(HTTPBody(Data()).isEmpty)
        #expect(try await HTTPBody.empty.collect() == Data())
    }

    @Test("A body of many bytes is handed out in chunks of 64 KiB that join to the whole")
    func chunks() async throws {
        let bytes = Data((0..<200_000).map { UInt8(truncatingIfNeeded: $0 &* 31) })
        var sizes: [Int] = []
        var joined = Data()
        for try await chunk in HTTPBody(bytes) {
            sizes.append(chunk.count)
            joined.append(chunk)
        }
        #expect(sizes == [65_536, 65_536, 65_536, 3392])
        #expect(joined == bytes)
    }

    @Test("A body from a one-shot stream refuses a second read instead of looking empty")
    func onceOnly() async throws {
        let body = once("a", "b")
        #expect(!body.isReplayable)
        #expect(try await body.text() == "ab")
        await #expect(throws: BodyError(.alreadyRead)) { try await body.collect() }
    }

    @Test("A body is collected into bytes whose indices begin at 0, whatever slices it came in")
    func slices() async throws {
        struct SliceReader: BodyReader {
            var chunks = [Data("xab".utf8).dropFirst(), Data("yc".utf8).dropFirst()]

            nonisolated(nonsending) mutating func read() async throws -> Data? {
                chunks.isEmpty ? nil : chunks.removeFirst()
            }
        }
        let bytes = try await HTTPBody.once { SliceReader() }.collect()
        #expect(bytes.startIndex == 0)
        #expect(bytes == Data("abc".utf8))
    }

    @Test("A body from a factory begins anew each time it is read")
    func replayable() async throws {
        let opened = Locked(0)
        let body = HTTPBody.replayable(length: 2) {
            opened.withLock { $0 += 1 }
            return ChunkReader(["a", "", "b"].filter { !$0.isEmpty })
        }
        #expect(try await body.text() == "ab")
        #expect(try await body.text() == "ab")
        #expect(opened.withLock { $0 } == 2)
    }

    @Test("A body from a sequence passes over empty chunks")
    func sequence() async throws {
        let (stream, continuation) = AsyncStream.makeStream(of: Data.self)
        for text in ["a", "", "b"] { continuation.yield(Data(text.utf8)) }
        continuation.finish()
        var chunks: [String] = []
        for try await chunk in HTTPBody.once(chunks: stream) { chunks.append(String(decoding: chunk, as: UTF8.self)) }
        #expect(chunks == ["a", "b"])
    }

    @Test(
        "A body is held to the length it declares",
        arguments: [
            (Int64(3), BodyError.Problem.shorterThanDeclared(declared: 3, actual: 2)),
            (1, .longerThanDeclared(declared: 1)),
            (-1, .negativeLength(-1)),
        ]
    )
    func declaredLength(length: Int64, problem: BodyError.Problem) async throws {
        await #expect(throws: BodyError(problem)) { try await once("a", "b", length: length).collect() }
    }

    @Test("A body is never collected beyond its limit, whether its length is known or not")
    func limit() async throws {
        await #expect(throws: BodyError(.tooLarge(limit: 4))) { try await HTTPBody("hello").collect(upTo: 4) }
        await #expect(throws: BodyError(.tooLarge(limit: 4))) { try await once("hel", "lo").collect(upTo: 4) }
        #expect(try await once("hel", "lo").collect(upTo: 5).count == 5)
    }

    @Test("A body hands on the error of its source, and keeps to it")
    func failure() async throws {
        let body = HTTPBody.replayable { ChunkReader(["a"], failing: Boom()) }
        await #expect(throws: Boom()) { try await body.collect() }
    }

    @Test("A body that holds a value is an error to read, and names the type")
    func value() async throws {
        let body = HTTPBody.value(["a": 1])
        #expect(body.value as? [String: Int] == ["a": 1])
        #expect(body.length == nil)
        let error = await #expect(throws: BodyError.self) { try await body.collect() }
        #expect(error?.reason.contains("Dictionary<String, Int>") == true)
    }

    @Test("A body describes itself without its content")
    func description() {
        #expect("\(HTTPBody("secret"))" == "6 bytes")
        #expect("\(once("secret"))" == "one-shot stream of unknown length")
        #expect("\(HTTPBody.replayable(length: 2048) { ChunkReader([String]()) })" == "replayable stream of 2 KiB")
        #expect("\(HTTPBody.value(1))" == "value of type Int")
    }

    @Test("A body can be iterated from an actor's isolation without leaving its order")
    @MainActor
    func mainActor() async throws {
        var text = ""
        for try await chunk in once("a", "b", "c") { text += String(decoding: chunk, as: UTF8.self) }
        #expect(text == "abc")
    }
}

@Suite("A file body")
struct FileBodyTests {
    @Test("A file body has the file's content, whole or in part, and its length once it is measured")
    func content() async throws {
        let scratch = try ScratchDirectory.created()
        let bytes = Data((0..<150_000).map { UInt8(truncatingIfNeeded: $0) })
        let file = try scratch.file("a", bytes)
        #expect(HTTPBody.file(file).length == nil)
        #expect(try await HTTPBody.file(file).measured().length == 150_000)
        #expect(try await HTTPBody.file(file).collect() == bytes)
        let part = HTTPBody.file(file, range: 100_000..<140_000)
        #expect(part.length == 40_000)
        #expect(try await part.collect() == bytes[100_000..<140_000])
        #expect(try await part.collect() == bytes[100_000..<140_000])
    }

    @Test("A file body of a missing file is an error that names it")
    func missing() async throws {
        let url = URL(fileURLWithPath: "/nonexistent/file")
        #expect(try await HTTPBody.file(url).measured().length == nil)
        let error = await #expect(throws: BodyError.self) { try await HTTPBody.file(url).collect() }
        #expect(error?.problem == .missingFile(path: "/nonexistent/file"))
        #expect(error?.reason == "there is no file /nonexistent/file")
    }

    @Test("A file body refuses a range outside the file")
    func range() async throws {
        let scratch = try ScratchDirectory.created()
        let file = try scratch.file("a", Data("hello".utf8))
        let problem = BodyError.Problem.rangeOutsideFile(path: file.path, range: 3..<9, fileSize: 5)
        await #expect(throws: BodyError(problem)) { try await HTTPBody.file(file, range: 3..<9).collect() }
        let negative = BodyError.Problem.rangeOutsideFile(path: file.path, range: -2..<3, fileSize: 5)
        await #expect(throws: BodyError(negative)) { try await HTTPBody.file(file, range: -2..<3).collect() }
        let endless = HTTPBody.file(file, range: .min ..< .max)
        #expect(endless.length == nil)
        await #expect(throws: BodyError.self) { try await endless.collect() }
    }

    @Test("A file body notices a file that shrinks while it is read")
    func shrinking() async throws {
        let scratch = try ScratchDirectory.created()
        let file = try scratch.file("a", Data(count: 600_000))
        var reader = try await HTTPBody.file(file).makeReader()
        _ = try await reader.read()
        try FileHandle(forWritingTo: file).truncate(atOffset: 70_000)
        await #expect(throws: BodyError(.fileChanged(path: file.path))) { while try await reader.read() != nil {} }
    }

    /// What becomes of reading a file of 600,000 bytes, the first chunk of which is read before it is changed.
    private func outcome(
        range: Range<Int64>? = nil,
        _ change: (URL) throws -> Void
    ) async throws -> (count: Int, problem: BodyError.Problem?, path: String) {
        let scratch = try ScratchDirectory.created()
        let file = try scratch.file("a", Data(count: 600_000))
        // Long ago: the clocks of some file systems are coarse.
        let past = [FileAttributeKey.modificationDate: Date(timeIntervalSince1970: 1_000_000_000)]
        try FileManager.default.setAttributes(past, ofItemAtPath: file.path)
        var reader = try await HTTPBody.file(file, range: range).makeReader()
        var count = try await reader.read()?.count ?? 0
        try change(file)
        do {
            while let chunk = try await reader.read() { count += chunk.count }
            return (count, nil, file.path)
        } catch let error as BodyError {
            return (count, error.problem, file.path)
        }
    }

    private func append(_ file: URL) throws {
        let handle = try FileHandle(forWritingTo: file)
        try handle.seekToEnd()
        try handle.write(contentsOf: Data("more".utf8))
        try handle.close()
    }

    private func overwrite(_ file: URL) throws {
        let handle = try FileHandle(forWritingTo: file)
        try handle.write(contentsOf: Data("other".utf8))
        try handle.close()
    }

    @Test("A file body notices a file that grows or is overwritten while read, before it gives out the last bytes")
    func changing() async throws {
        for change in [append, overwrite] {
            let (count, problem, path) = try await outcome(change)
            #expect(problem == .fileChanged(path: path))
            #expect(count < 600_000)
        }
        let error = BodyError(.fileChanged(path: "/a"))
        #expect("\(error)".contains("/a changed while it was being read"))
    }

    @Test("A file body lets a file grow of which a range was asked for, and notices all else")
    func changingRange() async throws {
        let grown = try await outcome(range: 100..<500_000, append)
        #expect(grown.problem == nil)
        #expect(grown.count == 499_900)
        let overwritten = try await outcome(range: 100..<500_000, overwrite)
        #expect(overwritten.problem == .fileChanged(path: overwritten.path))
        let shrunk = try await outcome(range: 100..<500_000) {
            try FileHandle(forWritingTo: $0).truncate(atOffset: 550_000)
        }
        #expect(shrunk.problem == .fileChanged(path: shrunk.path))
    }

    @Test("A file body hands out chunks that stay as they are while others are read, changed and dropped")
    func keptChunks() async throws {
        let scratch = try ScratchDirectory.created()
        let pieces = (0..<40).map { Data(repeating: UInt8($0 + 1), count: HTTPBody.chunkSize) }
        let file = try scratch.file("a", pieces.reduce(Data(), +) + Data(repeating: 99, count: 50_000))
        var kept: [(number: Int, chunk: Data)] = []
        for pass in 0..<3 {
            var number = 0
            for try await var chunk in HTTPBody.file(file) {
                #expect(chunk == (number < pieces.count ? pieces[number] : Data(repeating: 99, count: 50_000)))
                if number % 3 == pass {
                    kept.append((number, chunk))
                } else {
                    chunk[chunk.startIndex] = 0
                    chunk.append(contentsOf: [0, 0])
                }
                number += 1
            }
            #expect(number == 41)
        }
        #expect(kept.count == 41)
        for (number, chunk) in kept {
            #expect(chunk == (number < pieces.count ? pieces[number] : Data(repeating: 99, count: 50_000)))
        }
    }

    @Test("A file body whose length was looked up before notices that it has another one when it is read")
    func changedBefore() async throws {
        let scratch = try ScratchDirectory.created()
        let file = try scratch.file("a", Data(count: 1000))
        let body = try await HTTPBody.file(file).measured()
        #expect(body.length == 1000)
        try append(file)
        await #expect(throws: BodyError(.fileChanged(path: file.path))) { try await body.collect() }
        // Replaced as a whole before it is read, it is another file of the same length.
        try Data(repeating: 1, count: 1000).write(to: file)
        #expect(try await body.collect() == Data(repeating: 1, count: 1000))
    }
}
