#if AllTests
import Foundation
import HTTPChainOData
import HTTPChainTesting
import TestSupport
import Testing

/// Draws whole queries at random, of everything that the builder can write.
private struct QueryMaker {
    let numbers: SeededRandom

    /// What strings are hard about: quotes, what separates, what is escaped, what no URL has, what is not ASCII.
    private static let texts = [
        "", "Ann", "O'Neil", "'", "''", "a/b?c", "x+y&z=1", "#;,:@!$()*", "say \"hi\"", "back\\slash", "%41%", "é😀 ß",
        " b c ", "\u{7}\t\n", "it's \"a/b\"",
    ]
    private static let names = ["Name", "Address/City", "größe", "_x", "Ns.Type/Age", "Friends/$count", "$it/Name"]
    private static let types = ["Edm.String", "Ns.Person", "Edm.Decimal"]

    private func pick<Value>(_ values: [Value]) -> Value { values[numbers.index(below: values.count)] }

    private func some(_ limit: Int) -> Bool { numbers.index(below: limit) == 0 }

    func query(_ depth: Int) -> ODataQuery<Row> {
        var query = ODataQuery<Row>(pick(["Rows", "größen", "Rows_1"]))
        if some(3) {
            query = some(2) ? query.key(literal(isKey: true)) : query.key(["Id": 3, "No_2": literal(isKey: true)])
            if some(2) { query = query.navigating(to: "Friends", as: Row.self) }
        } else if some(6) {
            query = query.key(["SSN": literal(isKey: true)])
        }
        if !some(4) { query = query.filter(condition(depth)) }
        if some(4) { query = query.filter(condition(1)) }
        for _ in 0..<numbers.index(below: 3) {
            let direction = pick([ODataDirection.ascending, .descending])
            switch numbers.index(below: 3) {
            case 0: query = query.orderBy(\.age, direction)
            case 1: query = query.orderBy(.property(pick(Self.names)), direction)
            default: query = query.orderBy(operand(depth - 1), direction)
            }
        }
        if some(2) { query = query.top(numbers.index(below: 1_000)) }
        if some(2) { query = query.skip(numbers.index(below: 1_000)) }
        if some(3) {
            query = query.select("Name", "Address/City").select(\.age)
        } else if some(6) {
            query = query.select("*")
        }
        for _ in 0..<numbers.index(below: 3) {
            let levels = some(3) ? some(2) ? Int.max : 1 + numbers.index(below: 30) : nil
            query = query.expand(pick(["Friends", "Ns.Type/Trips"]), levels: levels) {
                expansion(depth - 1, of: expansion(depth, of: $0))
            }
        }
        if some(5) { query = query.expand("Best") }
        if some(3) { query = query.count() }
        if some(2) { query = query.search(search(2)) }
        if some(4) { query = query.option("tenant", pick(Self.texts)) }
        return query
    }

    /// The URL for the number of entities.
    func count(_ depth: Int) throws -> String {
        try ODataQuery<Row>("Rows/$count").filter(condition(depth)).search(search(2)).url()
    }

    private func expansion(_ depth: Int, of query: ODataQuery<ODataAnyEntity>) -> ODataQuery<ODataAnyEntity> {
        switch numbers.index(below: depth > 0 ? 8 : 5) {
        case 0: query.top(3)
        case 1: query.skip(20)
        case 2: query.count()
        case 3: query.select("Name", "Nick")
        case 4: query.orderBy(.property(pick(Self.names)), pick([.ascending, .descending]))
        case 5: query.filter(condition(depth - 1))
        case 6: query.search(search(1))
        default: query.expand("Trips") { expansion(depth - 1, of: expansion(depth - 1, of: $0)) }
        }
    }

    private func search(_ depth: Int) -> ODataSearch {
        switch numbers.index(below: depth > 0 ? 5 : 2) {
        case 0: .word(pick(["bike", "größe", "AND", "two words", "42"]))
        case 1: .phrase(pick(Self.texts.filter { !$0.isEmpty }))
        case 2: search(depth - 1) && search(depth - 1)
        case 3: search(depth - 1) || search(depth - 1)
        default: !search(depth - 1)
        }
    }

