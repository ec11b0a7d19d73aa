#if AllTests
import Foundation
import HTTPChainCore
import HTTPChainEventStream
import HTTPChainTesting
import TestSupport
import Testing

/// A stream and the events in it.
struct FormatCase: Sendable, CustomTestStringConvertible {
    let name: String
    let stream: String
    let events: [ServerSentEvent]

    init(_ name: String, _ stream: String, _ events: [ServerSentEvent]) {
        self.name = name
        self.stream = stream
        self.events = events
    }

    var testDescription: String { name }

    private static let long = String(repeating: "x", count: 2 * 1024)

    /// The cases of the web-platform-tests for `eventsource` that concern the format, by their names.
    ///
    /// Their server puts an empty line at the end of each message, except where the case is about that.
    static let webPlatform: [FormatCase] = [
        FormatCase(
            "format-bom",
            "\u{FEFF}data:1\n\n\u{FEFF}data:2\n\ndata:3\n\n",
            [.init("1"), .init("3")]
        ),
        FormatCase("format-bom-2", "\u{FEFF}\u{FEFF}data:1\n\ndata:2\n\ndata:3\n\n", [.init("2"), .init("3")]),
        FormatCase(
            "format-comments",
            "data:1\r:\0\n:\r\ndata:2\n:\(long)\rdata:3\n:data:fail\r:\(long)\ndata:4\n\n",
            [.init("1\n2\n3\n4")]
        ),
        FormatCase(
            "format-data-before-final-empty-line",
            "retry:1000\ndata:test1\n\nid:test\ndata:test2\n",
            [.init("test1")]
        ),
        FormatCase(
            "format-field-data",
            "data:\n\ndata\ndata\n\ndata:test\n\n",
            [.init(""), .init("\n"), .init("test")]
        ),
        FormatCase("format-field-event-empty", "event: \ndata:data\n\n", [.init("data")]),
        FormatCase("format-field-event", "event:test\ndata:x\n\ndata:x\n\n", [.init("x", type: "test"), .init("x")]),
        FormatCase(
            "format-field-id",
            "id: 1\ndata:test\n\ndata:more\n\n",
            [.init("test", lastEventID: "1"), .init("more", lastEventID: "1")]
        ),
        FormatCase(
            "format-field-id-2",
            "id: \ndata:a\n\nid:1\ndata:b\n\nid\ndata:c\n\n",
            [.init("a"), .init("b", lastEventID: "1"), .init("c")]
        ),
        FormatCase(
            "format-field-id-3",
            "id:…\ndata:a\n\ndata:b\n\nid: 2\ndata:c\n\n",
            [.init("a", lastEventID: "…"), .init("b", lastEventID: "…"), .init("c", lastEventID: "2")]
        ),
        FormatCase(
            "format-field-id-null",
            "id:1\0\ndata:a\n\nid:2\ndata:b\n\nid:\0\0\ndata:c\n\n",
            [.init("a"), .init("b", lastEventID: "2"), .init("c", lastEventID: "2")]
        ),
        FormatCase(
            "format-field-parsing",
            "data:\0\ndata:  2\rData:1\ndata\0:2\ndata:1\r\0data:4\nda-ta:3\rdata_5\ndata:3\rdata:\r\n data:32\ndata:4\n\n",
            [.init("\0\n 2\n1\n3\n\n4")]
        ),
        FormatCase("format-field-retry", "retry:3000\ndata:x\n\n", [.init("x")]),
        FormatCase("format-field-retry-bogus", "retry:3000\nretry:1000x\ndata:x\n\n", [.init("x")]),
        FormatCase("format-field-retry-empty", "retry:1000\nretry\ndata:test\n\n", [.init("test")]),
        FormatCase(
            "format-field-unknown",
            "data:test\n data\ndata\nfoobar:xxx\njustsometext\n:thisisacommentyay\ndata:test\n\n",
            [.init("test\n\ntest")]
        ),
        FormatCase("format-leading-space", "data:\ttest\rdata: \ndata:test\n\n", [.init("\ttest\n\ntest")]),
        FormatCase("format-newlines", "data:test\r\ndata\ndata:test\r\n\r", [.init("test\n\ntest")]),
        FormatCase("format-null-character", "data:\0\n\n\n\n", [.init("\0")]),
        FormatCase("format-utf-8", "data:ok…\n\n", [.init("ok…")]),
    ]

