#if AllTests
import Foundation
import HTTPChainCore
import HTTPChainSerializer
import HTTPTypes
import Testing

@Suite("Text, raw bytes and property lists")
struct TextAndRawTests {
    @Test(
        "Text is written and read in its charset",
        arguments: [
            ("utf-8", "Ærø €", Data("Ærø €".utf8)), ("ISO-8859-1", "Ærø", Data([0xC6, 0x72, 0xF8])),
            ("windows-1252", "€", Data([0x80])), ("ISO-8859-15", "€", Data([0xA4])), ("us-ascii", "a", Data([0x61])),
            ("utf-16le", "é", Data([0xE9, 0x00])), ("UTF-16BE", "é", Data([0x00, 0xE9])),
            ("windows-1251", "ж", Data([0xE6])), ("Shift_JIS", "あ", Data([0x82, 0xA0])), ("koi8-r", "ж", Data([0xD6])),
            ("GBK", "中", Data([0xD6, 0xD0])), ("Big5", "中", Data([0xA4, 0xA4])),
        ]
    )
    func charsets(_ charset: String, _ text: String, _ bytes: Data) async throws {
        let stage = SerializerMiddleware(.text(charset: charset))
        let request = try await sent(.post(url, body: .value(text)), through: stage)
        #expect(request.body.bytes == bytes)
        #expect(request.head.headerFields[.contentType] == "text/plain; charset=\(charset)")
        let reply = try chain(SerializerMiddleware(.text), #"text/html; charset="\#(charset)""#, HTTPBody(bytes))
        #expect(try await reply.send(.get(url), as: String.self) == text)
    }

    @Test("The charset of the call's Content-Type decides what is sent; a byte order mark what is read")
    func decides() async throws {
        let request = Request.post(url, headers: [.contentType: "text/plain;charset=iso-8859-1"], body: .value("é"))
        #expect(try await sent(request, through: SerializerMiddleware(.json, .text)).body.bytes == Data([0xE9]))
        let marked = HTTPBody(Data([0xFF, 0xFE, 0xE9, 0x00]))
        #expect(
            try await chain(SerializerMiddleware(.text), "text/plain", marked).send(.get(url), as: String.self) == "é"
        )
    }

    @Test("A charset that is not known, and text that does not fit, are errors that name it")
    func charsetErrors() async throws {
        for (body, problem) in [
            (HTTPBody(Data([0x61])), SerializerError.Problem.unknownCharset("klingon"))
        ] {
            let error = try await #require(throws: SerializerError.self) {
                try await chain(SerializerMiddleware(.text), "text/plain; charset=klingon", body).send(
                    .get(url),
                    as: String.self
                )
            }
            #expect(error.problem == problem)
        }
        let invalid = try await #require(throws: SerializerError.self) {
            try await chain(SerializerMiddleware(.text), "text/plain", HTTPBody(Data([0xFF]))).send(
                .get(url),
                as: String.self
            )
        }
        #expect(invalid.problem == .notInCharset("utf-8"))
        let unwritable = try await #require(throws: SerializerError.self) {
            try await sent(.post(url, body: .value("€")), through: SerializerMiddleware(.text(charset: "us-ascii")))
        }
        #expect(unwritable.problem == .notInCharset("us-ascii"))
    }

    @Test("What is one word can be text; what is more cannot")
    func words() async throws {
        let stage = SerializerMiddleware(.text)
        #expect(try await sentText(.post(url, body: .value(42)), through: stage) == "42")
        #expect(
            try await sentText(.post(url, body: .value(Date(timeIntervalSince1970: 0))), through: stage)
                == "1970-01-01T00:00:00Z"
        )
        #expect(try await chain(stage, "text/plain", " 42\n").send(.get(url), as: Int.self) == 42)
        #expect(try await chain(stage, "text/plain", "true").send(.get(url), as: Bool?.self) == true)
        let identifier = UUID()
        #expect(
            try await chain(stage, "text/plain", HTTPBody("\(identifier)")).send(.get(url), as: UUID.self) == identifier
        )
        let error = try await #require(throws: SerializerError.self) {
            try await sent(.post(url, body: .value(Plant(name: "a"))), through: stage)
        }
        #expect(error.reason.contains("a value of type Plant cannot be written as text"))
        await #expect(throws: DecodingFailure.self) {
            try await chain(stage, "text/plain", "tall").send(.get(url), as: Int.self)
        }
    }

    @Test("Data is given as it came, whatever its type, and String from any text")
    func asItCame() async throws {
        let stage = SerializerMiddleware(.json)
        let bytes = Data([0, 1, 0xFF])
        #expect(try await chain(stage, "image/png", HTTPBody(bytes)).send(.get(url), as: Data.self) == bytes)
        #expect(try await chain(stage, "application/json", "{}").send(.get(url), as: Data.self) == Data("{}".utf8))
        #expect(try await chain(stage, "application/json", "").send(.get(url), as: Data?.self) == nil)
        #expect(
            try await chain(stage, "text/plain; charset=latin1", HTTPBody(Data([0xE9]))).send(
                .get(url),
                as: String.self
            )
                == "é"
        )
        #expect(try await chain(stage, "application/json", #""é""#).send(.get(url), as: String.self) == "é")
        let nested = try chain(stage, "application/json", #"{"blob":"AP8="}"#)
        #expect(try await nested.send(.get(url).decoded(at: "blob"), as: Data.self) == Data([0, 255]))
    }

    @Test("Raw bytes are written as they are, and nothing else is")
    func raw() async throws {
        let request = try await sent(
            .post(url, body: .value(Data([1, 2]))),
            through: SerializerMiddleware(.raw("image/png"))
        )
        #expect(request.body.bytes == Data([1, 2]))
        #expect(request.head.headerFields[.contentType] == "image/png")
        await #expect(throws: SerializerError.self) {
            try await sent(.post(url, body: .value("text")), through: SerializerMiddleware(.raw))
        }
        await #expect(throws: DecodingFailure.self) {
            try await chain(SerializerMiddleware(.raw), nil, "text").send(.get(url), as: Int.self)
        }
    }

    @Test(
        "Property lists are written as XML or binary and read from both",
        arguments: [PropertyListSerializer.Format.xml, .binary]
    )
    func propertyList(_ format: PropertyListSerializer.Format) async throws {
        let stage = SerializerMiddleware(.propertyList(format))
        let request = try await sent(.post(url, body: .value(Plant(name: "Fern"))).encoded(under: "a"), through: stage)
        let bytes = try #require(request.body.bytes)
        #expect(bytes.starts(with: Array((format == .xml ? "<?xml" : "bplist00").utf8)))
        #expect(request.head.headerFields[.contentType] == "application/x-plist")
        let reply = try chain(SerializerMiddleware(.json, .propertyList), "application/x-plist", HTTPBody(bytes))
        #expect(try await reply.send(.get(url).decoded(at: "a"), as: Plant.self) == Plant(name: "Fern"))
        #expect(try await reply.send(.get(url).decoded(at: "b"), as: Plant?.self) == nil)
        let error = try await #require(throws: SerializerError.self) {
            try await reply.send(.get(url).decoded(at: "b"), as: Plant.self)
        }
        #expect(error.reason.contains("there are a"))
    }
}
#endif
