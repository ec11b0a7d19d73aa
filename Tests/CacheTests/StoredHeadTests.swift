#if AllTests
import Foundation
import HTTPChainCache
import HTTPChainCore
import HTTPTypes
import TestSupport
import Testing

@Suite("A description as bytes", .seeded, .timeLimit(.minutes(10)))
struct StoredHeadTests {
    private var sample: StoredHead {
        var head = HTTPResponse(status: .init(code: 206, reasonPhrase: "Part"))
        head.headerFields = fields(["ETag: \"a\"", "Vary: accept", "Cache-Control: max-age=60"])
        let metadata = CacheMetadata(
            head: head,
            variant: CacheVariant([.init(name: "accept", value: "a/b"), .init(name: "x", value: nil)]),
            requestTime: start,
            responseTime: start,
            content: .part(2..<9, of: 20),
            classification: "personal",
            lifetime: .atMost(.seconds(5)),
            originalContentFields: [.contentEncoding: "gzip"],
            isInvalidated: true
        )
        let key = CacheKey(url: "https://example.com/a", partition: "ann", identifier: "id")
        return StoredHead(key, StoredResponse(metadata, bodyLength: 7, bodyChecksum: ContentChecksum(of: Array(1...7))))
    }

    @Test("An entry is encoded with its key, and decoded under the store's number")
    func entry() throws {
        let entry = CacheEntry(id: CacheEntryID(rawValue: 1), key: sample.key, response: sample.response)
        #expect(entry.encoded == sample.encoded)
        let read = try CacheEntry(id: CacheEntryID(rawValue: 2), decoding: entry.encoded)
        #expect(read.id == CacheEntryID(rawValue: 2) && read.key == entry.key)
        #expect(read.response.metadata == entry.response.metadata && read.encoded == entry.encoded)
        #expect(throws: CacheStoreFault(.damaged("a stored response"))) {
            try CacheEntry(id: CacheEntryID(rawValue: 2), decoding: [1, 0])
        }
    }

    @Test("What is read is what was written")
    func roundTrip() throws {
        let read = try StoredHead(decoding: sample.encoded)
        #expect(read.key == sample.key && read.response.metadata == sample.response.metadata)
        #expect(read.response.bodyLength == 7 && read.response.bodyChecksum == sample.response.bodyChecksum)
        #expect(read.encoded == sample.encoded)
    }

    @Test("Bytes that are cut off are damaged, those of a later version are that")
    func refused() {
        let bytes = sample.encoded
        for count in 0..<bytes.count {
            #expect(throws: CacheStoreFault(.damaged("a stored response"))) {
                try StoredHead(decoding: Array(bytes.prefix(count)))
            }
        }
        #expect(throws: CacheStoreFault(.damaged("a stored response"))) { try StoredHead(decoding: bytes + [0]) }
        #expect(throws: CacheStoreFault(.newerFormat("a stored response"))) {
            try StoredHead(decoding: [2, 0] + bytes.dropFirst(2))
        }
    }

    @Test("Any bytes are either refused, or a description that can be written and read again")
    func anyBytes() throws {
        var random = Numbers(Seed.numbers(9))
        let bytes = sample.encoded
        var accepted = 0
        for _ in 0..<20_000 {
            var changed = bytes
            for _ in 0..<Int.random(in: 1...3, using: &random) {
                let at = Int.random(in: 0..<changed.count, using: &random)
                changed[at] =
                    [0, 1, 0x7F, 0x80, 0xFF, UInt8.random(in: 0...255, using: &random)]
                    .randomElement(using: &random) ?? 0
            }
            guard let read = try? StoredHead(decoding: changed) else { continue }
            accepted += 1
            let again = try StoredHead(decoding: read.encoded)
            #expect(again.key == read.key && again.response.metadata == read.response.metadata)
        }
        #expect(accepted > 1000)
    }
}
#endif
