#if AllTests
import Foundation
import HTTPChainURLSession
import HTTPTypes
import Testing

@Suite("Content that the platform may have decoded")
struct DecodedContentTests {
    @Test("The coding that was applied last has to show in the content, if only some platforms decode it")
    func codings() {
        #expect(DecodedContent.showsInContent(["zstd"]))
        #expect(DecodedContent.showsInContent(["gzip", "zstd"]))
        for codings in [[], ["gzip"], ["zstd", "gzip"], ["br"], ["aes128gcm"]] {
            #expect(!DecodedContent.showsInContent(codings))
        }
    }

    @Test(
        "Content that begins like zstd, and none, was not decoded",
        arguments: [
            [0x28, 0xB5, 0x2F, 0xFD, 0x04], [0x50, 0x2A, 0x4D, 0x18], [0x5F, 0x2A, 0x4D, 0x18, 0], [],
        ] as [[UInt8]]
    )
    func encoded(bytes: [UInt8]) {
        #expect(!DecodedContent.isDecoded(bytes))
        #expect(!DecodedContent.isDecoded(Data([0] + bytes).dropFirst()))
    }

    @Test(
        "Content that begins otherwise, or is too short for zstd, was decoded",
        arguments: ["{\"a\":1}", "PK", "(", "P", "<html>", "(text)"].map { Array($0.utf8) } + [
            [0x28, 0xB5, 0x2F, 0xFE], [0x60, 0x2A, 0x4D, 0x18], [0x50, 0x2A, 0x4D, 0x19], [0x1F, 0x8B],
        ]
    )
    func decoded(bytes: [UInt8]) {
        #expect(DecodedContent.isDecoded(bytes))
    }

    @Test("A head keeps its coding and length unless the content was decoded")
    func head() throws {
        let fields: HTTPFields = [.contentEncoding: "zstd", .contentLength: "9"]
        let encoded = try ResponseHead(status: 200, fields: fields, to: .get, isDecoded: false)
        #expect(encoded.head.headerFields == fields && encoded.original.isEmpty && encoded.content == .body(length: 9))
        let decoded = try ResponseHead(status: 200, fields: fields, to: .get, isDecoded: true)
        #expect(
            decoded.head.headerFields.isEmpty && decoded.original == fields && decoded.content == .body(length: nil)
        )
    }
}
#endif
