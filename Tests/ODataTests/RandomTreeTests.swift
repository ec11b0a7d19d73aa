#if AllTests
import Foundation
import HTTPChainOData
import HTTPChainTesting
import TestSupport
import Testing

/// A row of a table, as our side and the other one see it.
struct Row: ODataEntity, Encodable {
    var id: Int
    var name: String
    var nick: String?
    var age: Int
    var height: Int
    /// A multiple of an eighth, so that sums of it have one value everywhere.
    var score = 0.0
    var born = Date(timeIntervalSince1970: 0)

    static var odataNames: [PartialKeyPath<Row>: String] {
        [
            \.id: "Id", \.name: "Name", \.nick: "Nick", \.age: "Age", \.height: "Height",
            \.score: "Score", \.born: "Born",
        ]
    }

    func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: Key.self)
        try container.encode(id, forKey: .Id)
        try container.encode(name, forKey: .Name)
        try container.encode(nick, forKey: .Nick)
        try container.encode(age, forKey: .Age)
        try container.encode(height, forKey: .Height)
        try container.encode(score, forKey: .Score)
        try container.encode(String(born.odataLiteral.text.dropLast()), forKey: .Born)
    }

    /// A part of the moment, in UTC.
    func born(_ part: Calendar.Component) -> Int {
        var calendar = Calendar(identifier: .gregorian)
        calendar.timeZone = .gmt
        return calendar.component(part, from: born)
    }

    // The names of the columns.
    // swift-format-ignore: AlwaysUseLowerCamelCase
    private enum Key: CodingKey { case Id, Name, Nick, Age, Height, Score, Born }
}

private typealias Tree = ODataExpression<Row>

/// Draws filters at random, each with what Swift makes of it.
private struct TreeMaker {
    let numbers: SeededRandom

    func bool(_ depth: Int) -> (tree: Tree, value: (Row) -> Bool) {
        guard depth > 0 else {
            return numbers.index(below: 2) == 0
                ? (\.nick == nil, { $0.nick == nil }) : (\.nick != nil, { $0.nick != nil })
        }
        switch numbers.index(below: 11) {
        case 9: return comparison(real(depth - 1), real(depth - 1))
        case 10:
            let date = Date(timeIntervalSince1970: Double(numbers.index(below: 1_000_000_000)))
            return numbers.index(below: 2) == 0
                ? (.property(\.born) < date, { $0.born < date }) : (.property(\.born) >= date, { $0.born >= date })
        case 0:
            let (left, right) = (bool(depth - 1), bool(depth - 1))
            return (left.tree && right.tree, { left.value($0) && right.value($0) })
        case 1:
            let (left, right) = (bool(depth - 1), bool(depth - 1))
            return (left.tree || right.tree, { left.value($0) || right.value($0) })
        case 2:
            let inner = bool(depth - 1)
            return (!inner.tree, { !inner.value($0) })
        case 3:
            let number = number(depth - 1)
            let values = (0..<2 + numbers.index(below: 3)).map { _ in numbers.index(below: 12) - 3 }
            return (number.tree.isIn(values), { values.contains(number.value($0)) })
        case 4, 5: return comparison(number(depth - 1), number(depth - 1))
        case 6: return comparison(text(depth - 1), text(depth - 1))
        default:
            let text = text(depth - 1)
            let part = Self.parts[numbers.index(below: Self.parts.count)]
            switch numbers.index(below: 3) {
            case 0: return (text.tree.contains(part), { text.value($0).contains(part) || part.isEmpty })
            case 1: return (text.tree.startsWith(part), { text.value($0).hasPrefix(part) || part.isEmpty })
            default: return (text.tree.endsWith(part), { text.value($0).hasSuffix(part) || part.isEmpty })
            }
        }
    }

