#if AllTests
import Foundation
import HTTPChainCore
import TestSupport
import Testing

@testable import HTTPChainURLSession

@Suite("Uploads", .timeLimit(.minutes(10)))
struct UploadTests {
    /// Reads a source on a thread of its own, as the platform does, until its end or its error.
    private func drain(_ source: any UploadSource, step: Int = 1000) async throws -> Data {
        try await withCheckedThrowingContinuation { continuation in
            Thread {
                var all = Data()
                var buffer = [UInt8](repeating: 0, count: step)
                do {
                    while true {
                        let count = try buffer.withUnsafeMutableBytes { try source.read(into: $0) }
                        guard count > 0 else { break }
                        all.append(contentsOf: buffer[..<count])
                    }
                    continuation.resume(returning: all)
                } catch {
                    continuation.resume(throwing: error)
                }
            }.start()
        }
    }

    private func body(_ chunks: [Data], length: Int64? = nil) -> HTTPBody {
        .once(
            length: length,
            chunks: AsyncStream { continuation in
                for chunk in chunks { continuation.yield(chunk) }
                continuation.finish()
            }
        )
    }

    @Test("A pulled body arrives whole and in order")
    func order() async throws {
        let chunks = (0..<200).map { Data(repeating: UInt8($0), count: 5_000) }
        let upload = PulledUpload()
        async let sent = drain(upload)
        try await upload.pump(body(chunks), length: nil)
        #expect(try await sent == chunks.reduce(Data(), +))
    }

    @Test("The chunk that completes a declared length waits until the body has ended there")
    func holdsBack() async throws {
        let upload = PulledUpload()
        let long = body([Data(count: 10), Data(count: 10), Data(count: 1)])
        let error = await #expect(throws: BodyError.self) { try await upload.pump(long, length: 20) }
        #expect(error?.problem == .longerThanDeclared(declared: 20))
        upload.close()
        var buffer = [UInt8](repeating: 0, count: 100)
        #expect(throws: UploadClosed.self) { try buffer.withUnsafeMutableBytes { try upload.read(into: $0) } }
    }

    @Test("A pulled body that ends early says so")
    func short() async throws {
        let error = await #expect(throws: BodyError.self) {
            try await PulledUpload().pump(body([Data(count: 10)]), length: 20)
        }
        #expect(error?.problem == .shorterThanDeclared(declared: 20, actual: 10))
    }

    @Test("Closing wakes a reader that waits and a writer that is ahead")
    func closing() async throws {
        let waiting = PulledUpload()
        let read = Task { try await drain(waiting) }
        try await until("the reader to wait") { waiting.hasWaitingReader }
        waiting.close()
        await #expect(throws: UploadClosed.self) { try await read.value }

        let ahead = PulledUpload()
        let pumped = Task { try await ahead.pump(.once { ZeroReader(left: .max) }, length: nil) }
        try await until("the writer to wait") { ahead.hasWaitingWriter }
        ahead.close()
        await #expect(throws: UploadClosed.self) { try await pumped.value }
    }

    @Test("Bytes and a range of a file are read to their end")
    func stored() async throws {
        let bytes = Data((0..<100_000).map { UInt8(truncatingIfNeeded: $0) })
        #expect(try await drain(StoredUpload(bytes[10...])) == bytes[10...])
        let file = try await HTTPBody(bytes).saveToTemporaryFile()
        let upload = StoredUpload(file: file.url, range: 5..<90_000, owner: file.body)
        #expect(try await drain(upload) == bytes[5..<90_000])
    }

    @Test("A file that grows while it is sent fails the upload, unless a range of it was asked for")
    func growing() async throws {
        for (range, isFailure) in [(nil, true), (0..<100_000 as Range<Int64>, false)] {
            let file = try await HTTPBody(Data(count: 100_000)).saveToTemporaryFile()
            let body = HTTPBody.file(file.url, range: range)
            let upload = StoredUpload(file: file.url, range: 0..<100_000, owner: body)
            var count = try readSome(upload)
            let handle = try FileHandle(forWritingTo: file.url)
            try handle.seekToEnd()
            try handle.write(contentsOf: Data("more".utf8))
            try handle.close()
            var problem: BodyError.Problem?
            do {
                while case let more = try readSome(upload), more > 0 { count += more }
            } catch let error as BodyError { problem = error.problem }
            #expect(problem == (isFailure ? .fileChanged(path: file.url.path) : nil))
            #expect((count == 100_000) == !isFailure)
        }
    }

    private func readSome(_ upload: StoredUpload) throws -> Int {
        try withUnsafeTemporaryAllocation(byteCount: 1000, alignment: 1) { try upload.read(into: $0) }
    }

    @Test("A file that shrinks while it is sent fails the upload")
    func shrinking() async throws {
        let file = try await HTTPBody(Data(count: 1_000)).saveToTemporaryFile()
        let upload = StoredUpload(file: file.url, range: 0..<2_000, owner: file.body)
        let error = await #expect(throws: BodyError.self) { try await drain(upload) }
        #expect(error?.problem == .fileChanged(path: file.url.path))
    }
}
#endif
