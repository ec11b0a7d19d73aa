import Foundation
import HTTPChainCore
import HTTPChainTesting
import TestSupport
import Testing

/// Upper-cases what it reads, and counts the reads.
private struct ShoutingReader: BodyReader {
    var inner: any BodyReader
    let reads: Locked<Int>

    nonisolated(nonsending) mutating func read() async throws -> Data? {
        reads.withLock { $0 += 1 }
        return try await inner.read().map { Data(String(decoding: $0, as: UTF8.self).uppercased().utf8) }
    }
}

@Suite("A transformed body")
struct BodyTransformTests {
    @Test("A transformed body pulls: nothing is read before somebody asks")
    func pulls() async throws {
        let reads = Locked(0)
        let body = once("a", "b", "c").transformed { ShoutingReader(inner: $0, reads: reads) }
        var iterator = body.makeAsyncIterator()
        #expect(reads.withLock { $0 } == 0)
        #expect(try await iterator.next() == Data("A".utf8))
        #expect(reads.withLock { $0 } == 1)
    }

    @Test("A transformed body can be read as often as what it transforms")
    func replays() async throws {
        let reads = Locked(0)
        let again = HTTPBody("abc").transformed { ShoutingReader(inner: $0, reads: reads) }
        #expect(again.isReplayable)
        #expect(try await again.text() == "ABC")
        #expect(try await again.text() == "ABC")
        let onlyOnce = once("abc").transformed { ShoutingReader(inner: $0, reads: reads) }
        #expect(!onlyOnce.isReplayable)
        #expect(try await onlyOnce.text() == "ABC")
        await #expect(throws: BodyError(.alreadyRead)) { try await onlyOnce.collect() }
    }

    @Test("A transformed body releases its source when it is dropped half read")
    func drops() async throws {
        let gone = Locked(false)
        do {
            let canary = Lifeline { gone.withLock { $0 = true } }
            let body = HTTPBody.once {
                _ = canary
                return HoldingReader(canary: canary)
            }
            var iterator = body.transformed { ShoutingReader(inner: $0, reads: Locked(0)) }.makeAsyncIterator()
            #expect(try await iterator.next() == Data("X".utf8))
            #expect(gone.withLock { $0 } == false)
        }
        #expect(gone.withLock { $0 })
    }

    private struct HoldingReader: BodyReader {
        let canary: Lifeline

        nonisolated(nonsending) mutating func read() async throws -> Data? { Data("x".utf8) }
    }

    @Test("A transformed body that is peeked at still has all of its bytes")
    func peek() async throws {
        let (preview, rest) = try await once("abc", "def", "ghi", length: 9).peek(upTo: 4)
        #expect(preview.description == "abcd…")
        #expect(preview.isTruncated)
        #expect(rest.length == 9)
        #expect(try await rest.text() == "abcdefghi")
        await #expect(throws: BodyError(.alreadyRead)) { try await rest.collect() }
    }

    @Test("A transformed body that is peeked at beyond its end is known to be whole")
    func peekWhole() async throws {
        let (preview, rest) = try await once("abc").peek(upTo: 100)
        #expect(preview == BodyPreview(Data("abc".utf8), isTruncated: false))
        #expect(try await rest.text() == "abc")
    }

    @Test("A transformed body that fails after what was peeked at still fails for its reader")
    func peekFailure() async throws {
        let body = HTTPBody.chunks(["abc"], failing: Boom())
        let (preview, rest) = try await body.peek(upTo: 3)
        #expect(preview.description == "abc…")
        await #expect(throws: Boom()) { try await rest.collect() }
    }

    @Test("A transformed body with a tee shows the first bytes and gives the reader all of them")
    func tee() async throws {
        let (body, seen) = once("abc", "def", length: 6).tee(upTo: 4)
        #expect(body.length == 6)
        #expect(!seen.isComplete)
        #expect(try await body.text() == "abcdef")
        #expect(seen.preview == BodyPreview(Data("abcd".utf8), isTruncated: true))
        #expect(seen.count == 6)
        #expect(seen.isComplete)
    }

    @Test("A transformed body with a tee that is read again shows the latest reading")
    func teeAgain() async throws {
        let (body, seen) = HTTPBody("abc").tee(upTo: 10)
        _ = try await body.collect()
        _ = try await body.collect()
        #expect(seen.preview == BodyPreview(Data("abc".utf8), isTruncated: false))
    }

    @Test("A transformed body is drained to its end when short, and given up when long")
    func drain() async throws {
        #expect(await once("abc").drain(within: .seconds(600)))
        let long = once("abc", "def")
        #expect(await long.drain(upTo: 4) == false)
        await #expect(throws: BodyError(.alreadyRead)) { try await long.collect() }
        let declared = once("abc", length: 3)
        #expect(await declared.drain(upTo: 2) == false)
        await #expect(throws: BodyError(.alreadyRead)) { try await declared.collect() }
        #expect(await HTTPBody("abc").drain(upTo: 1))
    }

