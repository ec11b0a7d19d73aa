#if AllTests
import Foundation
import HTTPChainCore
import HTTPChainInMemory
import HTTPChainMultipart
import HTTPTypes
import Testing

/// Gives its chunks and counts them; ends with an error where there is one.
private struct CountingChunks: BodyReader {
    var chunks: ArraySlice<Data>
    var error: (any Error)?
    let count: Locked<Int>
    let onRelease: Released?

    nonisolated(nonsending) mutating func read() async throws -> Data? {
        guard let chunk = chunks.popFirst() else {
            if let error { throw error }
            return nil
        }
        count.withLock { $0 += 1 }
        return chunk
    }
}

private final class Released: Sendable {
    let flag: Locked<Bool>

    init(_ flag: Locked<Bool>) {
        self.flag = flag
    }

    deinit { flag.withLock { $0 = true } }
}

private let mixed: HTTPFields = [.contentType: "multipart/mixed; boundary=XX"]

@Suite("The parts of a response", .timeLimit(.minutes(10)))
struct MultipartPartsTests {
    private func response(_ chunks: [String], count: Locked<Int> = Locked(0), error: (any Error)? = nil) -> Response {
        let chunks = chunks.map { Data($0.utf8) }
        return Response(
            .ok,
            headers: mixed,
            body: .once { CountingChunks(chunks: chunks[...], error: error, count: count, onRelease: nil) }
        )
    }

    @Test("Parts come in order, each with its fields and content")
    func parts() async throws {
        let response = response([
            "--XX\r\nContent-Type: application/json\r\nContent-Disposition: attachment; name=n; filename=f\r\n\r\n{\"a\"",
            ":1}\r\n--", "XX\r\nContent-Range: bytes 0-2/10\r\n\r\nabc\r\n--XX--\r\n",
        ])
        var seen: [String] = []
        for try await part in try response.parts() {
            seen.append("\(part.contentType ?? "-") \(part.name ?? "-") \(part.fileName ?? "-")")
            seen.append(part.headers[.contentRange] ?? "-")
            #expect(!part.body.isReplayable && part.body.length == nil)
            seen.append(try await part.body.text())
        }
        #expect(seen == ["application/json n f", "-", "{\"a\":1}", "- - -", "bytes 0-2/10", "abc"])
    }

    @Test("Nothing is read before it is asked for")
    func pulled() async throws {
        let count = Locked(0)
        let response = response(
            ["--XX\r\n\r\n", "one", "two\r\n--XX\r\n\r\n", "three", "\r\n--XX--"],
            count: count
        )
        var parts = try response.parts().makeAsyncIterator()
        #expect(count.withLock { $0 } == 0)
        let first = try #require(try await parts.next())
        #expect(count.withLock { $0 } == 1)
        var reader = try await first.body.makeReader()
        #expect(try await reader.read() == Data("one".utf8))
        #expect(count.withLock { $0 } == 2)
        #expect(try await reader.read() == Data("two".utf8))
        #expect(try await reader.read() == nil)
        #expect(try await reader.read() == nil)
        #expect(count.withLock { $0 } == 3)
    }

    @Test("What was not read of a part is skipped, and reading it later is an error")
    func skipped() async throws {
        let response = response(["--XX\r\n\r\na", "b", "c\r\n--XX\r\n\r\nd\r\n--XX\r\n\r\ne\r\n--XX--"])
        var parts = try response.parts().makeAsyncIterator()
        let first = try #require(try await parts.next())
        var begun = try await first.body.makeReader()
        #expect(try await begun.read() == Data("a".utf8))
        let second = try #require(try await parts.next())
        do {
            _ = try await begun.read()
            Issue.record("a part that was passed could be read")
        } catch {
            #expect((error as? MultipartError)?.problem == .partPassed(part: 0))
        }
        #expect(try await second.body.text() == "d")
        let third = try #require(try await parts.next())
        #expect(try await parts.next() == nil)
        #expect(try await parts.next() == nil)
        await expectProblem(.partPassed(part: 2)) { _ = try await third.body.collect() }
    }

    @Test("The content of a part can be read once")
    func once() async throws {
        var parts = try response(["--XX\r\n\r\na\r\n--XX--"]).parts().makeAsyncIterator()
        let part = try #require(try await parts.next())
        #expect(try await part.body.text() == "a")
        await #expect(throws: BodyError(.alreadyRead)) { try await part.body.collect() }
    }

    @Test("The parts of a network body can be gone through once, those of bytes again")
    func again() async throws {
        let once = try response(["--XX\r\n\r\na\r\n--XX--"]).parts()
        for try await _ in once {}
        await #expect(throws: BodyError(.alreadyRead)) { for try await _ in once {} }
        let replayable = try Response(.ok, headers: mixed, body: "--XX\r\n\r\na\r\n--XX--").parts()
        for _ in 0..<2 {
            var contents: [String] = []
            for try await part in replayable { contents.append(try await part.body.text()) }
            #expect(contents == ["a"])
        }
    }

