import Testing

@testable import HTTPChainRedaction

@Suite("A byte of a text, as it is meant")
struct SecretUnitTests {
    private static func unit(_ text: String, at index: Int = 0) -> [Int] {
        let unit = SecretUnit(Array(text.utf8), at: index)
        return [Int(unit.byte), unit.length, unit.level]
    }

    private static func expected(_ byte: Character, _ length: Int, _ level: Int = 0) -> [Int] {
        [Int(byte.asciiValue ?? 0), length, level]
    }

    @Test("What is percent-encoded is read through up to eight times")
    func percent() {
        for (text, byte, length, level) in [
            ("%41", "A", 3, 1), ("%41b", "A", 3, 1), ("%4142", "A", 3, 1), ("%2541", "A", 5, 2),
            ("%252541b", "A", 7, 3),
            ("%25", "%", 3, 1), ("%254", "%", 3, 1), ("%25zz", "%", 3, 1), ("%25az", "%", 3, 1), ("%25za", "%", 3, 1),
            ("%4", "%", 1, 0), ("%", "%", 1, 0), ("%zz", "%", 1, 0), ("%4z", "%", 1, 0),
        ] as [(String, Character, Int, Int)] {
            #expect(Self.unit(text) == Self.expected(byte, length, level), "\(text)")
        }
        let deep = "%" + String(repeating: "25", count: 7)
        #expect(Self.unit(deep + "41") == Self.expected("A", 17, 8))
        #expect(Self.unit(deep + "2541") == Self.expected("%", 17, 8))
    }

    @Test("A slash and a letter of JSON may be behind up to 64 backslashes")
    func backslashes() {
        for (text, byte, length) in [
            (#"\/"#, "/", 2), (#"\\/a"#, "/", 3), (#"\u003d"#, "=", 6), (#"\u003dx"#, "=", 6), (#"\\u003D"#, "=", 7),
            (#"\u0000"#, "\0", 6), (#"\u007f"#, "\u{7f}", 6), (#"\u0080"#, "\\", 1), (#"\u013d"#, "\\", 1),
            (#"\u103d"#, "\\", 1), (#"\u003"#, "\\", 1), (#"\u003g"#, "\\", 1), (#"\ug03d"#, "\\", 1),
            (#"\x003d"#, "\\", 1), (#"\n"#, "\\", 1), (#"\\"#, "\\", 1), (#"\"#, "\\", 1),
        ] as [(String, Character, Int)] {
            #expect(Self.unit(text) == Self.expected(byte, length), "\(text)")
        }
        #expect(SecretUnit(Array(#"\/"#.utf8), at: 0).isEscaped)
        #expect(!SecretUnit(Array(#"\n"#.utf8), at: 0).isEscaped)
        let most = String(repeating: "\\", count: 64)
        #expect(Self.unit(most + "/") == Self.expected("/", 65))
        #expect(Self.unit(most + "\\/") == Self.expected("\\", 1))
    }

    @Test("The entities of what divides texts are read, and no others")
    func entities() {
        for (text, byte) in [
            ("&quot;", "\""), ("&#34;", "\""), ("&#x22;", "\""), ("&apos;", "'"), ("&#39;", "'"), ("&#x27;", "'"),
            ("&amp;", "&"), ("&#38;", "&"), ("&lt;", "<"), ("&gt;", ">"), ("&equals;", "="), ("&#61;", "="),
            ("&#x3d;", "="),
        ] as [(String, Character)] {
            #expect(Self.unit(text + "a") == Self.expected(byte, text.utf8.count), "\(text)")
        }
        #expect(Self.unit("&amp") == Self.expected("&", 1))
        #expect(Self.unit("&copy;") == Self.expected("&", 1))
        #expect(Self.unit("a%41", at: 1) == Self.expected("A", 3, 1))
        #expect(Self.unit("%41", at: 1) == Self.expected("4", 1))
    }

    @Test("Each byte is of the kinds that it is of")
    func kinds() {
        let name = Set("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-.[]".utf8).union(0x80...0xFF)
        let endOfURL = Set("\"'<>`\u{7f}".utf8).union(0...0x20)
        for byte in UInt8.min...UInt8.max {
            #expect(byte.isNameByte == name.contains(byte), "\(byte)")
            #expect(byte.endsURL == endOfURL.contains(byte), "\(byte)")
            #expect(byte.isSpace == Set(" \t\n\r\u{b}\u{c}".utf8).contains(byte), "\(byte)")
            #expect(byte.isBlank == (byte == 0x20 || byte == 0x09), "\(byte)")
            #expect(byte.isNewline == (byte == 0x0A || byte == 0x0D), "\(byte)")
            #expect(byte.isDigit == Set("0123456789".utf8).contains(byte), "\(byte)")
            #expect(byte.isLetter == (byte < 0x80 && Character(Unicode.Scalar(byte)).isLetter), "\(byte)")
        }
    }
}
