import HTTPChainSupport
import Testing

@Suite("Percent-encoding (RFC 3986 §2.1)")
struct PercentEncodingTests {
    @Test("Each byte has two digits in upper case, and is decoded with digits of either case")
    func everyByte() {
        for byte in UInt8.min...UInt8.max {
            var encoded: [UInt8] = []
            encoded.append(percentEncoding: byte)
            let digits = String(byte, radix: 16, uppercase: true)
            #expect(String(decoding: encoded, as: UTF8.self) == "%" + (byte < 16 ? "0" : "") + digits)
            #expect(encoded.percentEncodedByte(at: 0) == byte)
            #expect(Array(String(decoding: encoded, as: UTF8.self).lowercased().utf8).percentDecoded() == [byte])
        }
    }

    @Test(
        "What encodes nothing stands for itself",
        arguments: [
            ("", ""), ("%", "%"), ("%4", "%4"), ("%4g", "%4g"), ("%g4", "%g4"), ("%+5", "%+5"), ("%-0", "%-0"),
            ("%%41", "%A"), ("%2541", "%41"), ("a%41b%42", "aAbB"), ("a+b", "a+b"), ("%41%", "A%"), ("%41%4", "A%4"),
        ]
    )
    func decoded(_ text: String, _ expected: String) {
        #expect(String(decoding: Array(text.utf8).percentDecoded(), as: UTF8.self) == expected)
        #expect(String(decoding: Array("..\(text)".utf8)[2...].percentDecoded(), as: UTF8.self) == expected)
    }

    @Test("In a form a plus sign is a space, and an encoded one is a plus sign")
    func pluses() {
        #expect(Array("a+b%2B%+5".utf8).percentDecoded(plusIsSpace: true).elementsEqual("a b+% 5".utf8))
    }

    @Test("A text keeps the bytes it is asked to keep")
    func text() {
        #expect(String(percentEncoding: "a b/ü%".utf8, keeping: ASCII.isUnreserved) == "a%20b%2F%C3%BC%25")
        #expect(String(percentEncoding: "a b/".utf8) { $0 == UInt8(ascii: "/") } == "%61%20%62/")
    }
}
