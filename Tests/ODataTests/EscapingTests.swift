#if AllTests
import Foundation
import HTTPChainOData
import TestSupport
import Testing

@Suite("Texts in URLs of OData are read back by the standard's grammar", .heavy, .timeLimit(.minutes(10)))
struct EscapingTests {
    @Test("Literals, keys and phrases of a search hold the text that went in, and nothing leaves them", .seeded)
    func readBack() async throws {
        let all = BorderTexts.all(Seed.numbers())
        let texts = Drill.isFull ? all : stride(from: 0, to: all.count, by: 23).map { all[$0] }
        let urls = try texts.map { text in
            try ODataQuery<Row>("Rows").key(text).navigating(to: "Friends", as: Row.self)
                .filter(\.name == text).search(.phrase("a\(text)")).url()
        }
        guard let read = try await read(urls) else { return }
        #expect(read.count == texts.count)
        for (text, found) in zip(texts, read) where !isEqual(found ?? [], [text, text, "a\(text)"]) {
            Issue.record("\(text.debugDescription) was read as \((found ?? []).map(\.debugDescription))")
        }
        Drill.report("odata-read-back", texts.count * 3)
    }

    @Test("The grammar finds a literal that compares Characters")
    func planted() async throws {
        let texts = ["\u{600}' or 1 eq 1 or Name ne '\u{301}", "'\u{301}"]
        let urls = texts.map { text in
            let literal = "'" + text.map { $0 == "'" ? "''" : String($0) }.joined() + "'"
            return "Rows?$filter=Name%20eq%20"
                + (literal.addingPercentEncoding(withAllowedCharacters: .alphanumerics) ?? "")
        }
        guard let read = try await read(urls.map { $0.replacingOccurrences(of: "%27", with: "'") }) else { return }
        for (text, found) in zip(texts, read) { #expect(!isEqual(found ?? [], [text])) }
    }

    /// By scalars: `==` takes texts for the same that are not.
    private func isEqual(_ one: [String], _ other: [String]) -> Bool {
        one.map { Array($0.unicodeScalars) } == other.map { Array($0.unicodeScalars) }
    }

    /// `nil` if the parser is not installed, which is said.
    private func read(_ urls: [String]) async throws -> [[String]?]? {
        let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
        let outcome = try await runProgram(
            URL(fileURLWithPath: "/usr/bin/env"),
            ["python3", folder.appendingPathComponent("parse.py").path, "strings"],
            input: try JSONEncoder().encode(urls)
        )
        if outcome.status == 3 || outcome.status == 127 {
            Programs.notRun("pip install abnf")
            return nil
        }
        #expect(outcome.status == 0, "\(outcome.errorText.suffix(2_000))")
        return try JSONDecoder().decode([[String]?].self, from: outcome.standardOutput)
    }
}
#endif
