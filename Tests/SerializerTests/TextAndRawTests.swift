#if AllTests
import Foundation
import HTTPChainCore
import HTTPChainSerializer
import HTTPChainSupport
import HTTPTypes
import TestSupport
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

    @Test("A single value can be text; an object or array can't")
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
        #expect(try await nested.send(.get(url).decoding(at: "blob"), as: Data.self) == Data([0, 255]))
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

    /// Whether a property list is a decoding failure.
    private func fails(_ bytes: Data) async -> Bool {
        let reply = try? chain(SerializerMiddleware(.propertyList), "application/x-plist", HTTPBody(bytes))
        do {
            _ = try await reply?.send(.get(url), as: Nested.self)
            return false
        } catch {
            return error is DecodingFailure
        }
    }

    @Test(
        "A document type doesn't hide the depth of a property list",
        arguments: ["<!--", "<![CDATA[", "<?", "<", ">"]
    )
    func documentType(opener: String) async {
        let deep = "<plist>" + String(repeating: "<array>", count: 100_000)
        for quote in ["'", "\""] {
            let literal = quote + opener + quote
            for type in ["SYSTEM \(literal)", "PUBLIC 'x' \(literal)", "[<!ENTITY e \(literal)>]", quote + opener] {
                #expect(await fails(Data("<!DOCTYPE plist \(type)>\(deep)".utf8)), "\(type)")
            }
        }
        let apple =
            "PUBLIC \"-//Apple//DTD PLIST 1.0//EN\" \"http://www.apple.com/DTDs/PropertyList-1.0.dtd\""
        #expect(await !fails(Data("<?xml version=\"1.0\"?><!DOCTYPE plist \(apple)><plist><dict/></plist>".utf8)))
    }

    private func openStep(_ depth: Int) -> Data {
        Data((String(repeating: "{a=", count: depth) + "b" + String(repeating: ";}", count: depth)).utf8)
    }

    @Test("Property lists in OpenStep format are read up to the limit of levels")
    func openStepDepth() throws {
        let serializer = PropertyListSerializer()
        let limit = DocumentDepth.limit
        let value = try serializer.value(JSONValue.self, from: openStep(limit), contentType: nil)
        #expect(value["a"]?["a"]?["a"] != nil)
        let error = #expect(throws: DecodingError.self) {
            try serializer.value(JSONValue.self, from: openStep(limit + 1), contentType: nil)
        }
        #expect("\(try #require(error))".contains("deeper than \(limit) levels"))
        let flat = Data("(\(String(repeating: "(a, {b=c;}),", count: 500)))".utf8)
        #expect(try serializer.value(JSONValue.self, from: flat, contentType: nil).array?.count == 500)
    }

    @Test("The deepest property lists for Apple platforms fit the stack of their threads")
    func smallStack() async throws {
        let depth = DocumentDepth.small
        let open = String(repeating: "<dict><key>a</key>", count: depth)
        let xml = Data("<plist>\(open)<dict/>\(String(repeating: "</dict>", count: depth))</plist>".utf8)
        var nested = JSONValue.object([:])
        for _ in 1..<depth { nested = .object(["a": nested]) }
        let binary = try PropertyListSerializer(.binary).data(of: nested, contentType: "")
        for list in [xml, binary, openStep(depth)] {
            let value = try await SmallStack.run {
                try PropertyListSerializer().value(JSONValue.self, from: list, contentType: nil)
            }
            #expect(value["a"]?["a"]?["a"] != nil)
        }
        #expect(DocumentDepth.small <= DocumentDepth.limit)
    }

    @Test("A property list whose markup doesn't end is an error")
    func unterminated() async {
        for start in ["<!--", "<![CDATA[", "<?", "<!DOCTYPE plist", "<!", "<", "</", "<array", "<?xml version='1.0'"] {
            #expect(await fails(Data((start + " <plist").utf8)), "\(start)")
            #expect(await fails(Data(start.utf8)), "\(start)")
        }
    }

    @Test("The declaration of a property list ends within 4,096 bytes")
    func paddedDeclaration() async {
        func list(_ padding: Int) -> Data {
            let spaces = String(repeating: " ", count: padding)
            return Data("<?xml version='1.0'\(spaces) encoding='UTF-8'?><plist><dict/></plist>".utf8)
        }
        #expect(await !fails(list(4000)))
        #expect(await fails(list(5000)))
    }

    @Test("Property lists that are nested too deep, contain themselves or have forged numbers are errors")
    func forgedPropertyLists() async throws {
        func xml(_ depth: Int, _ close: String = "</dict>") -> Data {
            let open = "<dict><key>a</key>"
            let closes = String(repeating: close, count: depth)
            return Data("<plist>\(String(repeating: open, count: depth))<dict/>\(closes)".utf8)
        }
        // The element of the document is a level, too, and so is a key.
        let limit = DocumentDepth.limit
        #expect(await !fails(xml(limit - 2) + Data("</plist>".utf8)))
        #expect(await fails(xml(limit - 1) + Data("</plist>".utf8)))
        #expect(await fails(xml(100_000)))
        #expect(await fails(xml(100_000, "")))
        let deep = try #require(String(decoding: xml(100_000), as: UTF8.self).data(using: .utf16))
        #expect(await fails(deep))

        // A dictionary whose member is the object of that number: itself, or a dictionary that is empty.
        func binary(_ member: UInt8, count: Int = 3, top: Int = 0, table: Int = 14) -> Data {
            var bytes: [UInt8] = Array("bplist00".utf8) + [0xD1, 1, member, 0x51, 0x61, 0xD0, 8, 11, 13]
            bytes += [0, 0, 0, 0, 0, 0, 1, 1]
            for number in [count, top, table] {
                bytes += (0..<8).reversed().map { UInt8(truncatingIfNeeded: number >> (8 * $0)) }
            }
            return Data(bytes)
        }
        #expect(await !fails(binary(2)))
        #expect(await fails(binary(0)))
        #expect(await fails(binary(9)))
        for forged in [-1, Int.max, Int.min, 1 << 40, 4] {
            #expect(await fails(binary(2, count: forged)))
            #expect(await fails(binary(2, top: forged)))
            #expect(await fails(binary(2, table: forged)))
        }
        for index in 0..<binary(2).count {
            for byte in [0x00, 0x0F, 0x1F, 0x5F, 0x7F, 0x80, 0xAF, 0xDF, 0xFF] as [UInt8] {
                var bytes = binary(2)
                bytes[index] = byte
                _ = await fails(bytes)
            }
        }
        // Each of 40 arrays contains the next one twice.
        var doubling: [UInt8] = Array("bplist00".utf8) + [0xD1, 1, 2, 0x51, 0x61]
        var offsets: [UInt8] = [8, 11]
        for index in 0..<40 as Range<UInt8> {
            offsets.append(UInt8(doubling.count))
            doubling += [0xD2, 1, 1, index + 3, index + 3]
        }
        offsets.append(UInt8(doubling.count))
        doubling += [0xD0]
        let table = UInt8(doubling.count)
        doubling += offsets + [0, 0, 0, 0, 0, 0, 1, 1]
        for number in [UInt8(offsets.count), 0, table] { doubling += [0, 0, 0, 0, 0, 0, 0, number] }
        #expect(await fails(Data(doubling)))
    }

    private final class Nested: Decodable, Sendable {
        let a: Nested?
    }

    @Test("A binary property list whose texts are contained too often is an error, one of many equal rows isn't")
    func repeatedTexts() throws {
        func number(_ number: Int, _ size: Int) -> [UInt8] {
            (0..<size).reversed().map { UInt8(truncatingIfNeeded: number >> (8 * $0)) }
        }
        // An array refers to one text or data again and again.
        func list(_ kind: UInt8, count: Int, length: Int) -> Data {
            var bytes: [UInt8] = Array("bplist00".utf8) + [0xAF, 0x12] + number(count, 4)
            bytes += [UInt8](repeating: 1, count: count)
            let text = bytes.count
            bytes += [kind << 4 | 0x0F, 0x12] + number(length, 4)
            bytes += [UInt8](repeating: 0x78, count: kind == 6 ? 2 * length : length)
            let table = bytes.count
            bytes += number(8, 4) + number(text, 4) + [0, 0, 0, 0, 0, 0, 4, 1]
            return Data(bytes + number(2, 8) + number(0, 8) + number(table, 8))
        }
        let plist = PropertyListSerializer()
        func texts(_ data: Data) throws -> [String] { try plist.decode([String].self, from: data, contentType: nil) }
        #expect(try texts(list(5, count: 1000, length: 1000)).count == 1000)
        for kind in [5, 6] as [UInt8] {
            #expect(throws: DecodingError.self) { try texts(list(kind, count: 8000, length: 8000)) }
        }
        #expect(throws: DecodingError.self) {
            try plist.decode([Data].self, from: list(4, count: 8000, length: 8000), contentType: nil)
        }
        let rows = [[String: String]](repeating: ["identifier": "a", "description": "a plant"], count: 100_000)
        let binary = try PropertyListSerializer(.binary).encode(rows, contentType: plist.contentType)
        #expect(try plist.decode([[String: String]].self, from: binary, contentType: nil).count == 100_000)
    }

    @Test(
        "Property lists are written as XML or binary and read from both",
        arguments: [PropertyListSerializer.Format.xml, .binary]
    )
    func propertyList(_ format: PropertyListSerializer.Format) async throws {
        let stage = SerializerMiddleware(format == .xml ? .propertyList : .binaryPropertyList)
        let request = try await sent(.post(url, body: .value(Plant(name: "Fern"))).encoding(under: "a"), through: stage)
        let bytes = try #require(request.body.bytes)
        #expect(bytes.starts(with: Array((format == .xml ? "<?xml" : "bplist00").utf8)))
        #expect(request.head.headerFields[.contentType] == "application/x-plist")
        let reply = try chain(SerializerMiddleware(.json, .propertyList), "application/x-plist", HTTPBody(bytes))
        #expect(try await reply.send(.get(url).decoding(at: "a"), as: Plant.self) == Plant(name: "Fern"))
        #expect(try await reply.send(.get(url).decoding(at: "b"), as: Plant?.self) == nil)
        let error = try await #require(throws: SerializerError.self) {
            try await reply.send(.get(url).decoding(at: "b"), as: Plant.self)
        }
        #expect(error.reason.contains("there are a"))
    }
}
#endif
