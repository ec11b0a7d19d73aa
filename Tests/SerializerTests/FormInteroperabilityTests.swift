#if AllTests
import Foundation
import HTTPChainCore
import HTTPChainSerializer
import TestSupport
import Testing

/// What a server's own parser makes of names with brackets.
private enum Tree: Decodable, Hashable {
    case text(String)
    case list([Tree])
    case map([String: Tree])

    init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        if let text = try? container.decode(String.self) {
            self = .text(text)
        } else if let list = try? container.decode([Tree].self) {
            self = .list(list)
        } else {
            self = .map(try container.decode([String: Tree].self))
        }
    }
}

/// A value of the shapes that these parsers know: lists of texts, of keyed values, and keyed values.
private struct Order: Codable, Hashable {
    struct Line: Codable, Hashable {
        var title: String
        var count: Int
        var notes: [String]
    }

    var name: String
    var isNew: Bool
    var tags: [String]
    var lines: [Line]
    var address: [String: String]

    init(_ random: inout Numbers) {
        func count(_ random: inout Numbers) -> Range<Int> { 0..<Int.random(in: 1...3, using: &random) }
        func text(_ random: inout Numbers) -> String {
            let pieces = [
                "a", "é", " ", "+", "&", "=", "%", "%20", "[", "]", "[]", ".", ",", ";", "\n", "💩", "'", "\"",
            ]
            return (0..<Int.random(in: 0...6, using: &random)).map { _ in pieces.randomElement(using: &random) ?? "" }
                .joined()
        }
        name = text(&random)
        isNew = Bool.random(using: &random)
        tags = count(&random).map { _ in text(&random) }
        lines = count(&random).map { _ in
            Line(
                title: text(&random),
                count: Int.random(in: -9...9, using: &random),
                notes: count(&random).map { _ in text(&random) }
            )
        }
        address = ["street": text(&random), "a place é": text(&random)]
    }

    var tree: Tree {
        .map([
            "name": .text(name), "isNew": .text("\(isNew)"), "tags": .list(tags.map(Tree.text)),
            "lines": .list(
                lines.map { line in
                    .map([
                        "title": .text(line.title), "count": .text("\(line.count)"),
                        "notes": .list(line.notes.map(Tree.text)),
                    ])
                }
            ),
            "address": .map(address.mapValues(Tree.text)),
        ])
    }
}

/// A parser of forms that was not written here.
private enum Server: String, CaseIterable {
    /// `Rack::Utils.parse_nested_query`, which is Rails' too.
    case ruby
    /// `parse_str`, which is what fills `$_POST`.
    case php

    /// Reads several forms, a line each, and answers in JSON.
    private var arguments: [String] {
        switch self {
        case .ruby:
            let read = "STDIN.each_line.map { |l| Rack::Utils.parse_nested_query(l.chomp) }"
            return ["-Eutf-8:utf-8", "-rrack/utils", "-rjson", "-e", "puts JSON.generate(\(read))"]
        case .php:
            let read = "foreach (file('php://stdin') as $l) { parse_str(rtrim($l, \"\\n\"), $o); $all[] = $o; }"
            return ["-n", "-r", "$all = []; \(read) echo json_encode($all);"]
        }
    }

    /// How it wants lists of keyed values.
    var arrays: [ParameterEncoder.Arrays] {
        switch self {
        case .ruby: [.rack]
        case .php: [.brackets, .indexed]
        }
    }

    func parse(_ forms: [Data]) async throws -> [Tree]? {
        guard let program = Programs.find(rawValue) else { return notRun("\(rawValue) is not installed") }
        let outcome = try await runProgram(program, arguments, input: Data(forms.joined(separator: Data("\n".utf8))))
        // A program whose library is missing says so.
        if outcome.status != 0, outcome.errorText.contains("cannot load such file") {
            return notRun("\(rawValue) has no rack")
        }
        try #require(outcome.status == 0, "\(outcome.errorText)")
        return try JSONDecoder().decode([Tree].self, from: outcome.standardOutput)
    }

    /// A missing program is reported, and a failure where all programs are required.
    private func notRun(_ why: String) -> [Tree]? {
        Programs.notRun(why)
        return nil
    }
}

@Suite("Forms are read by servers that were not written here", .heavy, .seeded, .timeLimit(.minutes(10)))
struct FormInteroperabilityTests {
    @Test("Rack and PHP read names with brackets as the value that was written", arguments: Server.allCases)
    private func brackets(server: Server) async throws {
        var random = Numbers(Seed.numbers(215))
        let orders = (0..<100).map { _ in Order(&random) }
        for arrays in server.arrays {
            for spaces in [ParameterEncoder.Spaces.plus, .percent] {
                for keepsBrackets in [true, false] {
                    let form = FormSerializer(
                        ParameterEncoder(arrays: arrays, spaces: spaces, keepsBrackets: keepsBrackets)
                    )
                    let written = try orders.map { try form.encode($0, contentType: form.contentType) }
                    guard let read = try await server.parse(written) else { return }
                    try #require(read.count == orders.count)
                    for (order, (tree, bytes)) in zip(orders, zip(read, written)) {
                        #expect(tree == order.tree, "\(String(decoding: bytes, as: UTF8.self))")
                        #expect(try form.decode(Order.self, from: bytes, contentType: nil) == order)
                    }
                }
            }
        }
    }
}
#endif
