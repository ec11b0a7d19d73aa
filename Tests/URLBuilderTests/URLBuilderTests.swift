import Foundation
import HTTPChainCore
import HTTPChainURLBuilder
import Testing

@Suite("A URL builder")
struct URLBuilderTests {
    @Test(
        "A URL builder joins a relative reference with its base, and loses neither path nor query",
        arguments: [
            ("https://h", "", "https://h/"), ("https://h", "a", "https://h/a"), ("https://h", "/a", "https://h/a"),
            ("https://h/", "a", "https://h/a"), ("https://h/", "/", "https://h/"), ("https://h/v2", "", "https://h/v2"),
            ("https://h/v2", "/", "https://h/v2/"), ("https://h/v2/", "", "https://h/v2/"),
            ("https://h/v2", "a/b", "https://h/v2/a/b"),
            ("https://h/v2/", "/a/b/", "https://h/v2/a/b/"), ("https://h/v2?k=1", "a", "https://h/v2/a?k=1"),
            ("https://h/v2?k=1", "a?q=2", "https://h/v2/a?k=1&q=2"),
            ("https://h/v2?k=1", "?q=2", "https://h/v2?k=1&q=2"),
            ("https://h/v2?", "a?", "https://h/v2/a"), ("HTTPS://H:8443/v2#f", "a#g", "https://H:8443/v2/a"),
            ("https://h/v2", "a//b", "https://h/v2/a//b"), ("https://h/v2", "users:batch", "https://h/v2/users:batch"),
            ("https://h/a/../v2/./", "x", "https://h/v2/x"), ("https://h/v 2/é", "a", "https://h/v%202/%C3%A9/a"),
            ("http://[::1]:80/v", "a", "http://[::1]:80/v/a"), ("https://h/v2?k=1&", "a?q=2", "https://h/v2/a?k=1&q=2"),
            ("https://h/v2", "a/./b/../c", "https://h/v2/a/c"), ("https://h/v2", "a/b/..", "https://h/v2/a/"),
            ("https://h/v2", "a/%2e%2E/b", "https://h/v2/b"),
            ("https://h/v2", "a/.../b..c/.d", "https://h/v2/a/.../b..c/.d"),
            ("https://h/v2", "a?x=../../b", "https://h/v2/a?x=../../b"), ("https://h/v2", "./a", "https://h/v2/a"),
        ]
    )
    func joining(base: String, reference: String, expected: String) throws {
        #expect(try URLBuilder(base: base).url(reference) == expected)
    }

    @Test("A URL builder goes to the URL that was written, also after one that is canonically equal to it")
    func canonicallyEqual() throws {
        let builder = try URLBuilder(base: "https://h")
        for _ in 0..<2 {
            #expect(try builder.url("caf\u{e9}/{id}", URLArguments(path: ["id": 1])) == "https://h/caf%C3%A9/1")
            #expect(try builder.url("cafe\u{301}/{id}", URLArguments(path: ["id": 1])) == "https://h/cafe%CC%81/1")
        }
    }

    @Test(
        "A URL builder lets an absolute URL pass, and only encodes what no URL may hold",
        arguments: [
            ("https://other.example/a?b#c", "https://other.example/a?b"),
            ("http://other.example", "http://other.example/"),
            ("https://o/a/../b/./c", "https://o/a/../b/./c"),
            ("https://o/:x/%%0%%?a[]=1", "https://o/:x/%25%250%25%25?a%5B%5D=1"),
            ("https://o/a[%20]?f[x]=%41", "https://o/a%5B%20%5D?f%5Bx%5D=%41"),
            ("http://[::1]/a[0]", "http://[::1]/a%5B0%5D"),
            ("https://o/é b", "https://o/%C3%A9%20b"), ("https://o/%C3%a9%2f", "https://o/%C3%a9%2f"),
            ("//cdn.example/x", "https://cdn.example/x"),
            ("HTTPS://O:443/", "https://O:443/"), ("https://o?q", "https://o/?q"),
        ]
    )
    func absolute(reference: String, expected: String) throws {
        #expect(try URLBuilder(base: "https://api.example.com/v2?key=1").url(reference) == expected)
    }

