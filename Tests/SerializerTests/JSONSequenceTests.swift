#if AllTests
import Foundation
import HTTPChainCore
import HTTPChainSerializer
import Testing

private struct Event: Codable, Sendable, Hashable {
    var n: Int
}

private func read<Value: Decodable>(_ body: HTTPBody, _ type: Value.Type, limit: ByteCount = 1000) async throws
    -> [Value]
{
    var result: [Value] = []
    for try await value in body.jsonSequence(of: type, limit: limit) { result.append(value) }
    return result
}

@Suite("JSON sequences (RFC 7464), and JSON written value by value", .timeLimit(.minutes(10)))
struct JSONSequenceTests {
    @Test(
        "Values between record separators are read, however the bytes are divided",
        arguments: [1, 2, 3, 7, 1000]
    )
    func reads(size: Int) async throws {
        let text = "\u{1E}{\"n\":1}\n\u{1E}\u{1E}\n\u{1E}{\n \"n\"\n:2}\n\u{1E}{\"n\":3}"
        #expect(try await read(once(text, chunk: size), Event.self).map(\.n) == [1, 2, 3])
        #expect(try await read(once("", chunk: 1), Event.self).isEmpty)
        #expect(try await read(once("\u{1E}1\n\u{1E}true \u{1E}\"x\"", chunk: size), AnyText.self).count == 3)
    }

    private struct AnyText: Decodable { init(from decoder: any Decoder) throws {} }

    @Test("A value is given as soon as its line feed is there, before the next separator")
    func early() async throws {
        let (stream, continuation) = AsyncStream.makeStream(of: Data.self)
        var values = HTTPBody.once(chunks: stream).jsonSequence(of: Event.self).makeAsyncIterator()
        continuation.yield(Data("\u{1E}{\"n\":1}\n".utf8))
        #expect(try await values.next()?.n == 1)
        continuation.yield(Data("\u{1E}{\"n\":2}\n".utf8))
        #expect(try await values.next()?.n == 2)
        continuation.finish()
        #expect(try await values.next() == nil)
    }

    @Test("A value that arrives in many lines is given at the line that ends it, and one of another type at its end")
    func inLines() async throws {
        let (stream, continuation) = AsyncStream.makeStream(of: Data.self)
        continuation.yield(Data("\u{1E}[\n".utf8))
        for _ in 0..<3 { continuation.yield(Data("\"]\\\"\\\\\",\n".utf8)) }
        continuation.yield(Data("\"\"]\n".utf8))
        var values = HTTPBody.once(chunks: stream).jsonSequence(of: [String].self).makeAsyncIterator()
        #expect(try await values.next() == ["]\"\\", "]\"\\", "]\"\\", ""])
        continuation.yield(Data("\u{1E}[1]\n".utf8))
        await #expect(throws: SerializerError.self) {
            continuation.finish()
            _ = try await values.next()
        }
    }

    @Test(
        "A value that may be cut off, one that is none, and what comes before the first separator are errors",
        arguments: ["\u{1E}1\n\u{1E}12", "\u{1E}1\n\u{1E}[", "1\n", "\u{1E}{\"n\":1}\n\u{1E}tru\n"]
    )
    func broken(text: String) async throws {
        await #expect(throws: SerializerError.self) { try await read(once(text, chunk: 3), Int.self) }
    }

    @Test("A value over the limit is an error")
    func limit() async throws {
        let error = try await #require(throws: SerializerError.self) {
            try await read(once("\u{1E}[" + String(repeating: "1,", count: 100), chunk: 10), [Int].self, limit: 50)
        }
        guard case .lineTooLong = error.problem else {
            Issue.record("\(error)")
            return
        }
    }

    @Test("Values are written line by line and as a sequence, and read back; an array can be sent again")
    func writes() async throws {
        let events = (1...2000).map(Event.init)
        let pretty = JSONSerializer(encoder: { $0.outputFormatting = .prettyPrinted })
        for _ in 0..<2 {
            let lines = HTTPBody.jsonLines(events, serializer: pretty)
            #expect(lines.isReplayable)
            #expect(
                try await lines.collect(upTo: .mebibytes(1)) == Data(events.map { "{\"n\":\($0.n)}\n" }.joined().utf8)
            )
            var read: [Event] = []
            for try await event in HTTPBody.jsonSequence(events, serializer: pretty).jsonSequence(of: Event.self) {
                read.append(event)
            }
            #expect(read == events)
        }
        #expect(try await HTTPBody.jsonSequence(Array(events.prefix(2))).text() == "\u{1E}{\"n\":1}\n\u{1E}{\"n\":2}\n")
    }

    @Test("A sequence of values is written as it comes, once")
    func streams() async throws {
        let (stream, continuation) = AsyncStream.makeStream(of: Event.self)
        let body = HTTPBody.jsonLines(stream)
        #expect(!body.isReplayable)
        var reader = body.makeAsyncIterator()
        continuation.yield(Event(n: 1))
        #expect(try await reader.next() == Data("{\"n\":1}\n".utf8))
        continuation.yield(Event(n: 2))
        continuation.finish()
        #expect(try await reader.next() == Data("{\"n\":2}\n".utf8))
        #expect(try await reader.next() == nil)
    }
}
#endif