    @Test("A message that ends early is an error for whoever comes to its end, and stays one")
    func truncated() async throws {
        let text = ["--XX\r\n\r\nabc\r\n--X"]
        var reading = try response(text).parts().makeAsyncIterator()
        let part = try #require(try await reading.next())
        await expectProblem(.truncated(parts: 1)) { _ = try await part.body.collect() }
        await expectProblem(.truncated(parts: 1)) { _ = try await reading.next() }
        var skipping = try response(text).parts().makeAsyncIterator()
        _ = try await skipping.next()
        await expectProblem(.truncated(parts: 1)) { _ = try await skipping.next() }
    }

    @Test("An error of the transfer comes through as it is")
    func transferFails() async throws {
        let lost = TransportError(.connectionLost, sent: .answered, stage: "test")
        var parts = try response(["--XX\r\n\r\nabc"], error: lost).parts().makeAsyncIterator()
        let part = try #require(try await parts.next())
        let error = await #expect(throws: TransportError.self) { try await part.body.collect() }
        #expect(error?.kind == .connectionLost)
    }

    @Test("Dropping the parts gives up the transfer")
    func dropped() async throws {
        let released = Locked(false)
        do {
            let chunks = [Data("--XX\r\n\r\nabc".utf8), Data("more".utf8)]
            let lifeline = Locked<Released?>(Released(released))
            let body = HTTPBody.once {
                let taken = lifeline.withLock { $0.take() }
                return CountingChunks(chunks: chunks[...], error: nil, count: Locked(0), onRelease: taken)
            }
            var parts = try Response(.ok, headers: mixed, body: body).parts().makeAsyncIterator()
            let part = try #require(try await parts.next())
            #expect(!released.withLock { $0 })
            _ = part
        }
        #expect(released.withLock { $0 })
    }

    @Test("Limits hold, and a response that is not multipart is refused at once")
    func refused() async throws {
        let many = response([String(repeating: "--XX\r\n\r\na\r\n", count: 5) + "--XX--"])
        await expectProblem(.tooManyParts(limit: 3)) {
            for try await _ in try many.parts(limits: .init(partCount: 3)) {}
        }
        await expectProblem(.notMultipart(contentType: nil)) { _ = try Response(.ok).parts() }
    }

    @Test("Cancelling the task ends the reading with CancellationError")
    func cancelled() async throws {
        let body = HTTPBody.once { Waiting() }
        let parts = try Response(.ok, headers: mixed, body: body).parts()
        let task = Task { for try await _ in parts {} }
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
    }

    @Test("Two tasks that read at the same time get an error, not each other's bytes")
    func concurrent() async throws {
        let gate = Gate()
        let body = HTTPBody.once { Gated(gate: gate) }
        let parts = try Response(.ok, headers: mixed, body: body).parts()
        var iterator = parts.makeAsyncIterator()
        let part = try #require(try await iterator.next())
        async let content = part.body.text()
        await gate.untilWaiting()
        await expectProblem(.readConcurrently) { _ = try await iterator.next() }
        gate.open()
        #expect(try await content == "abc")
        #expect(try await iterator.next() == nil)
    }

    @Test("What is framed here comes back over a transport")
    func roundTrip() async throws {
        let transport = InMemoryTransport { request in
            var response = Response(.ok, body: HTTPBody(try await request.body.collect()))
            response.headers[.contentType] = request.head.headerFields[.contentType]
            return response
        }
        let chain = try Chain(transport: transport) { MultipartMiddleware() }
        let data = Data((0..<200_000).map { UInt8(truncatingIfNeeded: $0 &* 31) })
        let form: MultipartForm = [.text("ti\"tle", "é\r\n"), .data("d", data, fileName: "ä\"\r\n.bin")]
        let echo = try await chain.send(.post("https://api.example.com/echo", multipart: form))
        var seen: [[String?]] = []
        for try await part in try echo.parts() {
            let content = try await part.body.collect()
            seen.append([
                part.name, part.fileName, part.contentType,
                content == data ? "data" : String(decoding: content, as: UTF8.self),
            ])
        }
        #expect(seen == [["ti\"tle", nil, nil, "é\r\n"], ["d", "ä\"\r\n.bin", "application/octet-stream", "data"]])
    }
}

/// Waits until its task is cancelled.
private struct Waiting: BodyReader {
    nonisolated(nonsending) mutating func read() async throws -> Data? {
        let silence = AsyncStream<Void>.makeStream()
        for await _ in silence.stream {}
        withExtendedLifetime(silence.continuation) {}
        try Task.checkCancellation()
        return nil
    }
}

/// Lets the second read wait for the test.
private final class Gate: Sendable {
    private let opened = AsyncStream<Void>.makeStream()
    private let reached = AsyncStream<Void>.makeStream()

    func open() { opened.continuation.finish() }

    func untilWaiting() async {
        for await _ in reached.stream {}
    }

    func pass() async {
        reached.continuation.finish()
        for await _ in opened.stream {}
    }
}

private struct Gated: BodyReader {
    let gate: Gate
    var count = 0

    init(gate: Gate) {
        self.gate = gate
    }

    nonisolated(nonsending) mutating func read() async throws -> Data? {
        count += 1
        switch count {
        case 1: return Data("--XX\r\n\r\n".utf8)
        case 2:
            await gate.pass()
            return Data("abc\r\n--XX--".utf8)
        default: return nil
        }
    }
}
#endif
