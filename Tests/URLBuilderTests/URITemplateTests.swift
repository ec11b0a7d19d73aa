import Foundation
import HTTPChainCore
import HTTPChainURLBuilder
import Testing

private let variables: URLParameters = [
    "var": "value", "hello": "Hello World!", "half": "50%", "empty": "", "undef": nil,
    "base": "http://example.com/home/",
    "path": "/foo/bar", "v": "6", "x": 1024, "y": 768, "who": "fred", "dub": "me/too", "dom": ["example", "com"],
    "list": ["red", "green", "blue"], "keys": ["semi": ";", "dot": ".", "comma": ","] as URLValue,
    "empty_list": [] as URLValue, "empty_keys": [:] as URLValue, "nulls": [nil, nil] as URLValue,
    "null_keys": ["a": nil] as URLValue, "holes": ["a", nil, "b"] as URLValue,
    "key_holes": ["a": 1, "b": nil, "c": 2] as URLValue, "blank": ["", "a", ""],
    "blank_keys": ["a": "", "b": "1"] as URLValue,
    "unicode": "åé日本", "combined": "e\u{301}a", "emoji": "👩‍👩‍👧x", "pct": "a%2Fb%zz%4", "sub": "!$&'()*+,;=",
    "gen": ":/?#[]@",
    "odd_keys": ["a b": "c&d", "e=f": "g"] as URLValue, "Some%20Thing": "foo", "last.name": "Doe", "42": "answer",
    "triplets": "%aF%ag%aG%ga%Ga%%aa%A0%09", "truth": true, "pi": 3.25, "opaque": URLValue.opaque("a\n/"), "one": ["a"],
    "uri": "http://e.org/?u=%2F", "letters": "%61%62%63%64%65%66", "umlauts": "%C3%A4%E2%82%ACx%F0%9F%91%A9öy",
    "octets": "%C3%C3%A4%80%%4",
]

