#if AllTests
import Testing

@testable import HTTPChainURLBuilder

@Suite("Where a reference names its host")
struct URLPatternTests {
    @Test(
        "An authority begins after a scheme and its slashes, or after two slashes (RFC 3986 §3)",
        arguments: [
            ("a://", 4), ("https://h", 8), ("a1://h", 5), ("a+b://h", 6), ("a-b://h", 6), ("a.b://h", 6), ("//h", 2),
            ("//", 2),
        ]
    )
    func begins(reference: String, expected: Int) {
        #expect(URLPattern.authorityStart(of: Array(reference.utf8)) == expected)
    }

    @Test(
        "Colon variables are looked for in the path alone",
        arguments: [
            ("/:a?b=/:c", ["a"]), ("/:a#/:c", ["a"]), ("/:a{?b}/:c", ["a", "b"]), ("/:a{&b}/:c", ["a", "b"]),
            ("/:a{#b}/:c", ["a", "b"]), ("/:a{/b}/:c", ["a", "b", "c"]),
        ]
    )
    func colons(reference: String, expected: [String]) throws {
        #expect(try VariableNotations.all.variableNames(in: reference) == expected)
    }

    @Test("The host ends where the path, the query or the fragment begins", arguments: ["/a", "?a", "#a"])
    func ends(rest: String) throws {
        let pattern = try URLPattern("https://{x}.example" + rest, syntax: .all)
        #expect(pattern.authority?.last == .literal(Array(".example".utf8)))
        #expect(pattern.parts == [.literal(Array(rest.utf8))])
    }

    @Test(
        "A variable is a whole segment where slashes, the query or the fragment stand around it",
        arguments: [
            ("a/{x}", true), ("a/{x}/b", true), ("a/{x}?b", true), ("a/{x}#b", true), ("{x}", true),
            ("a/{x}{?b}", true),
            ("a/{x}{/b}", true), ("a/{x}{#b}", true), ("a/{x}b", false), ("b{x}", false), ("a/{x}{.b}", false),
            ("a/{x}{;b}", false), ("a?b=/{x}", false), ("a/{+x}", false), ("{.b}{x}", false),
        ]
    )
    func segments(reference: String, expected: Bool) throws {
        let parts = try TemplateParser.parse(reference, syntax: .all)
        let isWhole = parts.contains { part in
            guard case .expression(let expression) = part else { return false }
            return expression.isWholeSegment && expression.variables.first?.name == "x"
        }
        #expect(isWhole == expected)
    }

    @Test(
        "A reference without one names no host",
        arguments: [
            "", "a", "/", "/h", "a:/h", "a:h", "://h", "1a://h", "+a://h", "a_b://h", "a,b://h", "a/b://h", "a:",
        ]
    )
    func names(reference: String) {
        #expect(URLPattern.authorityStart(of: Array(reference.utf8)) == nil)
    }
}
#endif