    private func comparison<Value: Comparable>(
        _ left: (tree: Tree, value: (Row) -> Value),
        _ right: (tree: Tree, value: (Row) -> Value)
    ) -> (tree: Tree, value: (Row) -> Bool) {
        switch numbers.index(below: 6) {
        case 0: (left.tree == right.tree, { left.value($0) == right.value($0) })
        case 1: (left.tree != right.tree, { left.value($0) != right.value($0) })
        case 2: (left.tree > right.tree, { left.value($0) > right.value($0) })
        case 3: (left.tree >= right.tree, { left.value($0) >= right.value($0) })
        case 4: (left.tree < right.tree, { left.value($0) < right.value($0) })
        default: (left.tree <= right.tree, { left.value($0) <= right.value($0) })
        }
    }

    private func real(_ depth: Int) -> (tree: Tree, value: (Row) -> Double) {
        guard depth > 0 else {
            guard numbers.index(below: 3) == 0 else { return (.property(\.score), \.score) }
            let value = Double(numbers.index(below: 200)) / 8 - 10
            return (.value(value), { _ in value })
        }
        let inner = real(depth - 1)
        switch numbers.index(below: 6) {
        case 0:
            let divisor = [2.0, -4.0, 0.5, 8.0][numbers.index(below: 4)]
            return (inner.tree / .value(divisor), { inner.value($0) / divisor })
        case 1: return (inner.tree.rounded(), { inner.value($0).rounded() })
        case 2: return (.function("floor", inner.tree), { inner.value($0).rounded(.down) })
        case 3: return (.function("ceiling", inner.tree), { inner.value($0).rounded(.up) })
        case 4:
            let other = real(depth - 1)
            return (inner.tree - other.tree, { inner.value($0) - other.value($0) })
        default:
            let other = real(depth - 1)
            return (inner.tree + other.tree, { inner.value($0) + other.value($0) })
        }
    }

    private func number(_ depth: Int) -> (tree: Tree, value: (Row) -> Int) {
        guard depth > 0 else {
            let born = Tree.property(\.born)
            switch numbers.index(below: 6) {
            case 3:
                return numbers.index(below: 2) == 0
                    ? (born.part(.year), { $0.born(.year) }) : (born.part(.month), { $0.born(.month) })
            case 4:
                return numbers.index(below: 2) == 0
                    ? (born.part(.day), { $0.born(.day) }) : (born.part(.hour), { $0.born(.hour) })
            case 5:
                return numbers.index(below: 2) == 0
                    ? (born.part(.minute), { $0.born(.minute) }) : (born.part(.second), { $0.born(.second) })
            case 0: return (.property(\.age), \.age)
            case 1: return (.property(\.height), \.height)
            default:
                let value = numbers.index(below: 20) - 6
                return (.value(value), { _ in value })
            }
        }
        let (left, right) = (number(depth - 1), number(depth - 1))
        switch numbers.index(below: 6) {
        case 0: return (left.tree + right.tree, { left.value($0) &+ right.value($0) })
        case 1: return (left.tree - right.tree, { left.value($0) &- right.value($0) })
        case 2: return (left.tree * right.tree, { left.value($0) &* right.value($0) })
        case 3:
            let divisor = 2 + numbers.index(below: 5)
            return (left.tree % .value(divisor), { left.value($0) % divisor })
        case 4:
            let text = text(depth - 1)
            return (text.tree.length(), { text.value($0).count })
        default:
            let text = text(depth - 1)
            return (
                text.tree.index(of: "a"),
                { row in
                    let text = Array(text.value(row))
                    return text.firstIndex(of: "a") ?? -1
                }
            )
        }
    }

    private static let parts = ["a", "A", "nn", "'", "b c", " ", "&", "x+y"]