    private func condition<Entity: ODataEntity>(_ depth: Int) -> ODataExpression<Entity> {
        guard depth > 0 else { return operand(0) == operand(0) }
        switch numbers.index(below: 15) {
        case 0: return condition(depth - 1) && condition(depth - 1)
        case 1: return condition(depth - 1) || condition(depth - 1)
        case 2: return !condition(depth - 1)
        case 3:
            let inner: ODataExpression<Entity> = condition(depth - 2)
            return .property("Friends").any { $0["Age"] > 3 && inner }
        case 4:
            let (inner, literal): (ODataExpression<Entity>, ODataLiteral) = (operand(depth - 1), literal())
            return .property("Friends").all { outer in
                outer["Trips"].any { $0["Cost"] > outer["Budget"] || inner == .value(literal) } && outer.value != inner
            }
        case 5: return .property("Tags").isNotEmpty()
        case 6: return operand(depth - 1).isIn((0..<numbers.index(below: 4)).map { _ in literal() })
        case 7: return condition(depth - 1) == .value(some(2))
        case 8: return operand(depth - 1).has(.enumeration("Ns.Color", "Yellow", "Red"))
        case 9: return .function("isof", operand(depth - 1), .property(pick(Self.types)))
        case 10: return .raw("Age add 1 gt 3")
        case 11: return .function("Ns.Near", ["place": operand(depth - 1), "limit": .value(literal())])
        default:
            let (left, right): (ODataExpression<Entity>, ODataExpression<Entity>) = (
                operand(depth - 1), operand(depth - 1)
            )
            switch numbers.index(below: 6) {
            case 0: return left == right
            case 1: return left != right
            case 2: return left > right
            case 3: return left >= right
            case 4: return left < right
            default: return left <= right
            }
        }
    }

    private func operand<Entity: ODataEntity>(_ depth: Int) -> ODataExpression<Entity> {
        typealias Tree = ODataExpression<Entity>
        guard depth > 0 else { return some(2) ? .property(pick(Self.names)) : .value(literal()) }
        let (inner, other): (Tree, Tree) = (operand(depth - 1), operand(depth - 1))
        let text = pick(Self.texts)
        let functions: [@Sendable () -> Tree] = [
            { inner.length() }, { inner.lowercased() }, { inner.uppercased() }, { inner.trimmed() },
            { inner.part(.year) },
            { inner.part(.month) }, { inner.part(.day) }, { inner.part(.hour) }, { inner.part(.minute) },
            { inner.part(.second) },
            { .function("fractionalseconds", inner) }, { inner.part(.date) }, { inner.part(.time) },
            { .function("totaloffsetminutes", inner) }, { .function("totalseconds", inner) }, { inner.rounded() },
            { .function("floor", inner) }, { .function("ceiling", inner) }, { -inner }, { inner.substring(from: 1) },
            { inner.substring(from: 1, length: 2) }, { inner.index(of: text) },
            { .function("matchesPattern", inner, .value(text)) }, { .now }, { .function("mindatetime") },
            { .function("maxdatetime") }, { inner + other }, { inner - other }, { inner * other }, { inner / other },
            { inner % other }, { inner.concatenated(with: other) }, { .function("startswith", inner, other) },
            { inner.endsWith(text) }, { .function("contains", inner, other) }, { .raw("Age add 1") },
            { .function("cast", inner, .property("Edm.String")) }, { .function("geo.distance", inner, other) },
        ]
        return pick(functions)()
    }

    private func literal(isKey: Bool = false) -> ODataLiteral {
        let values: [any ODataLiteralConvertible] = [
            numbers.index(below: 1000) - 500, Double(numbers.index(below: 1000)) / 8 - 50, 1e-7, 2.5e20, Float(0.1),
            pick(Self.texts), pick(Self.texts), pick(Self.texts), true, false, Decimal(string: "12.34") ?? 0,
            UUID(uuidString: "01234567-89AB-CDEF-0123-456789ABCDEF") ?? UUID(),
            Date(timeIntervalSince1970: Double(numbers.index(below: 1_000_000_000)) + 0.5),
            Duration.milliseconds(90_500), Duration.seconds(-3), ODataLiteral.date(year: 2026, month: 2, day: 3),
            ODataLiteral.timeOfDay(hour: 7, minute: 5, second: 9, nanosecond: 500_000_000),
            ODataLiteral.enumeration("Ns.Color", "Yellow", "Red"), Double.infinity, -Double.infinity, Double.nan,
        ]
        // A key is neither null nor binary data.
        let others: [any ODataLiteralConvertible] = [
            Optional<Int>.none, Data([0xFB, 0xFF, 0xFE]), Data([1, 2]), Data([1]), Data(),
        ]
        return pick(isKey ? values : values + others).odataLiteral
    }
}