    @Test(
        "A URL builder fills in path variables in all three notations, percent-encoded",
        arguments: [
            ("users/{id}", "users/42"), ("users/:id", "users/42"),
            ("/users/:id/notes/:name", "/users/42/notes/a%20b%2Fc"),
            ("users/%%0%%/%%1%%", "users/zero/one"), (":id", "42"), ("flights/:from-:to", "flights/OSL-LIS"),
            ("{id}/{name}{?q,page}", "42/a%20b%2Fc?q=x%26y"), ("{/id,name}", "/42/a%20b%2Fc"),
            ("files{/list*}", "files/a/b"),
            ("files/:name.json", "files/a%20b%2Fc.json"), ("at/12:30?t=:id&u=%%0%%", "at/12:30?t=:id&u=zero"),
            ("v/{id}:cancel", "v/42:cancel"),
            ("a{?none}{&none}", "a"), ("{+sub}", "x/y"), ("a{;id}", "a;id=42"), ("a{.name}", "a.a%20b%2Fc"),
            ("a{#id}", "a"), ("a/%2F/{id}", "a/%2F/42"),
            ("é/{id}", "%C3%A9/42"), ("a?x={name}", "a?x=a%20b%2Fc"), ("{iri}", "https%3A%2F%2Fid.example%2F1"),
            ("%%00%%", "zero"), ("a?b=/:id", "a?b=/:id"), ("a#/:nothing", "a"), ("a{?q}/:id", "a?q=x%26y/:id"),
            ("a?{&q}/:id", "a?&q=x%26y/:id"), ("a{#q}/:nothing", "a"), ("{blank,id}", ",42"),
            (":_a/b/:`c", "7/b/:%60c"), ("v:id", "v:id"), ("a/%%%%", "a/%25%25%25%25"),
            ("a/%%0%x", "a/%25%250%25x"), ("a/%%0x%%", "a/%25%250x%25%25"), ("a/{+blank}/b", "a//b"),
            ("a/{blank}-x", "a/-x"), ("{id}{blank}", "42"),
            ("a?b=/{blank}", "a?b=/"), ("{blank}x", "x"), ("{blank}{;id}", ";id=42"), ("{blank}{.id}", ".42"),
            (":a1/:a_b/:a`", "8/9/1%60"),
            ("a{?opaque}", "a?opaque=b%0Ac"),
            ("{?iri,evil,lines}", "?iri=https%3A%2F%2Fid.example%2F1&evil=https%3A%2F%2Fevil.example&lines=a%0D%0Ab"),
        ]
    )
    func variables(reference: String, expected: String) throws {
        let arguments = URLArguments(path: [
            "id": 42, "name": "a b/c", "0": "zero", "1": "one", "from": "OSL", "to": "LIS", "q": "x&y",
            "list": ["a", "b"], "sub": "x/y",
            "iri": URLValue.opaque("https://id.example/1"), "evil": "https://evil.example", "lines": "a\r\nb",
            "blank": "", "_a": 7, "a1": 8, "a_b": 9, "a": 1,
            "opaque": URLValue.opaque("b\nc"),
        ])
        let separator = expected.hasPrefix("/") || expected.hasPrefix("?") ? "" : "/"
        let url = try URLBuilder(base: "https://h/v2").url(reference, arguments.used(in: reference))
        #expect(url == "https://h/v2\(separator)\(expected)")
    }

    @Test("A URL builder fills in positional variables from an array, and appends the query after all others")
    func positions() throws {
        let builder = try URLBuilder(base: "https://h/?k=1")
        let arguments = URLArguments(path: [7, "x y"], query: ["q": 1])
        func url(_ reference: String) throws -> String {
            try builder.url(reference, arguments.used(in: reference))
        }
        #expect(try url("a/%%0%%/b/%%1%%") == "https://h/a/7/b/x%20y?k=1&q=1")
        #expect(try url("a/{1}{?0}") == "https://h/a/x%20y?k=1&0=7&q=1")
        #expect(try url("https://o/{0}?z&") == "https://o/7?z&q=1")
        #expect(try url("https://o") == "https://o/?q=1")
    }

    @Test("A URL builder keeps the slashes of a value that goes into a reserved expansion, by name and by position")
    func slashes() throws {
        let builder = try URLBuilder(base: "https://h/v1")
        let value = "basic-auth/user/passwd"
        #expect(try builder.url("%%0%%", URLArguments(path: [value])) == "https://h/v1/basic-auth%2Fuser%2Fpasswd")
        #expect(try builder.url("{+0}", URLArguments(path: [value])) == "https://h/v1/basic-auth/user/passwd")
        let named = try builder.url("/{+path}", URLArguments(path: ["path": value]))
        #expect(named == "https://h/v1/basic-auth/user/passwd")
    }