    private func text(_ depth: Int) -> (tree: Tree, value: (Row) -> String) {
        guard depth > 0 else {
            guard numbers.index(below: 3) == 0 else { return (.property(\.name), \.name) }
            let part = Self.parts[numbers.index(below: Self.parts.count)]
            return (.value(part), { _ in part })
        }
        let inner = text(depth - 1)
        switch numbers.index(below: 5) {
        case 0: return (inner.tree.lowercased(), { inner.value($0).lowercased() })
        case 1: return (inner.tree.uppercased(), { inner.value($0).uppercased() })
        case 2: return (inner.tree.trimmed(), { inner.value($0).trimmingCharacters(in: .whitespaces) })
        case 3:
            let other = text(depth - 1)
            return (inner.tree.concatenated(with: other.tree), { inner.value($0) + other.value($0) })
        default:
            let (start, length) = (numbers.index(below: 4), 1 + numbers.index(below: 3))
            return (
                inner.tree.substring(from: start, length: length),
                { String(inner.value($0).dropFirst(start).prefix(length)) }
            )
        }
    }

    /// A filter of everything that the builder can write and the other side's grammar knows; it has no list of one
    /// value, no `has`, `cast` and `isof`, no enumerations, binary data and numbers that are none; whole
    /// URLs with these are for the parser of `RandomQueryTests`.
    func anything(_ depth: Int) -> Tree {
        guard depth > 0 else { return operand(0) == operand(0) }
        switch numbers.index(below: 10) {
        case 0: return anything(depth - 1) && anything(depth - 1)
        case 1: return anything(depth - 1) || anything(depth - 1)
        case 2: return !anything(depth - 1)
        case 3:
            let inner = anything(depth - 2)
            return .property("Friends").any { $0["Age"] > 3 && inner }
        case 4:
            let (inner, literal) = (operand(depth - 1), literal())
            return .property("Friends").all { outer in
                outer["Trips"].any { $0["Cost"] > outer["Budget"] || inner == .value(literal) }
            }
        case 5: return .property("Tags").isNotEmpty()
        case 6: return operand(depth - 1).isIn([literal(), literal()])
        case 7: return anything(depth - 1) == .value(true)
        case 8: return .function("contains", operand(depth - 1), operand(depth - 1))
        default:
            let (left, right) = (operand(depth - 1), operand(depth - 1))
            return numbers.index(below: 2) == 0 ? left >= right : left != right
        }
    }

    private func operand(_ depth: Int) -> Tree {
        guard depth > 0 else {
            return numbers.index(below: 2) == 0 ? .property("Address/City") : .value(literal())
        }
        let inner = operand(depth - 1)
        let functions: [(Tree) -> Tree] = [
            { $0.length() }, { $0.lowercased() }, { $0.uppercased() }, { $0.trimmed() }, { $0.part(.year) },
            { $0.part(.month) },
            { $0.part(.day) }, { $0.part(.hour) }, { $0.part(.minute) }, { $0.part(.second) },
            { .function("fractionalseconds", $0) },
            { $0.part(.date) }, { $0.part(.time) }, { .function("totaloffsetminutes", $0) },
            { .function("totalseconds", $0) },
            { $0.rounded() }, { .function("floor", $0) }, { .function("ceiling", $0) }, { -$0 },
            { $0.substring(from: 1) }, { $0.substring(from: 1, length: 2) }, { $0.index(of: "x'") },
            { .function("matchesPattern", $0, .value("^a'b$")) }, { _ in .now }, { _ in .function("mindatetime") },
            { _ in .function("maxdatetime") }, { $0 + operand(depth - 1) }, { $0 - operand(depth - 1) },
            { $0 * operand(depth - 1) }, { $0 / operand(depth - 1) }, { $0 % operand(depth - 1) },
            { $0.concatenated(with: operand(depth - 1)) }, { .function("startswith", $0, operand(depth - 1)) },
            { .function("endswith", $0, operand(depth - 1)) }, { _ in .raw("Age add 1") },
        ]
        return functions[numbers.index(below: functions.count)](inner)
    }

