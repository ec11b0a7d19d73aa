import Foundation
import HTTPChainCore
import HTTPChainTesting
import HTTPChainURLBuilder
import HTTPTypes
import TestSupport
import Testing

@Suite("Templates backwards")
struct MatchingTests {
    @Test(
        "The values that make a URL of the template are found",
        arguments: [
            ("/users/{id}", "/users/42", "id=42"), ("/users/{id}", "/users/a%2Fb%20%C3%A9", "id=a/b é"),
            ("/users/{id}/x", "/users/42/x", "id=42"), ("{id}.json", "a.b.json", "id=a.b"),
            ("/{a}-{b}", "/1-2-3", "a=1-2,b=3"), ("/a{?page,q}", "/a?q=x%26y&page=2", "page=2,q=x&y"),
            ("/a{?page}", "/a", ""), ("/a{?page}", "/a?page=", "page="), ("/a?x=1{&y}", "/a?x=1&y=2", "y=2"),
            ("/f{/path*}", "/f/a/b", "path=[a,b]"), ("/f{/path*}", "/f", ""), ("/f{/one}/z", "/f/a/z", "one=a"),
            ("{+url}/end", "https://h/a/end", "url=https://h/a"), ("/x{;v,w}", "/x;w=2;v", "v=,w=2"),
            ("/x{.ext}", "/x.png", "ext=png"), ("/t/{tags}", "/t/a,b", "tags=[a,b]"),
            ("/s{?tag*}", "/s?tag=a&tag=b", "tag=[a,b]"), ("/p{#part}", "/p#a/b", "part=a/b"), ("/plain", "/plain", ""),
            ("/x{.ext}", "/x.", "ext="), ("/x{.ext}", "/x.tar.gz", "ext=tar.gz"), ("{.a,b}", ".x.y.z", "a=x.y,b=z"),
            ("/{a,b}", "/1,2", "a=1,b=2"), ("/{a,b,c}", "/1,2", "a=1,b=2"), ("/{a,b}", "/,2", "a=,b=2"),
            ("/{a*,b}", "/1,2,3", "a=[1,2],b=3"), ("/{a,b*}", "/1,2,3", "a=1,b=[2,3]"),
            ("/{a,b*,c}", "/1,2,3,4", "a=1,b=[2,3],c=4"), ("/{a,b*,c}", "/1", "a=1"),
            ("/{a*,b,c}", "/1,2", "a=[1],b=2"), ("/f{/path*}", "/f/a", "path=[a]"),
            ("/t/{tags}", "/t/1,,2", "tags=[1,,2]"),
            ("/{m*}", "/x=1,y=%2C", "m=[x:1,y:,]"), ("{/m*,n}", "/x=1/y=2/z", "m=[x:1,y:2],n=z"),
            ("{+url}", "x,y", "url=x,y"), ("{+url}", "a%2Fb%20", "url=a%2Fb%20"), ("{+url}", "a%20b", "url=a b"),
            ("{+url}", "%2541", "url=%2541"), ("{+url}", "a%zz", "url=a%zz"), ("{+a*}", "x=1,y", "a=[x=1,y]"),
            ("/s{?q}", "/s?q=a=b/c", "q=a=b/c"), ("/s{?tag*}", "/s?tag=a", "tag=a"), ("{a}", "x-._~%", "a=x-._~%"),
        ]
    )
    func matches(template: String, url: String, expected: String) throws {
        let values = try #require(try URITemplate(template).match(url))
        let text = values.elements.map { "\($0.name)=\(Self.text($0.value))" }.joined(separator: ",")
        #expect(text == expected)
    }

    private static func text(_ value: URLValue) -> String {
        switch value {
        case .string(let text): text
        case .array(let members): "[" + members.map(Self.text).joined(separator: ",") + "]"
        case .dictionary(let pairs):
            "[" + pairs.elements.map { "\($0.name):\(Self.text($0.value))" }.joined(separator: ",") + "]"
        default: "?"
        }
    }

    @Test(
        "Other URLs have no variables",
        arguments: [
            ("/users/{id}", "/users/"), ("/users/{id}", "/users/1/2"), ("/users/{id}", "/Users/1"),
            ("/users/{id}", "/users/1?x=2"), ("/a{?page}", "/a?other=1"), ("/a{?page}", "/a?page=1&page=2"),
            ("/a", "/ab"), ("/a/{id}", "/a/%FF"), ("/caf%C3%A9", "/cafe%CC%81"), ("/users/{id}", "users/1"),
            ("/a{?page}", "/axpage=1"), ("/a{?page}", "/a?page=1#x"), ("{/a}", "/x/y"), ("{a,b}", "1,2,3"),
            ("{a,b}", "x?y,z"), ("{a}", "x=y"), ("{a}", "x y"), ("/{m*}", "/x=1,y"), ("/{m*}", "/x=%FF"),
            ("{.a,b}", ".x,%FF"),
            ("{;a}", ";a=1;a=2"), ("{a}", ""), ("{a*}", ""),
        ]
    )
    func matchesNot(template: String, url: String) throws {
        #expect(try URITemplate(template).match(url) == nil)
    }

