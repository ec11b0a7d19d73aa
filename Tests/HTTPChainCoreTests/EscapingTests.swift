#if AllTests
import Foundation
import HTTPChainCore
import HTTPTypes
import TestSupport
import Testing

@testable import HTTPChainReports
@testable import HTTPChainSupport

@Suite("Texts are read back by others as they were", .heavy, .timeLimit(.minutes(10)))
struct EscapingTests {
    private typealias Written = BorderTexts.Written

    @Test("Every escape gives a reader of others the text that went in", .seeded)
    func readBack() async throws {
        let texts = BorderTexts.all(Seed.numbers())
        let written = texts.flatMap { text -> [Written] in
            let markup = text.substituting("\u{FFFD}") { $0 < 0x20 && ![9, 10, 13].contains($0) }
            let quotable = text.substituting(" ") { $0 < 0x20 && $0 != 9 || $0 == 0x7F }
            var json: [UInt8] = []
            json.append(jsonString: text)
            return [
                Written("html", Escaping.markup(text), markup),
                Written("svg", Escaping.markup(text), markup),
                Written("shell", Escaping.shellWord(text), text.substituting("\u{FFFD}") { $0 == 0 }),
                Written("json", String(decoding: json, as: UTF8.self), text),
                Written("quoted-string", Escaping.quotedString(text), quotable),
                Written("pointer", Escaping.jsonPointerToken(text), text),
                Written("line", text.printable(), text.substituting(" ", where: Self.steers)),
            ]
        }
        guard let faults = try await BorderTexts.misread(written) else { return }
        for fault in faults.prefix(20) { Issue.record("\(fault)") }
        #expect(faults.isEmpty)
        Drill.report("escapes-read-back", written.count)
    }

    private static func steers(_ value: UInt32) -> Bool {
        value < 0x20 || (0x7F...0x9F).contains(value) || (0x2028...0x202E).contains(value)
            || (0x2066...0x2069).contains(value)
    }

    @Test("The generator finds an escape that compares Characters, in each language", .seeded)
    func planted() async throws {
        func replacing(_ text: String, _ pairs: [(Character, String)]) -> String {
            text.map { character in pairs.first { $0.0 == character }?.1 ?? String(character) }.joined()
        }
        let texts = BorderTexts.all(Seed.numbers())
        let markup: [(Character, String)] = [
            ("&", "&amp;"), ("<", "&lt;"), (">", "&gt;"), ("\"", "&quot;"), ("'", "&#39;"),
        ]
        let planted: [String: (String) -> String] = [
            "html": { replacing($0, markup) },
            "svg": { replacing($0, markup) },
            "shell": { "'" + replacing($0, [("'", "'\\''"), ("\0", "\u{FFFD}")]) + "'" },
            "json": { "\"" + replacing($0, [("\"", "\\\""), ("\\", "\\\\")]) + "\"" },
            "quoted-string": { "\"" + replacing($0, [("\"", "\\\""), ("\\", "\\\\")]) + "\"" },
            "pointer": { replacing($0, [("~", "~0"), ("/", "~1")]) },
            "line": { replacing($0, [("\n", " "), ("\r", " "), ("\0", " "), ("\u{85}", " "), ("\u{9B}", " ")]) },
        ]
        // Without what the planted escapes do not care for, so that a metacharacter that is hidden is all they miss.
        let hidden = texts.filter { text in
            text.unicodeScalars.contains { ["\u{301}", "\u{600}", "\u{200D}"].contains($0) }
                && !text.unicodeScalars.contains { Self.steers($0.value) }
        }
        var found = 0
        for (kind, escape) in planted.sorted(by: { $0.key < $1.key }) {
            let candidates = kind == "line" ? texts : hidden
            guard let faults = try await BorderTexts.misread(candidates.map { Written(kind, escape($0), $0) }) else {
                return
            }
            #expect(faults.count > 10, "\(kind)")
            found += faults.count
        }
        Drill.report("escapes-planted-found", found)
    }

    // MARK: The waterfall

    private static func page(_ texts: [String]) -> String {
        let span = Trace.Span(
            id: 0,
            parent: nil,
            depth: 0,
            name: texts[0],
            phase: "",
            start: .zero,
            duration: .milliseconds(1),
            ownTime: .milliseconds(1),
            requestChanges: [],
            responseChanges: texts.map { MessageChange(subject: "X-Note", before: nil, after: $0) },
            notes: texts,
            optionsRead: [],
            outcome: .failure(texts[1])
        )
        return Trace(request: texts[2], spans: [span], outcome: .failure(texts[3]), duration: .milliseconds(1)).html()
    }