@Suite("OData URLs are read by the standard's grammar", .heavy)
struct RandomQueryTests {
    static let count = Drill.isFull ? 5_000 : 400

    @Test("Every URL that the builder makes parses whole", .seeded, .timeLimit(.minutes(10)))
    func parses() async throws {
        let maker = QueryMaker(numbers: Seed.numbers())
        let urls = try (0..<Self.count).flatMap { index in
            let query = maker.query(1 + index % 4)
            return index.isMultiple(of: 10) ? [try query.url(), try maker.count(1 + index % 4)] : [try query.url()]
        }
        guard let faults = try await parse(urls) else { return }
        #expect(faults.count == urls.count)
        for (url, fault) in zip(urls, faults) where fault != nil { Issue.record("\(fault ?? ""): \(url)") }
        // What no URL has was not tried.
        let all = urls.joined(separator: "\n")
        for part in [
            "and", "or", "eq", "ne", "gt", "ge", "lt", "le", "add", "sub", "mul", "div", "mod", "has", "in",
        ] { #expect(all.contains("%20\(part)%20"), "there was no \(part)") }
        for part in [
            "not%20(", "-(", "/any(", "/all(", "cast(", "isof(", "$levels=max", "$search=", "NOT%20",
            "%20AND%20", "%20OR%20", "/$count?", "$orderby=", "%20desc", "$select=", "$expand=", "($", "duration'",
            "binary'", "Ns.Color'", "null", "NaN", "Ns.Near(place=", "geo.distance(", "matchesPattern(", "SSN=",
        ] { #expect(all.contains(part), "there was no \(part)") }
    }

    @Test("The grammar refuses what is no URL of OData")
    func refuses() async throws {
        let urls = [
            "Rows?$filter=", "Rows?$filter=Age%20eq", "Rows?$filter=Name%20eq%20'O'Neil'",
            "Rows?$filter=Name%20eq%20'a/b'", "Rows?$filter=Age eq 1", "Rows?$filter=Age%20in%20()%20eq",
            "Rows?$filter=hassubset(Tags,('a','b'))", "Rows?$filter=Ns.Near(1,2)", "Rows?$filter=(Age%20eq%201",
            "Rows?$filter=Age%20has%202", "Rows?$top=-1", "Rows?$top=", "Rows?$unknown=1", "Rows?$count=maybe",
            "Rows?$expand=Friends()", "Rows?$expand=Friends($top=1,$skip=2)", "Rows?$search=()", "Rows('a'",
            "Rows(Id=1,'b')", "Rows?$orderby=Age%20down", "Rows?$filter=2026-13-01%20eq%20null", "Rows?$select=",
        ]
        guard let faults = try await parse(urls) else { return }
        for (url, fault) in zip(urls, faults) where fault == nil { Issue.record("it was read: \(url)") }
        #expect(faults.count == urls.count)
    }

    /// `nil` when the parser is not installed, which is said loudly, and is a failure where it must be there.
    private func parse(_ urls: [String]) async throws -> [String?]? {
        let script = URL(fileURLWithPath: #filePath).deletingLastPathComponent().appendingPathComponent("parse.py")
        let outcome = try await runProgram(
            URL(fileURLWithPath: "/usr/bin/env"),
            ["python3", script.path, "faults"],
            input: try JSONEncoder().encode(urls)
        )
        switch outcome.status {
        case 0: return try JSONDecoder().decode([String?].self, from: outcome.standardOutput)
        // 3 is said by the script, 127 by env where there is no Python.
        case 3, 127:
            Programs.notRun("pip install abnf")
            return nil
        default: throw ParserFailed(description: String(outcome.errorText.suffix(2_000)))
        }
    }
}
#endif