    @Test("What random values expand to is matched by values that expand to the same", .seeded)
    func thereAndBack() throws {
        var random = Numbers(Seed.numbers(9))
        let pieces = ["a", "é", " ", "/", ",", "&", "=", "%", "?", "#", ".", "-", "1"]
        func text() -> String {
            "v"
                + (0..<Int.random(in: 0...4, using: &random)).map { _ in pieces.randomElement(using: &random) ?? "" }
                .joined()
        }
        for template in ["/u/{a}/{b}", "/u/{a}{?b,c*}", "/u{/a*}/end{;b}", "/u/{+a}/x{#b}", "{a}.{b}", "/{a,b}{&c}"] {
            let template = try URITemplate(template)
            for _ in 0..<300 {
                let values: URLParameters = ["a": text(), "b": text(), "c": [text(), text()]]
                let url = try template.expand(values)
                let found = try #require(template.match(url), "\(template): \(url)")
                #expect(try template.expand(found) == url, "\(template): \(url)")
            }
        }
    }

    @Test("Whatever URL matches is made again by the values that are found", .seeded)
    func again() throws {
        var random = Numbers(Seed.numbers(10))
        let pieces = [
            "/", "/", "u", "a", "1", ",", "=", "&", "?", "#", ";", ".", "-", "%2F", "%20", "%C3%A9", "%zz", "%FF", "a=",
            "b=", "end", "x",
        ]
        func parameters(_ url: String) -> [String] {
            url.replacing("%zz", with: "%25zz").split(whereSeparator: "?&;".contains)
                .map { $0.removingPercentEncoding ?? String($0) }.map { $0.hasSuffix("=") ? String($0.dropLast()) : $0 }
                .sorted()
        }
        var matched = 0
        for template in [
            "/u/{a}/{b}", "/u/{a}{?b,c*}", "/u{/a*}/end{;b}", "/u/{+a}/x{#b}", "{a}.{b}", "/{a,b}{&c}", "/u{.a,b}",
            "/u{/a,b}", "{a*}", "{a*,b}", "{+a}", "{#a,b}", "{;a,b}", "{?a}", "{.a*}", "{.a,b}", "{/a*,b}", "{+a*}",
        ] {
            let template = try URITemplate(template)
            let literal = String(template.description.prefix { $0 != "{" })
            for _ in 0..<2000 {
                let rest = (0..<Int.random(in: 0...6, using: &random)).map { _ in
                    pieces.randomElement(using: &random) ?? ""
                }
                let url = literal + rest.joined()
                guard let found = template.match(url) else { continue }
                matched += 1
                let made = try template.expand(found)
                #expect(parameters(made) == parameters(url), "\(template): \(url) became \(made) of \(found)")
            }
        }
        #expect(matched > 5000)
    }

    @Test("A URL of more than 8 KiB has none")
    func long() throws {
        let template = try URITemplate("/{a}")
        #expect(template.match("/" + String(repeating: "x", count: 8191)) != nil)
        #expect(template.match("/" + String(repeating: "x", count: 8192)) == nil)
    }

    @Test("A URL that fits in too many ways to try them all takes no longer", .timeLimit(.minutes(10)))
    func ambiguous() throws {
        let template = try URITemplate(String(repeating: "{a}{b}", count: 20) + "!")
        #expect(template.match(String(repeating: "x", count: 5000)) == nil)
    }

    private struct Regional: URLBuilding {
        func url(for call: URLBuildingCall) async throws -> String {
            try call.standardURL(base: "https://eu.example.com/v3")
        }
    }

    @Test("A call may bring a builder of its own")
    func ownBuilder() async throws {
        let stage = URLBuilderMiddleware(base: "https://api.example.com/v2")
        let own = await StageHarness(stage).send(.get("a/{id}", path: ["id": 7]).url(builtBy: Regional()))
        #expect(own.requests.first?.url == "https://eu.example.com/v3/a/7")
        let usual = await StageHarness(stage).send(.get("a/{id}", path: ["id": 7]))
        #expect(usual.requests.first?.url == "https://api.example.com/v2/a/7")
    }

    @Test(
        "An IPv6 address with a zone is refused, in a base and in a reference",
        arguments: ["http://[fe80::1%25eth0]/a", "http://[fe80::1%eth0]:8080/a", "http://user@[fe80::1%25en0]"]
    )
    func zones(url: String) {
        let base = #expect(throws: URLBuilderError.self) { try URLBuilder(base: url) }
        let reference = #expect(throws: URLBuilderError.self) { try URLBuilder(base: "https://h").url(url) }
        for error in [base, reference] {
            #expect(error?.reason.contains("zone") == true, "\(String(describing: error))")
        }
    }
}