@Suite("A URI template")
struct URITemplateTests {
    @Test(
        "A URI template expands variables as RFC 6570 §3.2 has it",
        arguments: [
            // §3.2.1 to §3.2.3
            ("'{dom}'", "'example,com'"), ("{x,y}", "1024,768"), ("{half}", "50%25"), ("O{empty}X", "OX"),
            ("O{undef}X", "OX"), ("?{x,empty}", "?1024,"), ("?{x,undef}", "?1024"), ("?{undef,y}", "?768"),
            ("{+half}", "50%25"), ("{base}index", "http%3A%2F%2Fexample.com%2Fhome%2Findex"),
            ("{+base}index", "http://example.com/home/index"), ("O{+empty}X", "OX"),
            ("{+x,undef,hello}", "1024,Hello%20World!"),
            ("up{+path}{var}/here", "up/foo/barvalue/here"), ("{#undef}", ""), ("foo{#empty}", "foo#"),
            ("foo{#undef}", "foo"),
            // §3.2.5 to §3.2.9
            ("{.who,who}", ".fred.fred"), ("{.half,who}", ".50%25.fred"), ("www{.dom*}", "www.example.com"),
            ("X{.empty}", "X."),
            ("X{.undef}", "X"), ("X{.empty_keys}", "X"), ("X{.empty_keys*}", "X"), ("{/half,who}", "/50%25/fred"),
            ("{/who,dub}", "/fred/me%2Ftoo"), ("{/var,empty}", "/value/"), ("{/var,undef}", "/value"),
            ("{;x,y,undef,empty}", ";x=1024;y=768;empty"), ("{;v,empty,who}", ";v=6;empty;who=fred"),
            ("{;v,bar,who}", ";v=6;who=fred"),
            ("{?x,y,undef}", "?x=1024&y=768"), ("{?var:3}", "?var=val"), ("{&x,y,empty}", "&x=1024&y=768&empty="),
            ("{&undef}", ""),
            // §2.3: what is undefined
            ("{?empty_list}{?empty_list*}{?empty_keys}{?empty_keys*}", ""),
            ("{/empty_list}{;empty_keys*}{#empty_list}", ""),
            ("{nulls}{?nulls*}{/null_keys*}{nothing}{?nothing,undef}", ""), ("{holes}{?holes*}", "a,b?holes=a&holes=b"),
            ("{key_holes}{?key_holes*}", "a,1,c,2?a=1&c=2"),
            // Empty members
            ("{blank}{?blank*}{;blank*}{/blank*}", ",a,?blank=&blank=a&blank=;blank;blank=a;blank//a/"),
            ("{blank_keys*}{?blank_keys*}{;blank_keys*}{blank_keys}", "a=,b=1?a=&b=1;a;b=1a,,b,1"),
            // §2.4.1: characters, not octets and not what a reader would call one
            ("{unicode:1}{unicode:3}", "%C3%A5%C3%A5%C3%A9%E6%97%A5"), ("{combined:1}{combined:2}", "ee%CC%81"),
            ("{emoji:1}", "%F0%9F%91%A9"), ("{var:9999}", "value"), ("{empty:3}{undef:3}{?empty:3}", "?empty="),
            ("{x:2}", "10"),
            ("{+pct:1}{pct:3}", "aa%252"),
            // §2.4.1: nothing within a triplet, or between the triplets of a character
            ("{+letters:5}", "%61%62%63%64%65"), ("{+letters:1}", "%61"), ("{+letters:6}", "%61%62%63%64%65%66"),
            ("{+letters:9}", "%61%62%63%64%65%66"), ("{#letters:2}", "#%61%62"), ("{letters:5}", "%2561%256"),
            ("{+umlauts:1}", "%C3%A4"), ("{+umlauts:2}", "%C3%A4%E2%82%AC"), ("{+umlauts:3}", "%C3%A4%E2%82%ACx"),
            ("{+umlauts:4}", "%C3%A4%E2%82%ACx%F0%9F%91%A9"), ("{+umlauts:5}", "%C3%A4%E2%82%ACx%F0%9F%91%A9%C3%B6"),
            ("{+octets:1}", "%C3"), ("{+octets:2}", "%C3%C3%A4"), ("{+octets:3}", "%C3%C3%A4%80"),
            ("{+octets:5}", "%C3%C3%A4%80%25%25"), ("{+octets:6}", "%C3%C3%A4%80%25%254"),
            ("{+pct:2}{+pct:3}{+pct:4}", "a%2Fa%2Fba%2Fb%25"),
            ("{+half:2}{+half:3}", "5050%25"), ("{+opaque:3}", "a%0A%2F"),
            // §3.2.1: allowed characters and triplets
            ("{sub}", "%21%24%26%27%28%29%2A%2B%2C%3B%3D"), ("{gen}", "%3A%2F%3F%23%5B%5D%40"),
            ("{+sub}{+gen}", "!$&'()*+,;=:/?#[]@"),
            ("{+triplets}", "%aF%25ag%25aG%25ga%25Ga%25%aa%A0%09"),
            ("%aF%ag%aG%ga%GA%@0%0@", "%aF%25ag%25aG%25ga%25GA%25@0%250@"),
            ("{pct}", "a%252Fb%25zz%254"), ("{+pct}", "a%2Fb%25zz%254"), ("{#pct}", "#a%2Fb%25zz%254"),
            ("{?uri}", "?uri=http%3A%2F%2Fe.org%2F%3Fu%3D%252F"),
            ("{?odd_keys*}", "?a%20b=c%26d&e%3Df=g"), ("{odd_keys}", "a%20b,c%26d,e%3Df,g"),
            // §2.3: names
            ("{Some%20Thing}{?Some%20Thing}", "foo?Some%20Thing=foo"), ("{last.name}{?last.name}", "Doe?last.name=Doe"),
            ("{?42}", "?42=answer"),
            ("{truth}{pi}{?one*}", "true3.25?one=a"), ("{?x,x}", "?x=1024&x=1024"),
            // §3.1: literals
            ("a b\"<>\\^`|é", "a%20b%22%3C%3E%5C%5E%60%7C%C3%A9"), ("%20%zz%", "%20%25zz%25"),
            ("!#$&'()*+,-./:;=?@[]_~", "!#$&'()*+,-./:;=?@[]_~"),
            ("/{empty}", "/"), ("{a%20}{a%20.b}{%20}x", "x"), ("{empty}/", "/"),
            ("{opaque}{?opaque}", "a%0A%2F?opaque=a%0A%2F"),
            ("", ""), (":id/%%0%%", ":id/%25%250%25%25"), ("日本{var}", "%E6%97%A5%E6%9C%ACvalue"),
        ]
    )
    func expansion(template: String, expected: String) throws {
        #expect(try URITemplate(template).expand(variables) == expected)
    }

