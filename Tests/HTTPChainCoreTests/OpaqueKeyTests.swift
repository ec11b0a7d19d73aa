import Testing

@testable import HTTPChainRedaction

@Suite("What looks like a key")
struct OpaqueKeyTests {
    @Test(
        "Twenty letters and digits that change too often for words are one",
        arguments: [
            ("AKfJ39dKx02LqZ8vWm41", true),
            ("AKfJ39dKx02LqZ8vWm4", false),
            ("-AKfJ39dKx02LqZ8vWm41", true),
            ("names-and_AKfJ39dKx02LqZ8vWm41.txt", true),
            ("AKfJ39dKx0-2LqZ8vWm41", false),
            ("HelloWorldAgainAndAgain", false),
            ("HELLOworldAGAINandAGAIN", false),
            // Ten pieces: of 33 characters they are words, of 32 they are not.
            ("ghijkl1ghijkl1ghijkl1ghijk1ghijk1", false),
            ("ghijkl1ghijkl1ghijk1ghijk1ghijk1", true),
            ("GHIJKL1GHIJKL1GHIJK1GHIJK1GHIJK1", true),
            ("ghiGHI1ghiGHI1ghiGHI1ghiGHI1ghiGHI1", true),
            // Hexadecimal digits are a key from 32 on, and none without a digit below ten.
            ("5f4dcc3b5aa765d61d8327deb882cf99", true),
            ("5f4dcc3b5aa765d61d8327deb882cf9", false),
            ("aBcDeFaBcDeFaBcDeFaBcDeFaBcDeFaBcDeF", false),
            ("31415926535897932384626433832795", false),
        ]
    )
    func whole(text: String, expected: Bool) {
        #expect(OpaqueKey.isLikely(Array(text.utf8)) == expected)
    }

    @Test(
        "Eight are enough where the text is cut off",
        arguments: [
            ("AKfJ39dK", true), ("AKfJ39d", false), ("5f4dcc3b", true), ("aBcDeFaB", false), ("31415926", false),
        ]
    )
    func cutOff(text: String, expected: Bool) {
        #expect(OpaqueKey.isLikely(Array(text.utf8), isCutOff: true) == expected)
        #expect(!OpaqueKey.isLikely(Array(text.utf8)))
    }
}