    private func literal() -> ODataLiteral {
        let values: [any ODataLiteralConvertible] = [
            numbers.index(below: 1000) - 500, Double(numbers.index(below: 1000)) / 8 - 50, 1e-7, 2.5e20,
            Self.parts[numbers.index(below: Self.parts.count)], "é😀", true, false, Optional<Int>.none,
            Decimal(string: "12.34") ?? 0, UUID(uuidString: "01234567-89AB-CDEF-0123-456789ABCDEF") ?? UUID(),
            Date(timeIntervalSince1970: Double(numbers.index(below: 1_000_000_000))), Duration.milliseconds(90_500),
            Duration.seconds(-3), ODataLiteral.date(year: 2026, month: 2, day: 3),
            ODataLiteral.timeOfDay(hour: 7, minute: 5, second: 9, nanosecond: 500_000_000),
        ]
        return values[numbers.index(below: values.count)].odataLiteral
    }
}

@Suite("OData filters are read by a parser that was not written here", .heavy)
struct RandomTreeTests {
    private struct Work: Encodable {
        var rows: [Row]
        var filters: [String]
        var evaluate: Bool
    }

    static let count = Drill.isFull ? 5_000 : 1_000

    @Test("Every filter that the builder makes parses", .seeded, .timeLimit(.minutes(10)))
    func parses() async throws {
        let maker = TreeMaker(numbers: Seed.numbers())
        // What a server gets is what was percent-encoded, decoded once.
        let filters = try (0..<Self.count).map { index in
            let url = try ODataQuery<Row>("Rows").filter(maker.anything(1 + index % 5)).url()
            #expect(url.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F && !"+&#\"<>\\^`{|}".utf8.contains($0) })
            return try #require(url.removingPercentEncoding?.dropFirst("Rows?$filter=".count)).description
        }
        guard let results = try await run(Work(rows: [], filters: filters, evaluate: false)) else { return }
        #expect(results.count == filters.count)
    }

    @Test("A filter is true of the rows of which Swift finds the same true", .seeded, .timeLimit(.minutes(10)))
    func evaluates() async throws {
        let numbers = Seed.numbers()
        let names = ["Ann", "anna", "Bob", "O'Neil", " b c ", "x+y&z", "", "aAa"]
        let rows = (1...40).map { id in
            Row(
                id: id,
                name: names[numbers.index(below: names.count)],
                nick: numbers.index(below: 3) == 0 ? nil : "nick",
                age: numbers.index(below: 12),
                height: numbers.index(below: 30) - 10,
                score: Double(numbers.index(below: 160)) / 8 - 10,
                born: Date(timeIntervalSince1970: Double(numbers.index(below: 1_000_000_000)))
            )
        }
        let maker = TreeMaker(numbers: numbers)
        let trees = (0..<Self.count).map { maker.bool(1 + $0 % 4) }
        let filters = try trees.map { try $0.tree.text() }
        guard let results = try await run(Work(rows: rows, filters: filters, evaluate: true)) else { return }
        var matches = 0
        for (index, tree) in trees.enumerated() {
            let expected = rows.filter(tree.value).map(\.id)
            #expect(results[index] == expected, "\(filters[index])")
            matches += expected.isEmpty || expected.count == rows.count ? 0 : 1
        }
        #expect(matches > Self.count / 10, "the filters tell hardly any rows apart")
    }

    /// `nil` when the parser is not installed, which is said loudly, and is a failure where it must be there.
    private func run(_ work: Work) async throws -> [[Int]?]? {
        let script = URL(fileURLWithPath: #filePath).deletingLastPathComponent().appendingPathComponent("evaluate.py")
        let outcome = try await runProgram(
            URL(fileURLWithPath: "/usr/bin/env"),
            ["python3", script.path],
            input: try JSONEncoder().encode(work)
        )
        switch outcome.status {
        case 0: return try JSONDecoder().decode([[Int]?].self, from: outcome.standardOutput)
        // 3 is said by the script, 127 by env where there is no Python.
        case 3, 127:
            Programs.notRun("pip install odata-query sqlalchemy")
            return nil
        default: throw ParserFailed(description: String(outcome.errorText.prefix(2_000)))
        }
    }
}

struct ParserFailed: Error, CustomStringConvertible {
    let description: String
}
#endif