    @Test(
        "A URI template that breaks the grammar is refused with the position",
        arguments: [
            ("{", 0), ("ab{", 2), ("ab{id", 2), ("}", 0), ("a}b", 1), ("{}", 0), ("a{}", 1), ("{?}", 2), ("{{id}}", 1),
            ("{id}}", 4),
            ("{=x}", 1), ("{,x}", 1), ("{!x}", 1), ("{@x}", 1), ("{|x}", 1), ("{x,}", 3), ("{x,,y}", 3), ("{x y}", 2),
            ("{ x}", 1), ("{x }", 2),
            ("{x:}", 3), ("{x:0}", 3), ("{x:01}", 3), ("{x:10000}", 3), ("{x:a}", 3), ("{x:99999999999999999999}", 3),
            ("{x:-1}", 3), ("{x:3*}", 4),
            ("{x*:3}", 3), ("{x**}", 3),
            ("{x.}", 2), ("{.x.}", 3), ("{x..y}", 2), ("{%2}", 1), ("{%zz}", 1), ("{x%2}", 2), ("{é}", 1),
            ("é{x-y}", 3), ("{x\n}", 2),
            ("{?x?}", 3), ("{\u{0}x}", 1), ("{?.x}", 2), ("{a%20-}", 5), ("{..x}", 2), ("{++x}", 2), ("{x+}", 2),
            ("a\u{0}", 1),
            ("a\r\n", 1), ("{x:٣}", 3),
        ]
    )
    func malformed(template: String, position: Int) throws {
        let error = try #require(throws: URLBuilderError.self) { try URITemplate(template) }
        guard case .malformedTemplate(let text, let found, let reason) = error.problem else {
            Issue.record("\(error)")
            return
        }
        #expect(text == template)
        #expect(found == position, "\(reason)")
        #expect(error.reason.contains("position \(position)"))
    }

    @Test(
        "A URI template shows the character that has no place in it where it can be read",
        arguments: [
            ("{x y}", "\" \" is not allowed in an expression"), ("{x~}", "\"~\" is not allowed in an expression"),
            ("{x\u{1F}}", "this character is not allowed in an expression"),
            ("{x\u{7F}}", "this character is not allowed in an expression"),
            ("{xé}", "this character is not allowed in an expression"), ("{=x}", "the operator \"=\" is reserved"),
            ("{,x}", "the operator \",\" is reserved"), ("{!x}", "the operator \"!\" is reserved"),
            ("{@x}", "the operator \"@\" is reserved"), ("{|x}", "the operator \"|\" is reserved"),
        ]
    )
    func shownCharacters(template: String, reason: String) throws {
        let error = try #require(throws: URLBuilderError.self) { try URITemplate(template) }
        #expect(error.reason.contains(reason), "\(error.reason)")
    }

    @Test(
        "A URI template cannot write some values, and says of which variable",
        arguments: [
            ("{list:3}", "list"), ("{+keys:3}", "keys"), ("{x}{?empty_list:1}", "empty_list"), ("{nested}", "nested"),
            ("{?deep*}", "deep"),
            ("{inf}", "inf"), ("{nan}", "nan"), ("{date}", "date"),
        ]
    )
    func unusable(template: String, name: String) throws {
        var values = variables
        values["nested"] = [["a"]]
        values["deep"] = ["a": ["b": 1]]
        values["inf"] = .double(.infinity)
        values["nan"] = .double(.nan)
        values["date"] = .date(.distantFuture.addingTimeInterval(1e18))
        let template = try URITemplate(template)
        let error = try #require(throws: URLBuilderError.self) { try template.expand(values) }
        #expect(error.reason.contains("\"\(name)\""))
    }

    @Test("A URI template knows its variables and its text, and is parsed once for many expansions")
    func reuse() throws {
        let template = try URITemplate("/a{/id*}{?q,id,page:3}")
        #expect(template.variableNames == ["id", "q", "page"])
        #expect(template.description == "/a{/id*}{?q,id,page:3}")
        #expect(try template.expand(["id": 1]) == "/a/1?id=1")
        #expect(try template.expand(["id": [1, 2]]) == "/a/1/2?id=1,2")
        #expect(try template.expand([:]) == "/a")
    }

    @Test("A URI template writes Booleans and dates as the encoder defines")
    func formats() throws {
        let template = try URITemplate("{a},{b}")
        let date = Date(timeIntervalSince1970: 1_700_000_000.25)
        let values: URLParameters = ["a": true, "b": date]
        func expand(_ encoder: ParameterEncoder) throws -> String { try template.expand(values, encoder: encoder) }
        #expect(try expand(ParameterEncoder()) == "true,2023-11-14T22%3A13%3A20Z")
        #expect(
            try expand(ParameterEncoder(booleans: .digits, dates: .iso8601WithMilliseconds))
                == "1,2023-11-14T22%3A13%3A20.250Z"
        )
        #expect(try expand(ParameterEncoder(dates: .secondsSince1970)) == "true,1700000000.25")
        #expect(try expand(ParameterEncoder(dates: .millisecondsSince1970)) == "true,1700000000250")
        #expect(try expand(ParameterEncoder(dates: .custom(write: { _ in "now" }, read: { _ in nil }))) == "true,now")
    }
}