    @Test("A transformed body that does not end is drained for as long as allowed, and then dropped")
    func drainInTime() async throws {
        let clock = VirtualClock()
        let gone = Locked(false)
        let endless = HTTPBody.once { EndlessReader { gone.withLock { $0 = true } } }
        let drained = Task { await endless.drain(within: .seconds(2), time: clock) }
        try await clock.waitForDeadline()
        clock.advance(by: .seconds(2))
        #expect(await drained.value == false)
        #expect(gone.withLock { $0 })
    }
}

@Suite("Saving a body")
struct BodySavingTests {
    @Test("Saving writes all of it to the file and returns the count")
    func save() async throws {
        let scratch = try ScratchDirectory.created()
        let file = scratch.url.appendingPathComponent("out")
        #expect(try await once("abc", "def").save(to: file) == 6)
        #expect(try Data(contentsOf: file) == Data("abcdef".utf8))
        #expect(scratch.names == ["out"])
    }

    @Test("Saving replaces an existing file only with a whole one")
    func replaces() async throws {
        let scratch = try ScratchDirectory.created()
        let file = try scratch.file("out", Data("old".utf8))
        let broken = HTTPBody.chunks(["new"], failing: Boom())
        await #expect(throws: Boom()) { try await broken.save(to: file) }
        #expect(try Data(contentsOf: file) == Data("old".utf8))
        await #expect(throws: BodyError(.tooLarge(limit: 2))) { try await once("ab", "c").save(to: file, upTo: 2) }
        try await until("the half files to be deleted") { scratch.names == ["out"] }
        try await once("new").save(to: file)
        #expect(try Data(contentsOf: file) == Data("new".utf8))
        #expect(scratch.names == ["out"])
    }

    @Test("Saving to a temporary file hands it over for moving, and deletes it otherwise")
    func temporary() async throws {
        let scratch = try ScratchDirectory.created()
        let kept = scratch.url.appendingPathComponent("kept")
        do {
            let file = try await once("abc").saveToTemporaryFile(in: scratch.url)
            #expect(scratch.names.count == 1)
            try await file.move(to: kept)
            _ = try await once("abc").saveToTemporaryFile(in: scratch.url)
        }
        try await until("the temporary files to be deleted") { scratch.names == ["kept"] }
        #expect(try Data(contentsOf: kept) == Data("abc".utf8))
    }

    @Test("Saving to a temporary file can be moved to another volume, or refuse to replace a file")
    func moving() async throws {
        let scratch = try ScratchDirectory.created()
        let there = try scratch.file("there", Data("old".utf8))
        let elsewhere = URL(fileURLWithPath: "/dev/shm", isDirectory: true)
        let isOtherVolume = FileManager.default.isWritableFile(atPath: elsewhere.path)
        let file = try await once("abc").saveToTemporaryFile(in: isOtherVolume ? elsewhere : scratch.url)
        await #expect(throws: (any Error).self) { try await file.move(to: there, replacing: false) }
        #expect(try Data(contentsOf: there) == Data("old".utf8))
        try await file.move(to: there)
        #expect(try Data(contentsOf: there) == Data("abc".utf8))
        #expect(scratch.names == ["there"])
    }

    @Test("Saving into a directory that does not exist is a typed error")
    func noDirectory() async throws {
        let error = await #expect(throws: BodyError.self) {
            try await HTTPBody("a").save(to: URL(fileURLWithPath: "/nonexistent/directory/file"))
        }
        guard case .file(_, "open", 2, _) = error?.problem else {
            Issue.record("unexpected \(String(describing: error))")
            return
        }
    }

    @Test("Saving into a buffer makes a one-shot body replayable, in memory or on disk", arguments: [100, 4])
    func buffered(memory: Int64) async throws {
        let body = try await once("abc", "def", "ghi").buffered(upTo: 100, memory: ByteCount(memory))
        #expect(body.isReplayable)
        #expect(body.length == 9)
        #expect(try await body.text() == "abcdefghi")
        #expect(try await body.text() == "abcdefghi")
    }

    @Test("Saving into a buffer that spilled deletes the file with the last body")
    func spillIsDeleted() async throws {
        var body: HTTPBody? = try await once("abc", "def").buffered(upTo: 100, memory: 2)
        let url = try #require(body?.file?.url)
        #expect(FileManager.default.fileExists(atPath: url.path))
        let transformed = body?.tee(upTo: 1).body
        body = nil
        #expect(try await transformed?.text() == "abcdef")
    }

    @Test("Saving into a buffer stops at the limit", arguments: [100, 2])
    func bufferLimit(memory: Int64) async throws {
        await #expect(throws: BodyError(.tooLarge(limit: 4))) {
            try await once("abc", "def").buffered(upTo: 4, memory: ByteCount(memory))
        }
    }
}
