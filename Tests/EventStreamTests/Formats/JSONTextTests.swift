#if AllTests
import Foundation
import HTTPChainCore
import HTTPChainEventStream
import TestSupport
import Testing

@Suite("JSON Lines and JSON text sequences", .timeLimit(.minutes(10)))
struct JSONTextTests {
    private static func texts(
        _ stream: String,
        _ format: JSONTextParser.Format,
        limit: ByteCount = 1_000,
        size: Int = 1_000
    ) throws -> [String] {
        var parser = JSONTextParser(format, limit: limit, lastEventID: nil)
        var items: [StreamItem] = []
        for chunk in Data(stream.utf8).pieces(of: size) { try parser.read(chunk, into: &items) }
        try parser.end(into: &items)
        return items.compactMap {
            if case .event(let event) = $0 { event.data } else { nil }
        }
    }

    @Test("Each line is a text, blank ones are passed over, and the last needs no end", arguments: 1...9)
    func lines(size: Int) throws {
        let stream = "\u{FEFF}{\"a\":1}\n\n  \r\n[2]\r\n3"
        #expect(try Self.texts(stream, .lines, size: size) == ["{\"a\":1}", "[2]", "3"])
        #expect(try Self.texts("", .lines).isEmpty)
    }

    @Test("A text stands between a record separator and the next, RFC 7464 §2.1", arguments: 1...9)
    func sequence(size: Int) throws {
        let stream = "\u{1E}{\"a\":\n1}\n\u{1E}\u{1E}[2]\n\u{1E}\"x\"\n"
        #expect(try Self.texts(stream, .sequence, size: size) == ["{\"a\":\n1}", "[2]", "\"x\""])
    }

    @Test("A number or a word that may have been cut at the end does not count, RFC 7464 §2.4")
    func truncated() throws {
        #expect(try Self.texts("\u{1E}1\n\u{1E}23", .sequence) == ["1"])
        #expect(try Self.texts("\u{1E}1\n\u{1E}tru", .sequence) == ["1"])
        #expect(try Self.texts("\u{1E}1\n\u{1E}23\n", .sequence) == ["1", "23"])
        #expect(try Self.texts("\u{1E}[1]", .sequence) == ["[1]"])
    }

    @Test("What does not begin with a record separator is no sequence")
    func notASequence() {
        let error = #expect(throws: EventStreamError.self) { try Self.texts("{}\n", .sequence) }
        #expect(error?.problem == .notASequence)
    }

    @Test("A text that is too long is an error, however it arrives", arguments: [1, 4, 100])
    func limit(size: Int) throws {
        #expect(try Self.texts("12345\n12345\r\n", .lines, limit: 5, size: size) == ["12345", "12345"])
        let error = #expect(throws: EventStreamError.self) {
            try Self.texts("1234567\n", .lines, limit: 5, size: size)
        }
        #expect(error?.problem == .lineTooLong(limit: 5))
    }
}
#endif
