import HTTPChainCore
import HTTPTypes
import Testing

@Suite("Ranges")
struct RangeTests {
    @Test(
        "Range is parsed, and ignored if it makes no sense (RFC 9110 §14.1.2)",
        arguments: [
            ("bytes=0-4", 0..<5), ("bytes=5-", 5..<10), ("bytes=-3", 7..<10), ("bytes=0-99", 0..<10),
            ("bytes=9-9", 9..<10),
            ("Bytes=0-0", 0..<1), ("bytes= 0-4", 0..<5), ("bytes=-99", 0..<10), ("bytes=10-", nil), ("bytes=-0", nil),
            ("bytes=4-2", nil), ("bytes=a-b", nil), ("bytes=", nil), ("items=0-4", nil), ("bytes 0-4", nil),
            ("bytes=0-99999999999999999999", 0..<10), ("bytes=99999999999999999999-", nil), ("bytes=0-1,4-5", nil),
            ("bytes=-", nil), ("bytes=0-x", nil), ("bytes=-x", nil), ("bytes=0-:", nil), ("bytes=-1", 9..<10),
            ("bytes=9-", 9..<10), ("bytes=0-\u{661}", nil), ("bytes=\u{600}1-2", nil),
        ] as [(String, Range<Int64>?)]
    )
    func requested(text: String, expected: Range<Int64>?) {
        #expect(RequestedRange([.range: text]).resolved(length: 10) == expected)
    }

    @Test("No bytes are the last ones of no content, and several ranges aren't one")
    func requestedEdges() {
        #expect(RequestedRange.suffix(5).resolved(length: 0) == nil)
        #expect(RequestedRange.suffix(5).resolved(length: 1) == 0..<1)
        #expect(RequestedRange.suffix(0).resolved(length: 1) == nil)
        #expect(RequestedRange([:]) == .none)
        #expect(RequestedRange([.range: "bytes=0-1, 4-5"]) == .several)
        var two: HTTPFields = [.range: "bytes=0-1"]
        two.append(HTTPField(name: .range, value: "bytes=4-5"))
        #expect(RequestedRange(two) == .several)
    }

    @Test("A written Range is parsed as the same range")
    func written() {
        #expect(RequestedRange.field(from: 5) == "bytes=5-")
        #expect(RequestedRange.field(from: 5, to: 6) == "bytes=5-5")
        #expect(RequestedRange([.range: RequestedRange.field(from: 0, to: 10)]) == .from(0, through: 9))
    }

    @Test(
        "Content-Range is parsed (RFC 9110 §14.4)",
        arguments: [
            ("bytes 0-4/10", 0..<5, 10), ("bytes 5-9/*", 5..<10, nil), ("BYTES 0-0/1", 0..<1, 1),
            ("bytes 0-9223372036854775806/9223372036854775807", 0..<Int64.max, .max),
            ("bytes */10", nil, nil),
            ("bytes 4-2/10", nil, nil), ("bytes 0-10/10", nil, nil), ("bytes 0-4", nil, nil),
            ("items 0-4/10", nil, nil), ("0-1/10", nil, nil), ("bytes=0-1/10", nil, nil), ("", nil, nil),
            ("bytes 0-9223372036854775807/*", nil, nil), ("bytes 0-99999999999999999999/*", nil, nil),
            ("bytes -1-4/10", nil, nil), ("bytes -5/10", nil, nil), ("bytes 0-/10", nil, nil), ("bytes 5/10", nil, nil),
            ("bytes", nil, nil), ("bytes 0-1/2 x", nil, nil), ("bytes 0-1//2", nil, nil), ("bytes 0-1-2/4", nil, nil),
            ("bytes 0--1/4", nil, nil), ("bytes 0-+1/4", nil, nil), ("bytes 0-1/", nil, nil),
            ("bytes 0-1/10/", nil, nil), ("bytes /0-1/10", nil, nil), ("bytes 0-1:/20", nil, nil),
            ("bytes 0-1/-10", nil, nil), ("bytes 0-1/10/20", nil, nil), ("bytes 0-4,4/10", nil, nil),
        ] as [(String, Range<Int64>?, Int64?)]
    )
    func contentRange(text: String, range: Range<Int64>?, length: Int64?) {
        let parsed = ContentRange([.contentRange: text])
        #expect(parsed?.range == range)
        #expect(parsed?.length == length)
        if let parsed { #expect(parsed.description == text.lowercased()) }
    }

    @Test("A repeated Content-Range is none")
    func repeated() {
        var fields: HTTPFields = [.contentRange: "bytes 0-1/2"]
        fields.append(HTTPField(name: .contentRange, value: "bytes 0-1/2"))
        #expect(ContentRange(fields) == nil)
        #expect(ContentRange([:]) == nil)
    }

    @Test(
        "The length of a 416 response is parsed",
        arguments: [
            ("bytes */10", 10), (ContentRange.unsatisfied(length: 0), 0), ("bytes */*", nil), ("bytes 0-4/10", nil),
            ("bytes */-1", nil), ("bytes */", nil), ("items */10", nil), ("bytes */99999999999999999999", nil),
        ] as [(String, Int64?)]
    )
    func unsatisfied(text: String, length: Int64?) {
        #expect(ContentRange.unsatisfiedLength([.contentRange: text]) == length)
    }
}
