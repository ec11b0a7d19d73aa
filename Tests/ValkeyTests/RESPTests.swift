#if AllTests && Valkey
import HTTPChainValkey
import TestSupport
import Testing

@Suite("Answers in RESP", .timeLimit(.minutes(10)))
struct RESPTests {
    static let rows: [(bytes: String, value: RESPValue)] = [
        ("+OK\r\n", .text("OK")), ("-NOSCRIPT No matching script\r\n", .error("NOSCRIPT No matching script")),
        (":0\r\n", .number(0)), (":-9223372036854775808\r\n", .number(.min)), ("$-1\r\n", .null), ("*-1\r\n", .null),
        ("$0\r\n\r\n", .bytes([])), ("$4\r\na\r\nb\r\n", .bytes(Array("a\r\nb".utf8))), ("*0\r\n", .list([])),
        ("*3\r\n:1\r\n*1\r\n+x\r\n$-1\r\n", .list([.number(1), .list([.text("x")]), .null])),
    ]

    @Test("Every kind of answer is read, however its bytes are cut", arguments: rows.indices)
    func kinds(row: Int) throws {
        let (text, value) = Self.rows[row]
        let bytes = Array((text + "+next\r\n").utf8)
        for cut in 0...bytes.count {
            var parser = RESPParser()
            var values: [RESPValue] = []
            for part in [bytes[..<cut], bytes[cut...]] {
                parser.append(part)
                while let value = try parser.next() { values.append(value) }
            }
            #expect(values == [value, .text("next")])
        }
    }

    @Test(
        "What is no answer, or a larger one than may be, is refused",
        arguments: [
            "HTTP/1.1 400 Bad Request\r\n", ":12a\r\n", "$5\r\nabcdefgh\r\n", "$99999999999\r\n", "*-2\r\n",
            "+a\rb\r\n",
            String(repeating: "*1\r\n", count: 40), "+" + String(repeating: "a", count: 70_000),
        ]
    )
    func malformed(text: String) {
        var parser = RESPParser()
        parser.append(text.utf8)
        #expect(throws: RESPParser.Malformed.self) { while try parser.next() != nil {} }
    }

    @Test("Random bytes do not trap, and never more comes out than went in", .seeded)
    func random() {
        let numbers = Seed.numbers()
        let alphabet = Array("+-:$*0123\r\nab".utf8)
        for _ in 0..<20_000 {
            var parser = RESPParser(longestReply: 50)
            parser.append((0..<numbers.index(below: 40)).map { _ in alphabet[numbers.index(below: alphabet.count)] })
            var count = 0
            do { while try parser.next() != nil { count += 1 } } catch {}
            #expect(count <= 14)
        }
    }

    @Test("A reply has limits on its bytes and on its values, those of its lists too")
    func limits() {
        for text in ["$40\r\n", "*3\r\n$10\r\naaaaaaaaaa\r\n$10\r\naaaaaaaaaa\r\n$10\r\naaaaaaaaaa\r\n"] {
            var parser = RESPParser(longestReply: 39)
            parser.append(text.utf8)
            #expect(throws: RESPParser.Malformed.self) { try parser.next() }
        }
        for text in ["*1048577\r\n", "*1\r\n*1\r\n*1048576\r\n"] {
            var parser = RESPParser()
            parser.append(text.utf8)
            #expect(throws: RESPParser.Malformed.self, "\(text)") { try parser.next() }
        }
    }

    @Test("Bytes that were read are not read again when more come")
    func keepsState() throws {
        var parser = RESPParser()
        parser.append("*200000\r\n".utf8)
        // Read from the beginning each time, it would be 20,000 million values.
        for _ in 0..<200_000 {
            #expect(try parser.next() == nil)
            parser.append(":1\r\n".utf8)
        }
        #expect(try parser.next() == .list(Array(repeating: .number(1), count: 200_000)))
        #expect(parser.isEmpty)
    }

    @Test("A command says how long each of its parts is")
    func command() {
        let command = ValkeyCommand(["SET", "ä", "a\r\nb"])
        #expect(String(decoding: command.encoded, as: UTF8.self) == "*3\r\n$3\r\nSET\r\n$2\r\nä\r\n$4\r\na\r\nb\r\n")
    }
}
#endif