    /// What else can go wrong.
    static let further: [FormatCase] = [
        FormatCase("nothing", "", []),
        FormatCase("empty lines alone", "\n\r\n\r\r\n\n", []),
        FormatCase("an event that is incomplete at the end", "data:1\n\ndata:2\n", [.init("1")]),
        FormatCase("an event without data sets the id", "id:7\n\ndata:x\n\n", [.init("x", lastEventID: "7")]),
        FormatCase("an event without data forgets its type", "event:a\n\ndata:x\n\n", [.init("x")]),
        FormatCase(
            "the id of an event that is incomplete does not count",
            "id:1\ndata:a\n\nid:2\ndata:b",
            [.init("a", lastEventID: "1")]
        ),
        FormatCase("CR alone ends lines at once", "data:1\r\rdata:2\r\r", [.init("1"), .init("2")]),
        FormatCase("two spaces keep one", "data:  x\n\n", [.init(" x")]),
        FormatCase("half a byte order mark", "\u{FFC0}data:1\n\ndata:2\n\n", [.init("2")]),
        FormatCase("a name of six letters", "datas:1\ndata:2\nretryy:1\n\n", [.init("2")]),
        FormatCase("a colon in the data", "data:a:b: c\n\n", [.init("a:b: c")]),
        FormatCase("the last event name counts", "event:a\nevent:b\ndata:x\n\n", [.init("x", type: "b")]),
        FormatCase("the fields in any order", "data:x\nid:3\nevent:t\n\n", [.init("x", type: "t", lastEventID: "3")]),
    ]
}

@Suite("The format of event streams", .timeLimit(.minutes(10)))
struct EventFormatTests {
    static func events(_ chunks: [Data]) throws -> [ServerSentEvent] {
        var parser = EventParser()
        var events: [ServerSentEvent] = []
        for chunk in chunks { events += try parser.events(in: chunk) }
        return events
    }

    @Test("The events are the same however the stream is cut", arguments: FormatCase.webPlatform + FormatCase.further)
    func cases(format: FormatCase) throws {
        let bytes = Data(format.stream.utf8)
        #expect(try Self.events([bytes]) == format.events)
        for size in 1...7 { #expect(try Self.events(bytes.pieces(of: size)) == format.events, "\(size) at a time") }
        if bytes.count < 200 {
            for cut in 0...bytes.count {
                let halves = [bytes.prefix(cut), Data(bytes.dropFirst(cut))]
                #expect(try Self.events(halves) == format.events, "cut at \(cut)")
            }
        }
    }

    @Test("Parts put together are the events", arguments: FormatCase.webPlatform + FormatCase.further)
    func parts(format: FormatCase) throws {
        for size in [1, 3, 1 << 20] {
            var parser = EventPartParser()
            var data = Data()
            var events: [ServerSentEvent] = []
            for chunk in Data(format.stream.utf8).pieces(of: size) {
                for part in try parser.parts(in: chunk) {
                    switch part {
                    case .data(let piece): data.append(piece)
                    case .end(let type, let id):
                        events.append(ServerSentEvent(bytes: data, type: type, lastEventID: id))
                        data = Data()
                    case .comment, .retry: break
                    }
                }
            }
            #expect(events == format.events)
        }
    }

    @Test("Random streams cut at random give the events that a plain reading gives", .seeded)
    func random() throws {
        let numbers = Seed.numbers()
        let pieces = [
            "data", "id", "event", "retry", ":", " ", "\n", "\r", "\r\n", "x", "1", "\0", "é", "\u{FEFF}", "da",
        ]
        for _ in 0..<2_000 {
            let text = (0..<numbers.index(below: 60)).map { _ in pieces[numbers.index(below: pieces.count)] }.joined()
            let bytes = Data(text.utf8)
            var chunks: [Data] = []
            var rest = bytes
            while !rest.isEmpty {
                let size = 1 + numbers.index(below: 9)
                chunks.append(rest.prefix(size))
                rest = rest.dropFirst(size)
            }
            #expect(try Self.events(chunks) == PlainReading.events(in: text), "\(text.debugDescription)")
        }
    }

    @Test("Comments and retry delays are reported", arguments: [1, 100])
    func told(size: Int) throws {
        var parser = EventParser()
        var items: [StreamItem] = []
        for chunk in Data(": hello\nretry: 2500\nretry: -1\nretry: 1.5\nretry: 99999999999999999999\n".utf8).pieces(
            of: size
        ) {
            try parser.read(chunk, into: &items)
        }
        #expect(items.first == .comment(" hello"))
        #expect(items.dropFirst().first == .retry(.milliseconds(2500)))
        #expect(items.count == 3)
        #expect(parser.retry == Duration.longest)
    }

    @Test("A stream goes on with the id of the connection before")
    func continues() throws {
        var parser = EventParser(lastEventID: "9")
        #expect(try parser.events(in: Data("data:x\n\n".utf8)) == [ServerSentEvent("x", lastEventID: "9")])
        #expect(parser.lastEventID == "9")
    }

    @Test("A line, an event, an id and a type that are too long are errors that name the limit")
    func limits() throws {
        let limits = EventStreamLimits(line: 20, event: 30, name: 10)
        func problem(_ text: String, cut: Int = 1_000) -> EventStreamError.Problem? {
            var parser = EventParser(limits: limits)
            do {
                for chunk in Data(text.utf8).pieces(of: cut) { _ = try parser.events(in: chunk) }
                return nil
            } catch {
                return error.problem
            }
        }
        let twenty = String(repeating: "a", count: 20)
        for cut in [1, 7, 1_000] {
            #expect(problem("data:\(twenty)\n\n", cut: cut) == nil)
            #expect(problem("data:\(twenty)a\n\n", cut: cut) == .lineTooLong(limit: 20))
            #expect(problem(":\(twenty)a", cut: cut) == .lineTooLong(limit: 20))
            #expect(problem("unknown\(twenty)a", cut: cut) == .lineTooLong(limit: 20))
            #expect(problem("data:\(twenty)\ndata:1234567890\n\n", cut: cut) == .eventTooLarge(limit: 30))
            #expect(problem("id:12345678901\n", cut: cut) == .lineTooLong(limit: 10))
            #expect(problem("event:12345678901\n", cut: cut) == .lineTooLong(limit: 10))
        }
    }

    @Test("What was complete before an error is delivered")
    func completeBeforeError() {
        var parser = EventParser(limits: EventStreamLimits(line: 5))
        var items: [StreamItem] = []
        #expect(throws: EventStreamError.self) {
            try parser.read(Data("data:1\n\ndata:123456\n\n".utf8), into: &items)
        }
        #expect(items == [.event(ServerSentEvent("1"))])
    }

