#if AllTests
import Foundation
import HTTPChainCore
import HTTPChainSerializer
import HTTPChainTesting
import HTTPTypes
import TestSupport
import Testing

private struct Event: Codable, Sendable, Hashable {
    var n: Int
}

private func values(_ body: HTTPBody, lineLimit: ByteCount = .mebibytes(1)) async throws -> [Int] {
    var result: [Int] = []
    for try await event in body.jsonLines(of: Event.self, lineLimit: lineLimit) { result.append(event.n) }
    return result
}

@Suite("Newline-delimited JSON")
struct JSONLinesTests {
    @Test(
        "Lines end with LF or CRLF, blank ones are passed over, the last may have no end",
        arguments: [1, 2, 3, 7, 1000]
    )
    func lines(_ chunk: Int) async throws {
        let text = "\u{FEFF}{\"n\":1}\n\n{\"n\":2}\r\n  \t\r\n\r\n{\"n\":3}\n{\"n\":4}"
        #expect(try await values(once(text, chunk: chunk)) == [1, 2, 3, 4])
        #expect(try await values(once(text + "\n", chunk: chunk)) == [1, 2, 3, 4])
        #expect(try await values(once(text + "\r\n\r\n", chunk: chunk)) == [1, 2, 3, 4])
    }

    @Test("Empty content and blank lines contain no values")
    func empty() async throws {
        #expect(try await values(.empty) == [])
        #expect(try await values("\r\n\n ") == [])
        #expect(try await Response(.ok, body: "{\"n\":1}").jsonLines(of: Event.self).first { _ in true }?.n == 1)
    }

    @Test("A line that is no value is an error that names it, after the values before it", arguments: [1, 1000])
    func invalid(_ chunk: Int) async throws {
        var iterator = once("{\"n\":1}\n\n{\"n\":\"x\",\"token\":\"hunter2\"}\n{\"n\":3}\n", chunk: chunk)
            .jsonLines(of: Event.self).makeAsyncIterator()
        #expect(try await iterator.next()?.n == 1)
        var failure: SerializerError?
        do {
            _ = try await iterator.next()
        } catch let error as SerializerError {
            failure = error
        }
        let error = try #require(failure)
        #expect(error.reason.hasPrefix("line 3 is not a value of type Event at n: "))
        #expect(!error.description.contains("hunter2"))
        #expect(try await iterator.next() == nil)
    }

    @Test("A line at the limit passes, a longer one is an error that names it", arguments: [1, 3, 1000])
    func limit(_ chunk: Int) async throws {
        #expect(try await values(once("{\"n\":1}\r\n{\"n\":2}\n{\"n\":3}", chunk: chunk), lineLimit: 7) == [1, 2, 3])
        for text in ["{\"n\":1}\n{\"n\":22}\n", "{\"n\":1}\n{\"n\":22}", "{\"n\":1}\n{\"n\":2222222222"] {
            let error = try await #require(throws: SerializerError.self) {
                try await values(once(text, chunk: chunk), lineLimit: 7)
            }
            #expect(error.problem == .lineTooLong(2, limit: 7))
        }
    }

    @Test("A body that breaks gives the values before, then its error")
    func broken() async throws {
        let body = HTTPBody.chunks(["{\"n\":1}\n{\"n\":2}\n"], length: 100, replayable: true)
        var iterator = body.jsonLines(of: Event.self).makeAsyncIterator()
        #expect(try await iterator.next()?.n == 1)
        #expect(try await iterator.next()?.n == 2)
        await #expect(throws: BodyError.self) { try await iterator.next() }
    }

    @Test("Values are given as they arrive, before the body ends")
    func asTheyArrive() async throws {
        let (stream, continuation) = AsyncStream.makeStream(of: Data.self)
        var iterator = HTTPBody.once(chunks: stream).jsonLines(of: Event.self).makeAsyncIterator()
        continuation.yield(Data("{\"n\":1}\n{\"n\"".utf8))
        #expect(try await iterator.next()?.n == 1)
        continuation.yield(Data(":2}\n".utf8))
        #expect(try await iterator.next()?.n == 2)
        continuation.finish()
        #expect(try await iterator.next() == nil)
    }

    @Test("A hundred thousand values pass without being kept", .timeLimit(.minutes(10)))
    func many() async throws {
        let line = Data(String(repeating: "{\"n\":1}\n", count: 1000).utf8)
        var sum = 0
        for try await event in HTTPBody.once(chunks: Chunks(chunks: Array(repeating: line, count: 100))).jsonLines(
            of: Event.self
        ) {
            sum += event.n
        }
        #expect(sum == 100_000)
    }
}

extension Optional {
    fileprivate mutating func take() -> Wrapped? {
        let value = self
        self = nil
        return value
    }
}
#endif
