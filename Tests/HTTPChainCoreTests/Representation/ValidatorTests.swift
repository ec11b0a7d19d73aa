import Foundation
import HTTPChainCore
import HTTPTypes
import Testing

@Suite("Validators and parts of a version")
struct ValidatorTests {
    private static let start = Date(timeIntervalSince1970: 784_111_777)

    private static func date(_ seconds: Double) -> String {
        HTTPDate(start.addingTimeInterval(seconds)).description
    }

    @Test(
        "Entity tags are found in a list, even with commas in them (RFC 9110 §8.8.3)",
        arguments: [
            ("\"a\"", ["\"a\""]), ("\"a\", W/\"b\"", ["\"a\"", "W/\"b\""]), ("\"a,b\",\"c\"", ["\"a,b\"", "\"c\""]),
            ("abc", ["abc"]), (", ,\"a\",", ["\"a\""]), ("", []),
        ] as [(String, [String])]
    )
    func entityTags(text: String, expected: [String]) {
        #expect(EntityTag.list(text).map(\.description) == expected)
    }

    @Test("A strong comparison needs two strong tags, a weak one only the same text (RFC 9110 §8.8.3.2)")
    func comparisons() throws {
        let table = [
            ("\"a\"", "\"a\"", true, true), ("W/\"a\"", "\"a\"", false, true), ("W/\"a\"", "W/\"a\"", false, true),
            ("\"a\"", "\"b\"", false, false), ("a", "a", false, true), ("a", "\"a\"", false, false),
            ("\"caf\u{e9}\"", "\"cafe\u{301}\"", false, false),
        ]
        for (one, other, strongly, weakly) in table {
            let (one, other) = try (#require(EntityTag(one)), #require(EntityTag(other)))
            #expect(one.matchesStrongly(other) == strongly, "\(one) and \(other)")
            #expect(other.matchesStrongly(one) == strongly, "\(one) and \(other)")
            #expect(one.matchesWeakly(other) == weakly, "\(one) and \(other)")
        }
    }

    private static let conditions: [(HTTPFields, String?)] = [
        ([.eTag: "\"abc\""], "\"abc\""), ([.eTag: "\"\""], "\"\""),
        ([.eTag: "W/\"abc\""], nil), ([.eTag: "abc"], nil), ([.eTag: "\""], nil), ([.eTag: ""], nil),
        ([.eTag: "abc\""], nil), ([.eTag: "\"abc"], nil),
        ([.eTag: "\"a\", \"b\""], nil), ([:], nil),
        // A minute and a second after, a second before that, and with no date to compare with.
        ([.lastModified: date(0), .date: date(60)], date(0)), ([.lastModified: date(0), .date: date(59)], nil),
        ([.lastModified: date(0)], nil), ([.lastModified: "long ago", .date: date(60)], nil),
        ([.lastModified: "Sunday, 06-Nov-94 08:49:37 GMT", .date: date(60)], "Sunday, 06-Nov-94 08:49:37 GMT"),
        // A date doesn't replace a weak tag.
        ([.eTag: "W/\"a\"", .lastModified: date(0), .date: date(90_000)], nil),
        ([.eTag: "\"a\"", .lastModified: date(0), .date: date(0)], "\"a\""),
    ]

    @Test(
        "If-Range has a strong validator, or there is none (RFC 9110 §13.1.5, §8.8.2.2)",
        arguments: conditions
    )
    func ifRange(fields: HTTPFields, expected: String?) {
        #expect(Validators(fields).ifRange == expected)
    }

    @Test("The time of arrival replaces a missing Date (RFC 9110 §6.6.1)")
    func arrival() {
        let fields: HTTPFields = [.lastModified: Self.date(-60)]
        #expect(Validators(fields, receivedAt: Self.start).ifRange == Self.date(-60))
        #expect(Validators(fields, receivedAt: Self.start.addingTimeInterval(-1)).ifRange == nil)
        #expect(Validators(fields).ifRange == nil)
    }

    @Test("An If-Range is true for the same strong tag or the same strong date")
    func satisfied() {
        let both = Validators([.eTag: "\"a\"", .lastModified: Self.date(0), .date: Self.date(60)])
        #expect(both.satisfies(ifRange: "\"a\"") && both.satisfies(ifRange: Self.date(0)))
        for condition in ["W/\"a\"", "\"b\"", "a", "", Self.date(1), "long ago"] {
            #expect(!both.satisfies(ifRange: condition), "\(condition)")
        }
        let weak = Validators([.eTag: "W/\"a\"", .lastModified: Self.date(0), .date: Self.date(59)])
        #expect(!weak.satisfies(ifRange: "W/\"a\"") && !weak.satisfies(ifRange: Self.date(0)))
    }

    @Test("Parts are of one version if both have the same strong tag, or no tag and the same strong date")
    func versions() {
        let (tag, modified): (HTTPFields, HTTPFields) = ([.eTag: "\"a\""], [.lastModified: Self.date(-100)])
        let table: [(HTTPFields, HTTPFields, Bool)] = [
            (tag, tag, true), (tag, [.eTag: "\"b\""], false), ([.eTag: "W/\"a\""], [.eTag: "W/\"a\""], false),
            (modified, modified, true), (modified, [.lastModified: Self.date(-101)], false),
            ([.eTag: "\"a\"", .lastModified: Self.date(-100)], modified, false),
            (modified, [.eTag: "\"a\"", .lastModified: Self.date(-100)], false), ([:], [:], false),
            ([.lastModified: Self.date(-60)], [.lastModified: Self.date(-60)], true),
            ([.lastModified: Self.date(-59)], [.lastModified: Self.date(-59)], false), (modified, [:], false),
        ]
        for (one, other, isSame) in table {
            let (first, second) = (
                Validators(one, receivedAt: Self.start), Validators(other, receivedAt: Self.start)
            )
            #expect(first.isSameVersion(as: second, requestedIf: nil) == isSame, "\(one) and \(other)")
        }
    }

    @Test("A part that was requested with the date needn't repeat it, but may not contradict it (RFC 9110 §15.3.7)")
    func requestedByDate() {
        let held = Validators([.lastModified: Self.date(0), .date: Self.date(60)])
        let table: [(HTTPFields, Bool)] = [
            ([:], true), ([.lastModified: Self.date(0)], true), ([.lastModified: Self.date(1)], false),
            ([.lastModified: "long ago"], false), ([.eTag: "\"a\""], false),
            ([.lastModified: Self.date(0), .eTag: "\"a\""], false),
        ]
        for (part, isSame) in table {
            let part = Validators(part)
            #expect(held.isSameVersion(as: part, requestedIf: held.ifRange) == isSame, "\(part)")
            #expect(!held.isSameVersion(as: part, requestedIf: Self.date(1)), "\(part)")
            #expect(!held.isSameVersion(as: part, requestedIf: nil), "\(part)")
        }
        let tagged = Validators([.eTag: "\"a\""])
        #expect(!tagged.isSameVersion(as: Validators([:]), requestedIf: tagged.ifRange))
    }

    @Test("Parts of one version are joined if they touch and agree about the length (RFC 9111 §3.4)")
    func joined() throws {
        func part(_ range: Range<Int64>, of length: Int64?, _ tag: String = "\"a\"") -> PartialContent {
            PartialContent(Validators([.eTag: tag]), ContentRange(range, of: length))
        }
        let held = part(3..<6, of: 10)
        for (range, length, expected) in [
            (6..<8, 10, 3..<8), (0..<3, nil, 0..<6), (4..<5, 10, 3..<6), (0..<10, 10, 0..<10), (5..<9, nil, 3..<9),
        ] as [(Range<Int64>, Int64?, Range<Int64>)] {
            let joined = try held.joined(with: part(range, of: length), requestedIf: nil)
            #expect(joined.range == expected && joined.length == 10, "\(range)")
        }
        #expect(try part(3..<6, of: nil).joined(with: part(6..<8, of: 12), requestedIf: nil).length == 12)
        for (range, length, tag, obstacle) in [
            (7..<10, 10, "\"a\"", .gap), (0..<2, 10, "\"a\"", .gap), (6..<8, 11, "\"a\"", .length),
            (6..<11, nil, "\"a\"", .length), (6..<8, 10, "\"b\"", .version),
        ] as [(Range<Int64>, Int64?, String, PartialContent.Obstacle)] {
            #expect(throws: obstacle) { try held.joined(with: part(range, of: length, tag), requestedIf: nil) }
        }
        #expect(throws: PartialContent.Obstacle.length) {
            try part(3..<6, of: nil).joined(with: part(0..<4, of: 5), requestedIf: nil)
        }
    }
}
