#if AllTests
import Foundation
import HTTPChainCore
import HTTPChainSerializer
import TestSupport
import Testing

private struct Value: Codable, Equatable {
    struct Member: Codable, Equatable {
        var isNew: Bool
        var tagIDs: [Int]
        var byName: [String: [String]]?
    }

    var firstText: String
    var myURL: String?
    var ratio: Double
    var since: Date
    var tags: [String]
    var rows: [[Int]]
    var members: [Member]
    var single: Member

    init(_ random: inout Numbers) {
        firstText = Self.text(&random)
        // An empty text is nil for an optional.
        myURL = Bool.random(using: &random) ? "x" + Self.text(&random) : nil
        ratio = Double.random(in: -1e9...1e9, using: &random)
        since = Date(timeIntervalSince1970: Double(Int.random(in: 0...4_000_000_000, using: &random)))
        tags = (0..<Int.random(in: 1...4, using: &random)).map { _ in Self.text(&random) }
        rows = (0..<Int.random(in: 1...3, using: &random)).map { _ in [Int.random(in: 0...9, using: &random), -1] }
        members = (0..<Int.random(in: 1...12, using: &random)).map { _ in Self.member(&random) }
        single = Self.member(&random)
    }

    private static func member(_ random: inout Numbers) -> Member {
        Member(
            isNew: Bool.random(using: &random),
            tagIDs: (0..<Int.random(in: 1...3, using: &random)).map { _ in Int.random(in: 0...99, using: &random) },
            byName: Bool.random(using: &random) ? ["aKey é": [Self.text(&random)], "k": ["", "2"]] : nil
        )
    }

    private static func text(_ random: inout Numbers) -> String {
        let pieces = [
            "a", "é", "e\u{301}", " ", "+", "&", "=", "%", "%20", "[", "]", ".", ",", "~", "*", "\n", "💩", "\0",
        ]
        return (0..<Int.random(in: 0...6, using: &random)).map { _ in pieces.randomElement(using: &random) ?? "" }
            .joined()
    }
}

@Suite("Forms and queries, there and back")
struct FormRoundTripTests {
    private static let styles: [ParameterEncoder] = {
        var styles: [ParameterEncoder] = []
        for arrays in [ParameterEncoder.Arrays.repeated, .brackets, .indexed, .commas, .pipes] {
            for keys in [ParameterEncoder.Keys.asIs, .snakeCase, .kebabCase, .custom { "_" + $0 }] {
                for nesting in [ParameterEncoder.Nesting.brackets, .dots] {
                    for number in 0..<4 {
                        styles.append(
                            ParameterEncoder(
                                arrays: arrays,
                                keys: keys,
                                nesting: nesting,
                                nils: number & 1 == 0 ? .omitted : .empty,
                                booleans: number & 2 == 0 ? .words : .digits,
                                dates: number & 1 == 0 ? .iso8601 : .secondsSince1970,
                                spaces: number == 3 ? .plus : .automatic,
                                keepsBrackets: number & 2 != 0
                            )
                        )
                    }
                }
            }
        }
        return styles
    }()

    @Test("What is written in any style is read back as the value it was, from a form and from a query", .seeded)
    func everyStyle() throws {
        var random = Numbers(Seed.numbers(15))
        for style in Self.styles {
            let form = FormSerializer(style)
            for _ in 0..<10 {
                let value = Value(&random)
                let written = try form.encode(value, contentType: form.contentType)
                let read = try form.decode(Value.self, from: written, contentType: nil)
                #expect(Self.isSame(read, value), "\(style): \(String(decoding: written, as: UTF8.self))")
                let query = try style.encode(value)
                let again = try form.decode(Value.self, from: Data(query.utf8), contentType: nil)
                #expect(Self.isSame(again, value), "\(style): \(query)")
            }
        }
    }

    /// Also byte by byte, which `==` of texts does not look at.
    private static func isSame(_ one: Value, _ other: Value) -> Bool {
        one == other && one.firstText.utf8.elementsEqual(other.firstText.utf8)
            && one.tags.map { Array($0.utf8) } == other.tags.map { Array($0.utf8) }
    }
}
#endif