    private static let elements = [
        "body", "div", "h1", "head", "html", "li", "meta", "p", "small", "span", "style", "table", "tbody", "td", "th",
        "thead", "title", "tr", "ul",
    ]
    private static let attributes = ["charset", "class", "content", "lang", "name", "scope", "style", "title"]

    @Test("The waterfall of a trace has no element, attribute or comment but its own", .seeded)
    func waterfall() async throws {
        let texts = BorderTexts.all(Seed.numbers())
        let page = Self.page(texts)
        let expected = try Self.expected(Self.items(texts))
        guard let faults = try await BorderTexts.misread([Written("page", page, expected)]) else { return }
        #expect(faults.isEmpty)
        Drill.report("escapes-waterfall-texts", texts.count)
    }

    private static func expected(_ items: [String]) throws -> String {
        let parts = ["elements": elements, "attributes": attributes, "others": [], "items": items]
        return String(decoding: try JSONEncoder().encode(parts), as: UTF8.self)
    }

    private static func items(_ texts: [String]) -> [String] {
        let shown = texts.map { text in
            text.substituting("\u{FFFD}") { $0 < 0x20 && ![9, 10, 13].contains($0) }
        }
        return shown + shown.map { "response + X-Note: \($0)" }
    }

    @Test("Chromium makes no other element, attribute or comment of the waterfall either", .seeded)
    func waterfallInChromium() async throws {
        guard let chromium = Programs.find("chromium") else { return Programs.notRun("apt install chromium") }
        let texts = BorderTexts.all(Seed.numbers())
        let folder = try TestSupport.ScratchDirectory.created()
        let file = try folder.file("page.html", Data(Self.page(texts).utf8))
        let outcome = try await runProgram(
            chromium,
            [
                "--headless", "--no-sandbox", "--disable-gpu", "--user-data-dir=\(folder.path)", "--dump-dom",
                "file://\(file.path)",
            ]
        )
        #expect(outcome.status == 0, "\(outcome.errorText.suffix(2000))")
        let written = Written("page", outcome.text, try Self.expected(Self.items(texts)))
        guard let faults = try await BorderTexts.misread([written]) else { return }
        #expect(faults.isEmpty)
        Drill.report("escapes-in-chromium", texts.count)
    }

    // MARK: Errors and prefixes

    @Test("No control character of a response reaches the text of an error", .seeded)
    func errors() {
        for text in BorderTexts.all(Seed.numbers()) {
            let preview = BodyPreview(Data(text.utf8), isTruncated: false)
            let explained = Explanation(text, text).text(of: "Stage")
            for shown in ["\(preview)", explained] {
                #expect(
                    !shown.unicodeScalars.contains { Self.steers($0.value) && $0 != "\n" },
                    "\(text.debugDescription)"
                )
            }
        }
    }

    @Test("A neighbour hides neither a prefix, nor a suffix, nor what divides a text")
    func parts() {
        for neighbour in BorderTexts.neighbours {
            #expect("/\(neighbour)a".begins(with: "/") && "a\(neighbour)/".ends(with: "/"))
            #expect(
                "a/\(neighbour)".without(prefix: "a/").map { String($0) }?.utf8.elementsEqual(neighbour.utf8) == true
            )
            #expect(
                "\(neighbour)/a".without(suffix: "/a").map { String($0) }?.utf8.elementsEqual(neighbour.utf8) == true
            )
            #expect("a,\(neighbour)b\(neighbour),c".pieces(at: ",").count == 3)
            #expect(" \(neighbour)a".trimming().unicodeScalars.first != " ")
        }
        #expect("a, ,b".pieces(at: ",", maxSplits: 1) == ["a", " ,b"])
        #expect(",a,".pieces(at: ",", omittingEmptySubsequences: false) == ["", "a", ""])
        #expect(!"é".begins(with: "e\u{301}") && "ab".without(prefix: "b") == nil && "ab".without(suffix: "a") == nil)
        #expect("a\r\n  b\u{85}c\n\n".onOneLine(joinedBy: "; ") == "a; b; c")
    }
}
#endif
