#if AllTests && XML
import Foundation
import HTTPChainCore
import HTTPChainSerializer
import HTTPChainSerializerXML
import HTTPChainSupport
import HTTPChainTesting
import HTTPTypes
import TestSupport
import Testing
import XMLCoder

private let url = "https://api.example.com/orders"

private struct Item: Codable, Sendable, Hashable {
    var name: String
    var count: Int
}

private struct Order: Codable, Sendable, Hashable {
    var id: Int
    var note: String?
    var placed: Date
    var item: [Item]
}

private let order = Order(
    id: 7,
    placed: Date(timeIntervalSince1970: 1_769_851_800),
    item: [Item(name: "Tea & <milk>", count: 1), Item(name: "b", count: 2)]
)

private func reply(_ stage: SerializerMiddleware, _ contentType: String, _ text: String) throws -> Chain {
    try Chain(
        transport: ClosureTransport(
            answering: Response(.ok, headers: [.contentType: contentType], body: HTTPBody(text))
        )
    ) {
        stage
    }
}

private func sent(_ request: Request, through stage: SerializerMiddleware) async throws -> Request {
    let outcome = await StageHarness(stage).send(request)
    _ = try outcome.response()
    return try #require(outcome.requests.first)
}

@Suite("XML")
struct XMLSerializerTests {
    @Test("A value is written as a document and read back")
    func roundTrip() async throws {
        let request = try await sent(.post(url, body: .value(order)), through: SerializerMiddleware(.xml))
        #expect(request.head.headerFields[.contentType] == "application/xml")
        let text = try await request.body.text()
        #expect(text.hasPrefix(#"<?xml version="1.0" encoding="UTF-8"?>"#))
        #expect(text.contains("<Order><id>7</id><placed>2026-01-31T09:30:00Z</placed><item><name>Tea &amp; &lt;milk"))
        let stage = SerializerMiddleware(.json, .xml)
        for type in ["application/xml", "text/xml; charset=utf-8", "application/atom+xml"] {
            #expect(try await reply(stage, type, text).send(.get(url), as: Order.self) == order)
        }
    }

    @Test("The charset of the Content-Type decides over the document's declaration, both ways")
    func charsets() async throws {
        let document = #"<?xml version="1.0" encoding="UTF-8"?><Item><name>Käse</name><count>1</count></Item>"#
        let latin = try #require(document.data(using: .isoLatin1))
        let type = "application/xml; charset=iso-8859-1"
        let response = Response(.ok, headers: [.contentType: type], body: HTTPBody(latin))
        let chain = try Chain(transport: ClosureTransport(answering: response)) { SerializerMiddleware(.xml) }
        #expect(try await chain.send(.get(url), as: Item.self) == Item(name: "Käse", count: 1))
        let request = Request.post(url, headers: [.contentType: type], body: .value(Item(name: "Käse", count: 1)))
        let written = try await sent(request, through: SerializerMiddleware(.xml)).body.collect(upTo: 1000)
        let text = try #require(String(data: written, encoding: .isoLatin1))
        #expect(text.contains("iso-8859-1") && text.contains("<name>Käse</name>"))
    }

    @Test("Dates have the choices that JSON has, fractions of seconds included")
    func dates() async throws {
        struct Stamp: Codable, Sendable, Equatable { var at: Date }
        let date = Date(timeIntervalSince1970: 1_769_851_800.25)
        for (dates, text) in [
            (DateCoding.iso8601WithMilliseconds, "2026-01-31T09:30:00.250Z"), (.millisecondsSince1970, "1769851800250"),
        ] {
            let xml = XMLSerializer(dates: dates)
            let data = try xml.encode(Stamp(at: date), contentType: xml.contentType)
            #expect(String(decoding: data, as: UTF8.self).contains("<at>\(text)</at>"))
            #expect(try xml.decode(Stamp.self, from: data, contentType: nil) == Stamp(at: date))
        }
        let fraction = Data("<Stamp><at>2026-01-31T09:30:00.25Z</at></Stamp>".utf8)
        #expect(try XMLSerializer().decode(Stamp.self, from: fraction, contentType: nil) == Stamp(at: date))
    }

