import HTTPChainSupport
import Testing

@Suite("Text of bytes that may not be UTF-8")
struct ValidTextTests {
    @Test(
        "Bytes that are UTF-8 give their text, byte for byte",
        arguments: [
            "", "plain", "caf\u{e9}", "cafe\u{301}", "\u{FFFD}", "\u{FEFF}mark", "a\u{0}b", "\u{10FFFF}", "👩‍👩‍👧",
        ]
    )
    func valid(text: String) throws {
        let read = try #require(String(validUTF8: Array(text.utf8)))
        #expect(read.hasSameBytes(as: text))
    }

    @Test(
        "Bytes that are not UTF-8 give no text",
        arguments: [
            [0xFF], [0x61, 0x80], [0xC0, 0x80], [0xE2, 0x82], [0xED, 0xA0, 0x80], [0xF4, 0x90, 0x80, 0x80], [0xC3],
        ] as [[UInt8]]
    )
    func invalid(bytes: [UInt8]) {
        #expect(String(validUTF8: bytes) == nil)
        #expect(String(validUTF8: bytes[...]) == nil)
    }
}