    @Test("A URL builder refuses a position that is too large to be one")
    func hugePosition() throws {
        let error = try #require(throws: URLBuilderError.self) {
            try URLBuilder(base: "https://h").url("a/%%99999999999999999999%%", URLArguments(path: [1]))
        }
        #expect(error.reason.contains("the position is too large"), "\(error.reason)")
    }

    @Test("A URL builder looks only for the notations it is told to")
    func syntax() throws {
        let arguments = URLArguments(path: ["id": 1, "0": 2])
        let text = "{id}/:id/%%0%%"
        func url(_ syntax: Set<URLVariableSyntax>) throws -> String {
            let used = arguments.used(in: text, VariableNotations(syntax))
            return try URLBuilder(base: "http://h", syntax: syntax).url(text, used)
        }
        #expect(try url(Set(URLVariableSyntax.allCases)) == "http://h/1/1/2")
        #expect(try url([.templates]) == "http://h/1/:id/%25%250%25%25")
        #expect(try url([.colons]) == "http://h/%7Bid%7D/1/%25%250%25%25")
        #expect(try url([.positions]) == "http://h/%7Bid%7D/:id/2")
        #expect(try url([]) == "http://h/%7Bid%7D/:id/%25%250%25%25")
        let plain = URLArguments(syntax: [])
        #expect(try URLBuilder(base: "http://h").url(text, plain) == "http://h/%7Bid%7D/:id/%25%250%25%25")
        #expect(throws: URLBuilderError.self) { try URLBuilder(base: "http://h", syntax: []).url("https://{id}/a") }
    }

    @Test(
        "A URL builder fills in a templated host, where the value decides no more than a part of it",
        arguments: [
            ("https://{tenant}.example.com/a", "https://acme.example.com/a"),
            ("https://api-{tenant}.example.com", "https://api-acme.example.com/"),
            ("https://example.com{/path}", "https://example.com/a%2Fb"),
            ("https://example.com{?path}", "https://example.com/?path=a%2Fb"),
            ("https://example.com{+rooted}", "https://example.com/x/y"),
            ("https://example.com:{port}/x", "https://example.com:8080/x"),
            ("https://{wide}.example.com", "https://xn--bcher-kva.example.com/"),
            ("https://example.com{#path}", "https://example.com/"),
            ("//{tenant}.example.com", "https://acme.example.com/"),
            ("https://{tenant}.example.com?x", "https://acme.example.com/?x"),
            ("https://{tenant}.example.com#x", "https://acme.example.com/"),
            ("https://{plain}.example.com", "https://a1-b.c_d.example.com/"),
            ("https://{tenant}.10", "https://acme.10/"),
            ("https://{tenant}{port}.example.com", "https://acme8080.example.com/"),
            ("https://{tenant}.bücher.example:{port}", "https://acme.xn--bcher-kva.example:8080/"),
        ]
    )
    func hosts(reference: String, expected: String) throws {
        let arguments = URLArguments(path: [
            "tenant": "acme", "path": "a/b", "rooted": "/x/y", "port": 8080, "wide": "bücher", "plain": "a1-b.c_d",
        ])
        #expect(try URLBuilder(base: "https://h/v2").url(reference, arguments.used(in: reference)) == expected)
    }

    @Test(
        "A URL builder refuses a host or scheme in a value, and names the variable",
        arguments: [
            ("{x}", "//evil.com"), ("{x}", "//"), ("{x}", "\\\\"), ("{+x}", "//evil.com"), ("{+x}", "https://evil.com"),
            ("{+x}/a", "HTTP://evil.com"),
            ("users/{x}", "//evil.com"), ("users/{x}", "//"), ("users/{x}", "\\\\"),
            ("users/:x", "https://evil.com"), ("%%0%%", "//evil.com"), ("{x}", "\\\\evil.com"), ("{+x}", "/\\evil.com"),
            ("{+x}", "\\/evil.com"),
            ("{/x}", "//evil.com"), ("{+x}", "%2F%2Fevil.com"), ("{+x}", "https:%2F%2Fevil.com"),
            ("{+x}", "https:\\\\evil.com"), ("{+x}", "ftp+x:/evil"),
            ("/{+x}", "/evil.com"), ("{x*}", "//evil.com"), ("https://{x}/a", "evil.com"),
            ("https://{x}.example.com/", "evil.com/"),
            ("https://{x}.example.com/", "a@evil.com:80#"), ("https://h:{x}/", "80@evil"),
            ("https://h{+x}", ".evil.com"), ("https://h{+x}", "@evil.com"),
            ("https://a.{x}/", "com"), ("https://a.b.{x}/", "evil"), ("https://{x}{y}/", "evil"),
            ("https://{x}./", "evil"),
            ("https://{x}.example.com/", "a`evil"), ("https://{x}.example.com/", "a@evil"), ("https://{x}.-/", "evil"),
            ("https://{x}:80.5/", "evil"), (" {x}", " //evil.com"),
        ]
    )
    func hostInValue(reference: String, value: String) throws {
        let builder = try URLBuilder(base: "https://h/v2")
        let name = reference.contains("%%") ? "0" : "x"
        let error = try #require(throws: URLBuilderError.self) {
            try builder.url(reference, URLArguments(path: [name: value]))
        }
        #expect(error.problem == .hostInValue(variable: name))
        #expect(error.reason.contains("\"\(name)\""))
        #expect(!error.reason.contains("evil"))
    }

    @Test(
        "A URL builder refuses a path that climbs out of the base",
        arguments: [
            "..", "../a", "/../a", "a/../../b", "%2e%2e/a", ".%2E/a", "a/..%2f..%2fb", "..\\a", "a/..%5C..%5Cb",
            "./../a", "a//../../b", "..;x/a", "..?q",
        ]
    )
    func climbing(reference: String) throws {
        let builder = try URLBuilder(base: "https://h/v2/")
        let error = try #require(throws: URLBuilderError.self) { try builder.url(reference) }
        #expect(error.problem == .climbsOut(reference: reference, variable: nil))
    }

    @Test(
        "A URL builder refuses dot segments that a value brings, and names the variable",
        arguments: [
            ("users/{x}", ".."), ("users/{x}/y", "."), ("{+x}", "a/../b"), ("{+x}", "a/%2e%2e/b"),
            ("users/:x", "../admin"), ("users/{x}", "..\\admin"),
            ("users/.{x}", "."), ("a{/x}", ".."), ("{+x}", "..;y/b"), ("https://o/{x}", ".."), ("https://o{/x}", ".."),
            ("a/{x}.", "."),
            ("a/b/c/{+x}", "../.."), ("a{/x*}", ".."),
            ("{+x}", "a%2F../b"), ("{+x}", "a%2f../b"), ("{+x}", "a%5C../b"), ("{+x}", "a%5c../b"),
            ("{+x}", "a/%2E%2E/b"), ("{+x}", "a/.%2e;v"),
        ]
    )
    func dotsInValue(reference: String, value: String) throws {
        let builder = try URLBuilder(base: "https://h/v2")
        let error = try #require(throws: URLBuilderError.self) {
            try builder.url(reference, URLArguments(path: ["y": "z", "x": value]))
        }
        guard case .climbsOut(_, "x") = error.problem else {
            Issue.record("\(error)")
            return
        }
    }

    @Test("A URL builder names the variable of two that makes the dot segment")
    func rightVariable() throws {
        let builder = try URLBuilder(base: "https://h/v2")
        let error = try #require(throws: URLBuilderError.self) {
            try builder.url("{a}/{b}/{c}", URLArguments(path: ["a": "x.y", "b": "..", "c": "z"]))
        }
        guard case .climbsOut(_, "b") = error.problem else {
            Issue.record("\(error)")
            return
        }
        #expect(
            try builder.url("{a}/{b}", URLArguments(path: ["a": "x..", "b": "..."])) == "https://h/v2/x../..."
        )
    }

    @Test(
        "A URL builder refuses a call without the value of a variable that stands alone, and names it",
        arguments: [
            ("users/{id}", "id"), ("users/:id", "id"), ("users/%%3%%", "3"), ("{+id}/x", "id"), ("{a,id}", "id"),
            ("{none}", "none"), ("https://o/{id}", "id"),
            ("https://{id}.example.com", "id"), ("a?x={id}", "id"),
        ]
    )
    func missing(reference: String, name: String) throws {
        let builder = try URLBuilder(base: "https://h/v2")
        let error = try #require(throws: URLBuilderError.self) {
            try builder.url(reference, URLArguments(path: ["a": 1, "none": nil], query: ["id": 1]))
        }
        #expect(error.problem == .missingVariable(name))
        #expect(error.reason.contains("\"\(name)\""))
    }

    @Test("A URL builder refuses an empty value for a whole path segment, which would address another resource")
    func empty() throws {
        let builder = try URLBuilder(base: "https://h/v2")
        for reference in [
            "users/{x}", "users/:x/a", "{x}", "a/{x}?q", "a/{x}{?q}", "a/{x}#f", "a/{x}{/y}", "a/{x}{#y}", "a/{x}{&q}",
        ] {
            let error = try #require(throws: URLBuilderError.self) {
                try builder.url(reference, URLArguments(path: ["x": ""]))
            }
            #expect(error.problem == .emptyVariable("x"))
        }
        #expect(try builder.url("a-{x}/b?c={x}", URLArguments(path: ["x": ""])) == "https://h/v2/a-/b?c=")
    }

    @Test("A URL builder refuses control characters in path variables and references")
    func controls() throws {
        let builder = try URLBuilder(base: "https://h/v2")
        for value in ["a\r\nb", "\u{0}", "a\u{7F}"] {
            let error = try #require(throws: URLBuilderError.self) {
                try builder.url("{x}", URLArguments(path: ["x": value]))
            }
            #expect(error.problem == .controlCharacter(variable: "x"))
        }
        #expect(throws: URLBuilderError.self) { try builder.url("a\r\nb") }
        #expect(throws: URLBuilderError.self) { try builder.url("a\u{0}b/{x}", URLArguments(path: ["x": 1])) }
    }

    @Test(
        "A URL builder gives internationalised hosts their A-labels",
        arguments: [
            ("https://bücher.example/a", "https://xn--bcher-kva.example/a"),
            ("https://BÜCHER.Example:81", "https://xn--bcher-kva.example:81/"),
            ("https://例え.テスト/é", "https://xn--r8jz45g.xn--zckzah/%C3%A9"), ("https://faß.de", "https://xn--fa-hia.de/"),
            ("https://日本語。jp", "https://xn--wgv71a119e.jp/"),
            ("https://xn--bcher-kva.example/", "https://xn--bcher-kva.example/"),
            ("https://b%C3%BCcher.example/", "https://xn--bcher-kva.example/"),
            ("https://bu\u{308}cher.example/", "https://xn--bcher-kva.example/"),
        ]
    )
    func internationalised(reference: String, expected: String) throws {
        #expect(try URLBuilder(base: nil).url(reference) == expected)
        #expect(try URLBuilder(base: reference).url("") == expected)
    }

    @Test(
        "A URL builder refuses hosts that IDNA does",
        arguments: [
            "https://a／b.com/", "https://ü..x/", "https://-ü.com", "https://1א.com/", "https://ü%2F.com/",
            "https://\u{301}a.com",
        ]
    )
    func badHosts(reference: String) throws {
        let error = try #require(throws: URLBuilderError.self) { try URLBuilder(base: nil).url(reference) }
        guard case .invalidHost = error.problem else {
            Issue.record("\(error)")
            return
        }
        #expect(throws: URLBuilderError.self) { try URLBuilder(base: reference) }
    }

    @Test(
        "A URL builder refuses a base that is not an absolute http or https URL",
        arguments: [
            "", "api.example.com", "/v2", "//h/v2", "ftp://h/", "https://", "https:///v2", "https://h:port/",
            "https://u:hunter2@h/", "https://{t}.h/",
            "https://h/{x}", "https://h/\r\nx", "https://ho st/", "https://h\\x/",
        ]
    )
    func badBases(base: String) throws {
        let error = try #require(throws: URLBuilderError.self) { try URLBuilder(base: base) }
        guard case .invalidBase(_, let reason) = error.problem else {
            Issue.record("\(error)")
            return
        }
        #expect(!reason.isEmpty)
        #expect(!error.description.contains("hunter2"))
    }

    @Test("A URL builder without a base refuses relative references")
    func noBase() throws {
        let builder = try URLBuilder(base: nil)
        for reference in ["a", "/a", "", "{x}", "//h/a"] {
            let error = try #require(throws: URLBuilderError.self) {
                try builder.url(reference, URLArguments(path: ["x": 1]))
            }
            guard case .noBase = error.problem else {
                Issue.record("\(error)")
                return
            }
        }
    }

    @Test("A URL builder says where a template in a reference is malformed")
    func malformed() throws {
        let error = try #require(throws: URLBuilderError.self) { try URLBuilder(base: "http://h").url("a/{id") }
        #expect(error.problem == .malformedTemplate("a/{id", position: 2, reason: "the { is not closed"))
    }
}

extension URLArguments {
    /// Returns the arguments without the values that no variable of a reference uses.
    func used(in reference: String, _ syntax: VariableNotations = .all) -> URLArguments {
        let names = (try? syntax.variableNames(in: reference)) ?? []
        var arguments = self
        arguments.path.elements.removeAll { !names.contains($0.name) }
        return arguments
    }
}