    @Test("The root element has the name given, by the serializer, the stage or the call")
    func root() async throws {
        let item = Request.post(url, body: .value(Item(name: "a", count: 1)))
        let plain = try await sent(item, through: SerializerMiddleware(.xml(root: "item"))).body.text()
        #expect(plain.contains("<item><name>a</name><count>1</count></item>"))
        let keyed = try await sent(item.encoding(under: "order.item"), through: SerializerMiddleware(.xml)).body.text()
        #expect(keyed.contains("<order><item><name>a</name><count>1</count></item></order>"))
        let null = try await sent(item.encoding(nilAsNull: true), through: SerializerMiddleware(.xml)).body.text()
        #expect(null.contains("<Item><name>a</name>"))
    }

    @Test("A key path begins inside the root element")
    func keyPath() async throws {
        let text =
            "<reply><data><item><name>a</name><count>1</count></item><item><name>b</name><count>2</count></item></data></reply>"
        let chain = try reply(SerializerMiddleware(.xml), "application/xml", text)
        #expect(try await chain.send(.get(url).decoding(at: "data.item"), as: [Item].self).map(\.count) == [1, 2])
        let error = try await #require(throws: SerializerError.self) {
            try await chain.send(.get(url).decoding(at: "date.item"), as: [Item].self)
        }
        #expect(error.reason.contains("there are data"))
    }

    @Test("What is no XML, or lacks an element, is a decoding failure with its place")
    func failures() async throws {
        let stage = SerializerMiddleware(.xml)
        await #expect(throws: DecodingFailure.self) {
            try await reply(stage, "application/xml", "<a><b></a>").send(.get(url), as: Item.self)
        }
        let error = try await #require(throws: DecodingFailure.self) {
            try await reply(stage, "application/xml", "<Item><name>a</name><password>hunter2</password></Item>")
                .send(.get(url), as: Item.self)
        }
        #expect(error.codingPath == "count")
        #expect(!error.description.contains("hunter2"))
    }

    @Test("A document that is laid out in lines is read as one that is not")
    func laidOut() async throws {
        let text = """
            <Order>
              <id>7</id>
              <placed>2026-01-31T09:30:00Z</placed>
              <item>
                <name>Tea &amp; &lt;milk&gt;</name>
                <count>1</count>
              </item>
              <!-- the rest -->
              <item><name><![CDATA[b]]></name><count>2</count></item>
            </Order>
            """
        #expect(
            try await reply(SerializerMiddleware(.xml), "text/xml", text).send(.get(url), as: Order.self) == order
        )
    }

    private struct Flat: Decodable {
        var a: String?
    }

    /// Whether the document is read; if not, the error is one of decoding.
    private func isRead(_ bytes: Data, _ type: String = "application/xml") async throws -> Bool {
        let answer = ClosureTransport(answering: Response(.ok, headers: [.contentType: type], body: HTTPBody(bytes)))
        let chain = try Chain(transport: answer) { SerializerMiddleware(.xml) }
        do {
            let value = try await chain.send(.get(url), as: Flat.self)
            return value.a != ""
        } catch {
            #expect(error is DecodingFailure || error is SerializerError)
            return false
        }
    }

    private func document(_ depth: Int, tag: String = "b", declaration: String = "") -> String {
        declaration + "<Flat><a>1</a>" + String(repeating: "<\(tag)>", count: depth - 1)
            + String(repeating: "</\(tag.prefix { $0 != " " })>", count: depth - 1) + "</Flat>"
    }

    @Test("A document that is nested too deep is an error, in whatever encoding and however it is written")
    func tooDeep() async throws {
        for depth in [2, DocumentDepth.xml] {
            #expect(try await isRead(Data(document(depth).utf8)), "\(depth)")
        }
        for depth in [DocumentDepth.xml + 1, 1000, 20_000] {
            #expect(try await !isRead(Data(document(depth).utf8)), "\(depth)")
        }
        // Elements beside each other are not in each other.
        let flat =
            "<Flat><a>1</a>" + String(repeating: "<b c='>'/><b/><!-- <b> --><![CDATA[<b>]]><?b <b>?>", count: 500)
        #expect(try await isRead(Data((flat + "</Flat>").utf8)))
        #expect(try await !isRead(Data(document(1000, tag: "b c='/'").utf8)))
        // The parser ends the element at the end tag in its attribute.
        #expect(try await isRead(Data(document(1000, tag: "b c=\"</b>\"").utf8)))
        #expect(try await !isRead(Data(document(1000, tag: "b ").utf8)))
        for encoding in [String.Encoding.utf16, .utf16LittleEndian, .utf16BigEndian, .utf32] {
            let bytes = try #require(document(1000).data(using: encoding))
            #expect(try await !isRead(bytes))
        }
        let japanese = "<?xml version='1.0' encoding='ISO-2022-JP'?>"
        #expect(try await isRead(Data(document(2, declaration: japanese).utf8)))
        #expect(try await !isRead(Data(document(1000, declaration: japanese).utf8)))
        let hidden = document(1000).replacing("<", with: "+ADw-")
        #expect(try await !isRead(Data("<?xml version='1.0' encoding='UTF-7'?>\(hidden)".utf8)))
        #expect(try await !isRead(Data("<?xml version='1.0' encoding='IBM037'?>\(document(1000))".utf8)))
        // Each entity is in the one before.
        var entities = "<!DOCTYPE Flat [<!ENTITY e0 'x'>"
        for index in 1..<2000 { entities += "<!ENTITY e\(index) '<b>&e\(index - 1);</b>'>" }
        _ = try await isRead(Data("\(entities)]><Flat><a>&e1999;</a></Flat>".utf8))
    }

    private final class Inner: Decodable {
        let a: Inner?
    }

    @Test("The deepest document for Apple platforms fits the stack of their threads")
    func smallStack() async throws {
        let depth = DocumentDepth.smallXML
        let open = String(repeating: "<a>", count: depth)
        let document = Data((open + String(repeating: "</a>", count: depth)).utf8)
        let levels = try await SmallStack.run {
            let serializer = XMLSerializer()
            _ = try? serializer.value(JSONValue.self, from: document, contentType: "application/xml")
            var inner: Inner? = try serializer.value(Inner.self, from: document, contentType: "application/xml")
            var levels = 0
            while let next = inner?.a { (inner, levels) = (next, levels + 1) }
            return levels
        }
        #expect(levels >= depth - 2)
        #expect(DocumentDepth.smallXML <= DocumentDepth.xml)
    }

    @Test(
        "A text in a document type doesn't hide the depth",
        arguments: ["<!--", "<![CDATA[", "<?", "<", "<!", "</", ">"]
    )
    func documentType(opener: String) async throws {
        for quote in ["'", "\""] {
            let literal = quote + opener + quote
            for type in ["SYSTEM \(literal)", "PUBLIC 'x' \(literal)", "PUBLIC \(literal) 'x'"] {
                let declaration = "<!DOCTYPE Flat \(type)>"
                #expect(try await !isRead(Data(document(1000, declaration: declaration).utf8)), "\(declaration)")
            }
            let entity = "<!DOCTYPE Flat [<!ENTITY e \(literal)>]>"
            #expect(try await !isRead(Data(document(1000, declaration: entity).utf8)), "\(entity)")
        }
        let ordinary = "<!DOCTYPE Flat PUBLIC '-//A//B' 'https://a.example/b.dtd'>"
        #expect(try await isRead(Data(document(2, declaration: ordinary).utf8)))
    }

    @Test(
        "Markup that the parser reads in spite of a mistake doesn't hide the depth",
        arguments: [
            ("<? ", "?>"), ("<Flat><? ", "?>"), ("<Flat><a \"", "\">"), ("<Flat><a b='", "'>"),
            ("<Flat><![CDATA[\u{1}", "]]>"), ("<Flat><!--\u{1}", "-->"), ("<!DOCTYPE Flat \"", "\">"),
            ("<!DOCTYPE ", ">"),
        ]
    )
    func mistakes(before: String, after: String) async throws {
        for depth in [1000, 50_000] {
            let tags = String(repeating: "<a>", count: depth)
            let ends = String(repeating: "</a>", count: depth)
            for text in [before + tags + ends + after, before + tags, before + tags + after + ends] {
                _ = try await isRead(Data(text.utf8))
            }
        }
        let unclosed = String(repeating: "<a \"/>\"/>", count: 50_000)
        _ = try await isRead(Data("<Flat>\(unclosed)\(String(repeating: "</a>", count: 50_000))</Flat>".utf8))
    }

    @Test("A long declaration doesn't hide the encoding of a document that is nested too deep")
    func paddedDeclaration() async throws {
        let hidden = document(30_000).replacing("<", with: "+ADw-")
        let declaration = "<?xml version='1.0'\(String(repeating: " ", count: 5000)) encoding='UTF-7'?>"
        #expect(try await !isRead(Data((declaration + hidden).utf8)))
    }

    @Test("Entities of a document are not expanded")
    func entities() async throws {
        let bomb = """
            <?xml version="1.0"?><!DOCTYPE Item [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;&a;&a;&a;&a;&a;">
            <!ENTITY x SYSTEM "file:///etc/passwd">]><Item><name>&b;&x;</name><count>1</count></Item>
            """
        do {
            let item = try await reply(SerializerMiddleware(.xml), "application/xml", bomb).send(
                .get(url),
                as: Item.self
            )
            #expect(!item.name.contains("aaaaaaaaaaaaaaaaaaaa"))
            #expect(!item.name.contains("root:"))
        } catch is DecodingFailure {
        }
    }

    @Test(
        "A document type with its own declarations is refused, however it is written",
        arguments: [
            "<!ATTLIST r k CDATA #IMPLIED>", "<!ATTLIST r k CDATA #REQUIRED>", "<!ATTLIST r k NOTATION (n) #IMPLIED>",
            "<!ATTLIST r k (a|b) 'a'>", "<!ATTLIST r xmlns:p CDATA 'u' p:k CDATA 'v'>", "<!NOTATION n SYSTEM 'x'>",
            "<!NOTATION n PUBLIC 'x'>", "<!NOTATION n SYSTEM 'x'><!ENTITY e SYSTEM 'y' NDATA n>",
            "<!ENTITY e SYSTEM 'y'>", "<!ENTITY % e SYSTEM 'y'> %e;", "<!ENTITY e PUBLIC 'p' 'y'>",
            "<!ENTITY e 'x'>", "<!ELEMENT Flat EMPTY>", "",
        ]
    )
    func declarations(subset: String) async throws {
        for name in ["Flat", "Flat SYSTEM '>'", "Flat PUBLIC '<!--' 'x'", "Flat SYSTEM \"'\"", "Flat\n"] {
            let text = "<!DOCTYPE \(name) [\(subset)]><Flat><a>1</a></Flat>"
            let late = "<!DOCTYPE \(name)>[\(subset)]><Flat><a>1</a></Flat>"
            for document in [text, late, "\u{FEFF}\(text)", "<!-- ' \u{1} -->\(text)", "<?xml version='1.0'?>\(text)"] {
                #expect(try await !isRead(Data(document.utf8)), "\(document)")
            }
            for document in [text, "\u{FEFF}" + text] {
                for encoding in [String.Encoding.utf16LittleEndian, .utf16BigEndian, .utf32] {
                    #expect(try await !isRead(#require(document.data(using: encoding))), "\(document)")
                }
            }
        }
    }

    @Test(
        "A processing instruction without data is refused, however it is written",
        arguments: [
            "<?p?><Flat><a>1</a></Flat>", "<Flat><?p?><a>1</a></Flat>", "<Flat><a>1<?p.q-r:s?></a></Flat>",
            "<Flat><a>1</a></Flat><?käse?>", "<?xml?><Flat><a>1</a></Flat>",
            "<Flat b='>'><!-- ' --><a>1</a><![CDATA[\"]]><?p?></Flat>", "<Flat b='<!--'><?p?><a>1</a><!-- --></Flat>",
            "<Flat b='<![CDATA['><?p?><a>1</a><![CDATA[]]></Flat>", "<Flat><!--\u{1}<?p?>--><a>1</a></Flat>",
            "<Flat><!-- -- <?p?>--><a>1</a></Flat>", "<Flat><!--\u{FFFE}<?p?>--><a>1</a></Flat>",
            "<Flat><![CDATA[\u{1}<?p?>]]><a>1</a></Flat>", "<Flat><? <?p?>?><a>1</a></Flat>",
            "<Flat><?- <?p?>?><a>1</a></Flat>", "<Flat><?1 <?p?>?><a>1</a></Flat>", "<Flat><?× <?p?>?><a>1</a></Flat>",
            "<Flat><?q\u{1} <?p?>?><a>1</a></Flat>", "<Flat><!x <?p?>><a>1</a></Flat>",
            "<Flat><!--\u{1} <![CDATA[ --><!-- ]]><?p?> --><a>1</a></Flat>", "<!DOCTYPE Flat '><?p?>'><Flat/>",
        ]
    )
    func instructions(document: String) async throws {
        #expect(try await !isRead(Data(document.utf8)))
        let utf16 = try #require("\u{FEFF}\(document)".data(using: .utf16LittleEndian))
        #expect(try await !isRead(utf16))
        let latin = try #require("<?xml version='1.0' encoding='ISO-8859-1'?>\(document)".data(using: .utf8))
        #expect(try await !isRead(latin))
    }

    @Test(
        "An encoding that can hide markup is refused",
        arguments: ["UTF-16", "UTF-32", "UTF-7", "IBM037", "x"],
        ["", "\u{FEFF}"]
    )
    func hidingEncodings(encoding: String, mark: String) async throws {
        let document = "\(mark)<?xml version='1.0' encoding='\(encoding)'?><Flat><a>1<?p?></a></Flat>"
        #expect(try await !isRead(Data(document.utf8)))
        // After a byte order mark this is text: the mark overrides the declaration (RFC 7303 §3.2).
        guard mark.isEmpty else { return }
        #expect(try await !isRead(Data(document.replacing("<?p", with: "+ADw-?p").utf8)))
    }

    @Test(
        "A document with bytes that are invalid in its encoding is refused",
        arguments: [
            "", "\u{FEFF}<?xml version='1.0' encoding='ISO-8859-1'?>", "<?xml version='1.0' encoding='UTF-8'?>",
            "<?xml version='1.0' standalone='encoding=latin1'?>", "<?xml version='1.0' encoding='ISO-8859-1 '?>",
        ]
    )
    func invalidText(start: String) async throws {
        for place in ["<Flat><a>1</a><* b='c'/></Flat>", "<Flat><a>1</a><!--*--></Flat>", "<Flat><a>*</a></Flat>"] {
            let bytes = "\(start)\(place)".utf8.map { $0 == UInt8(ascii: "*") ? 0xF5 : $0 }
            #expect(try await !isRead(Data(bytes)), "\(place)")
        }
    }

    @Test("A document in another encoding is read by its declaration")
    func declaredEncoding() throws {
        for encoding in ["ISO-8859-1", "latin1", "windows-1252"] {
            let text = "<?xml version = \"1.0\"\n encoding='\(encoding)' ?><Flat><!--ä--><a>ä</a></Flat>"
            let bytes = try #require(text.data(using: .isoLatin1))
            #expect(try XMLSerializer().decode(Flat.self, from: bytes, contentType: nil).a == "ä")
        }
    }

    @Test(
        "Instructions with data, and the texts of harmless sections, are read",
        arguments: [
            "<?xml version='1.0' encoding='UTF-8'?><?xml-stylesheet href='a.xsl'?><Flat><a>1</a></Flat>",
            "<Flat><?p ?><?p q?><a>1</a></Flat>", "<Flat><a><![CDATA[<?php?>]]></a></Flat>",
            "<Flat><!-- é <?p?> <!DOCTYPE Flat [ --><a><![CDATA[é <!DOCTYPE Flat []> <?p?>]]></a></Flat>",
            "<Flat><?p <?q?><a>1</a></Flat>", "<!DOCTYPE Flat><Flat b=\"'>[\" c='\"'><a>1</a></Flat>",
            "<!DOCTYPE Flat SYSTEM \"it's.dtd\"><Flat><a>[&lt;?p?>]</a></Flat>",
        ]
    )
    func harmless(document: String) async throws {
        #expect(try await isRead(Data(document.utf8)))
        let utf16 = try #require("\u{FEFF}\(document.replacing("é", with: "e"))".data(using: .utf16BigEndian))
        #expect(try await isRead(Data(utf16).replacing(Self.declared, with: Data())))
    }

    private static let declared = Data(" encoding='UTF-8'".utf8.flatMap { [0, $0] })

    @Test("The error for a refused document has the reason")
    func refusal() throws {
        for (document, reason) in [
            ("<Flat><?p?></Flat>", "a processing instruction has no data, which is not supported"),
            ("<!DOCTYPE Flat [<!ENTITY e 'x'>]><Flat/>", "a document type has its own declarations"),
        ] {
            let error = try #require(throws: DecodingError.self) {
                try XMLSerializer().decode(Flat.self, from: Data(document.utf8), contentType: nil)
            }
            guard case .dataCorrupted(let context) = error else {
                Issue.record("\(error)")
                continue
            }
            #expect(context.debugDescription.hasPrefix(reason))
        }
    }

    @Test("No content is nil for an optional type")
    func empty() async throws {
        #expect(
            try await reply(SerializerMiddleware(.xml), "application/xml", "").send(.get(url), as: Item?.self) == nil
        )
    }
}
#endif
