#if AllTests
import HTTPChainCore
import HTTPTypes
import Testing

@testable import HTTPChainAuth

@Suite("Basic: the rules")
struct BasicRuleTests {
    struct Row: Sendable {
        let user: String
        let password: Secret
        let charset: BasicCharset
        let value: String
    }

    static let rows: [Row] = [
        // RFC 7617 §2 and §2.1.
        Row(user: "Aladdin", password: "open sesame", charset: .utf8, value: "Basic QWxhZGRpbjpvcGVuIHNlc2FtZQ=="),
        Row(user: "test", password: "123\u{A3}", charset: .utf8, value: "Basic dGVzdDoxMjPCow=="),
        Row(user: "test", password: "123\u{A3}", charset: .isoLatin1, value: "Basic dGVzdDoxMjOj"),
        // Normalization form C: e and a combining acute accent are one character.
        Row(user: "e\u{301}", password: "", charset: .utf8, value: "Basic w6k6"),
        Row(user: "e\u{301}", password: "", charset: .isoLatin1, value: "Basic 6To="),
        Row(user: "", password: "", charset: .utf8, value: "Basic Og=="),
        Row(user: "a", password: "b:c", charset: .utf8, value: "Basic YTpiOmM="),
    ]

    @Test("User and password are sent as RFC 7617 has it", arguments: rows)
    func encodes(row: Row) throws {
        let credential = Credential(user: row.user, password: row.password)
        #expect(try BasicCredentials.encode(credential, row.charset) == row.value)
    }

    @Test("What the scheme cannot carry is refused, and the error does not show it")
    func refuses() {
        let rows: [(String, Secret, BasicCharset, String)] = [
            ("a:b", "c", .utf8, "colon"), ("a\nb", "c", .utf8, "control"), ("a", "c\0d", .utf8, "control"),
            ("a", "c\u{7F}", .utf8, "control"), ("a", "\u{20AC}", .isoLatin1, "8859"),
            // A combining character makes it no other character on the wire.
            ("a:\u{301}b", "c", .utf8, "colon"), ("a\r\nb", "c", .utf8, "control"),
        ]
        for (user, password, charset, why) in rows {
            do throws(BasicCredentials.Invalid) {
                _ = try BasicCredentials.encode(Credential(user: user, password: password), charset)
                Issue.record("\(user.debugDescription) was accepted")
            } catch {
                #expect(error.why.contains(why))
            }
        }
    }

    @Test("A field's value gives back the credential, and nothing that is not one")
    func decodes() {
        for row in Self.rows where row.charset == .utf8 {
            let credential = BasicCredentials.decode(row.value)
            #expect(credential?.user == row.user && credential?.password == row.password)
        }
        #expect(BasicCredentials.decode("bAsIc YTpiOmM=") == Credential(user: "a", password: "b:c"))
        #expect(BasicCredentials.decode("Basic 6To=")?.user == "\u{E9}")
        for value in ["", "Basic", "Basic ", "Basic ???", "Basic YWJj", "Bearer YTpi", "Digest username=\"a:b\""] {
            #expect(BasicCredentials.decode(value) == nil, "\(value)")
        }
    }

    @Test("The challenge's charset counts before the stage's")
    func charset() {
        let rows: [(String, BasicCharset)] = [
            ("Basic realm=a, charset=\"UTF-8\"", .utf8), ("Basic realm=a, charset=utf-8", .utf8),
            ("Basic realm=a, charset=latin1", .isoLatin1), ("Basic realm=a", .isoLatin1),
        ]
        for (challenge, charset) in rows {
            #expect(BasicCredentials.charset(of: Challenge.parse([challenge])[0], else: .isoLatin1) == charset)
        }
    }

    @Test("The space of a request is its directory, as in RFC 7617 §2.2")
    func prefixes() {
        let rows: [(String?, String)] = [
            ("/docs/index.html", "/docs/"), ("/docs/", "/docs/"), ("/docs", "/"), ("/", "/"), (nil, "/"), ("", "/"),
            ("/a/b?x=/c/d", "/a/"), ("*", "/"), ("?x=/y", "/"),
        ]
        for (path, prefix) in rows { #expect(BasicSpaces.prefix(of: path) == prefix, "\(path ?? "nil")") }
    }

    private func ready(_ value: String) -> ReadyCredentials {
        ReadyCredentials(.authorization, value)
    }

    @Test("The deepest space that a path is in has its say; other origins have none")
    func deepest() {
        let (origin, other) = (Origin.of("https://a.example"), Origin.of("https://b.example"))
        var spaces = BasicSpaces()
        spaces.remember(ready("outer"), realm: "o", prefix: "/docs/", at: origin)
        spaces.remember(ready("inner"), realm: "i", prefix: "/docs/secret/", at: origin)
        let rows = [
            ("/docs/a", "outer"), ("/docs/x/y", "outer"), ("/docs/secret/a", "inner"), ("/docs", nil), ("/other", nil),
        ]
        for (path, value) in rows {
            #expect(spaces.ready(for: path, at: origin)?.value == value, "\(path)")
            #expect(spaces.ready(for: path, at: other) == nil)
        }
    }

    @Test("New credentials of a realm replace the old ones everywhere; rejected ones are forgotten everywhere")
    func replaces() {
        let origin = Origin.of("https://a.example")
        var spaces = BasicSpaces()
        spaces.remember(ready("1"), realm: "r", prefix: "/a/", at: origin)
        spaces.remember(ready("2"), realm: "r", prefix: "/b/", at: origin)
        spaces.remember(ready("9"), realm: "s", prefix: "/c/", at: origin)
        #expect(spaces.ready(for: "/a/x", at: origin)?.value == "2")
        spaces.forget("2", realm: "s", at: origin)
        #expect(spaces.ready(for: "/a/x", at: origin)?.value == "2")
        spaces.forget("2", realm: "r", at: origin)
        #expect(spaces.ready(for: "/a/x", at: origin) == nil && spaces.ready(for: "/b/x", at: origin) == nil)
        #expect(spaces.ready(for: "/c/x", at: origin)?.value == "9")
    }

    @Test("A server cannot fill the memory with realms")
    func bounded() {
        let origin = Origin.of("https://a.example")
        var spaces = BasicSpaces()
        for number in 0..<2000 {
            spaces.remember(ready("v"), realm: "\(number)", prefix: "/\(number)/", at: origin)
        }
        let kept = (0..<2000).count { spaces.ready(for: "/\($0)/", at: origin) != nil }
        #expect(kept == BasicSpaces.capacity)
    }
}
#endif