    @Test("A line of data of any length passes in parts, and one that is none is limited")
    func hugeLine() throws {
        var parser = EventPartParser(limits: EventStreamLimits(line: 100, event: 100))
        var count = 0
        var largest = 0
        let chunk = Data(repeating: 0x61, count: 65_536)
        _ = try parser.parts(in: Data("data:".utf8))
        for _ in 0..<1_024 {
            for case .data(let piece) in try parser.parts(in: chunk) {
                count += piece.count
                largest = max(largest, piece.count)
            }
        }
        #expect(count == 64 << 20)
        #expect(largest == 65_536)
        #expect(try parser.parts(in: Data("\n\n".utf8)) == [.end(type: "message", lastEventID: nil)])
        #expect(throws: EventStreamError.self) { try parser.parts(in: Data(":".utf8) + chunk) }
    }

    @Test("The line that ends with CR alone is found without a look at the rest")
    func onlyCarriageReturns() throws {
        // Quadratic work would take minutes here.
        let stream = Data(repeating: 0x0D, count: 1 << 20)
        var parser = EventParser()
        for chunk in stream.pieces(of: 1 << 18) { #expect(try parser.events(in: chunk).isEmpty) }
        let lines = Data(String(repeating: "data:1\r\r", count: 1 << 16).utf8)
        #expect(try parser.events(in: lines).count == 1 << 16)
    }
}

/// The same format read in the plainest way: all lines first, and then their fields.
enum PlainReading {
    static func events(in text: String) -> [ServerSentEvent] {
        var scalars = Array(text.unicodeScalars)
        if scalars.first == "\u{FEFF}" { scalars.removeFirst() }
        var lines: [[Unicode.Scalar]] = []
        var line: [Unicode.Scalar] = []
        var index = 0
        while index < scalars.count {
            let scalar = scalars[index]
            if scalar == "\r" || scalar == "\n" {
                lines.append(line)
                line = []
                if scalar == "\r", index + 1 < scalars.count, scalars[index + 1] == "\n" { index += 1 }
            } else {
                line.append(scalar)
            }
            index += 1
        }
        var events: [ServerSentEvent] = []
        var data: [String] = []
        var type = ""
        var id: String?
        for line in lines {
            if line.isEmpty {
                if !data.isEmpty {
                    events.append(
                        ServerSentEvent(
                            data.joined(separator: "\n"),
                            type: type.isEmpty ? "message" : type,
                            lastEventID: id
                        )
                    )
                }
                data = []
                type = ""
                continue
            }
            let colon = line.firstIndex(of: ":")
            let name = String(line[..<(colon ?? line.count)])
            var value = colon.map { line[($0 + 1)...] } ?? []
            if value.first == " " { value = value.dropFirst() }
            switch name {
            case "data": data.append(String(value))
            case "event": type = String(value)
            case "id": if !value.contains("\0") { id = value.isEmpty ? nil : String(value) }
            default: break
            }
        }
        return events
    }
}

extension String {
    fileprivate init(_ scalars: some Sequence<Unicode.Scalar>) {
        var view = UnicodeScalarView()
        view.append(contentsOf: scalars)
        self.init(view)
    }
}
#endif
