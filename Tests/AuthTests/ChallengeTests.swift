#if AllTests
import HTTPChainAuth
import HTTPChainCore
import HTTPTypes
import Testing

private func digest(_ parameters: KeyValuePairs<String, String>) -> Challenge {
    Challenge("Digest", parameters: parameters)
}

@Suite("Reading challenges")
struct ChallengeTests {
    struct Row: Sendable, CustomTestStringConvertible {
        let rule: String
        let values: [String]
        let expected: [Challenge]

        init(_ rule: String, _ values: String..., is expected: Challenge...) {
            self.rule = rule
            self.values = values
            self.expected = expected
        }

        var testDescription: String { rule }
    }

    static let wellFormed: [Row] = [
        Row("no field"),
        Row("a scheme alone", "Negotiate", is: Challenge("Negotiate")),
        Row("a token", "Bearer realm=a", is: Challenge("Bearer", parameters: ["realm": "a"])),
        Row("a quoted string", #"Basic realm="a b, c=d""#, is: Challenge("Basic", parameters: ["realm": "a b, c=d"])),
        Row("an empty quoted string", #"Basic realm="""#, is: Challenge("Basic", parameters: ["realm": ""])),
        Row(
            "quoted pairs",
            #"Basic realm="say \"hi\" \\ \a""#,
            is: Challenge("Basic", parameters: ["realm": #"say "hi" \ a"#])
        ),
        Row(
            "several parameters",
            #"Digest realm="r", nonce="n", stale=true"#,
            is: digest(["realm": "r", "nonce": "n", "stale": "true"])
        ),
        Row(
            "several challenges in one field, the example of RFC 9110 §11.6.1",
            #"Basic realm="simple", Newauth realm="apps", type=1, title="Login to \"apps\"""#,
            is: Challenge("Basic", parameters: ["realm": "simple"]),
            Challenge("Newauth", parameters: ["realm": "apps", "type": "1", "title": #"Login to "apps""#])
        ),
        Row(
            "several fields",
            "Basic realm=a",
            "Digest nonce=b",
            is: Challenge("Basic", parameters: ["realm": "a"]),
            digest(["nonce": "b"])
        ),
        Row("schemes alone", "Negotiate, NTLM", is: Challenge("Negotiate"), Challenge("NTLM")),
        Row(
            "a scheme alone before one with parameters",
            #"Negotiate, Basic realm="a""#,
            is: Challenge("Negotiate"),
            Challenge("Basic", parameters: ["realm": "a"])
        ),
        Row("token68", "Negotiate YII+/-._~==", is: Challenge("Negotiate", token68: "YII+/-._~==")),
        Row("token68 that looks like a parameter", "Negotiate realm==", is: Challenge("Negotiate", token68: "realm==")),
        Row("token68 with one pad", "Negotiate abc=", is: Challenge("Negotiate", token68: "abc=")),
        Row(
            "token68 before another challenge",
            "Negotiate abc==, NTLM def",
            is: Challenge("Negotiate", token68: "abc=="),
            Challenge("NTLM", token68: "def")
        ),
        Row(
            "RFC 7616 §3.9.1: two digests",
            #"Digest realm="http-auth@example.org", qop="auth, auth-int", algorithm=SHA-256, nonce="7ypf/xlj", "#
                + #"opaque="FQhe/qaU", Digest realm="http-auth@example.org", algorithm=MD5, nonce="7ypf/xlj""#,
            is: digest([
                "realm": "http-auth@example.org", "qop": "auth, auth-int", "algorithm": "SHA-256",
                "nonce": "7ypf/xlj", "opaque": "FQhe/qaU",
            ]),
            digest(["realm": "http-auth@example.org", "algorithm": "MD5", "nonce": "7ypf/xlj"])
        ),
        Row("text beyond ASCII", #"Basic realm="Gärten""#, is: Challenge("Basic", parameters: ["realm": "Gärten"])),
    ]

    static let tolerated: [Row] = [
        Row(
            "empty elements",
            ", ,Basic realm=a,, ,x=1,",
            is: Challenge("Basic", parameters: ["realm": "a", "x": "1"])
        ),
        Row("whitespace around =", "Basic realm \t=  \"a\"", is: Challenge("Basic", parameters: ["realm": "a"])),
        Row("tabs and spaces", "\t Basic\t realm=a \t", is: Challenge("Basic", parameters: ["realm": "a"])),
        Row("no comma between parameters", #"Digest realm="r" nonce="n""#, is: digest(["realm": "r", "nonce": "n"])),
        Row(
            "no comma between challenges",
            #"Basic realm="a" Digest nonce="n""#,
            is: Challenge("Basic", parameters: ["realm": "a"]),
            digest(["nonce": "n"])
        ),
        Row(
            "no comma after a scheme alone",
            "Negotiate Basic realm=a",
            is: Challenge("Negotiate"),
            Challenge("Basic", parameters: ["realm": "a"])
        ),
        Row("no end of a string", #"Basic realm="a, b"#, is: Challenge("Basic", parameters: ["realm": "a, b"])),
        Row("a backslash at the end", #"Basic realm="a\"#, is: Challenge("Basic", parameters: ["realm": #"a\"#])),
        Row("an escaped quote at the end", #"Basic realm="a\""#, is: Challenge("Basic", parameters: ["realm": #"a""#])),
        Row("no value at the end", "Basic realm=", is: Challenge("Basic", parameters: ["realm": ""])),
        Row("no value and no =", "Basic realm", is: Challenge("Basic", parameters: ["realm": ""])),
        Row("no value before another", #"Digest realm=, nonce="n""#, is: digest(["realm": "", "nonce": "n"])),
        Row("no value, first, unknown", #"Digest stale=, nonce="n""#, is: digest(["stale": "", "nonce": "n"])),
        Row("no value later", #"Digest nonce="n", stale="#, is: digest(["nonce": "n", "stale": ""])),
        Row(
            "padding without quotes",
            "Digest x=1, nonce=YQ==, y=2",
            is: digest(["x": "1", "nonce": "YQ==", "y": "2"])
        ),
        Row("a slash without quotes", "Digest x=1, uri=/a/b", is: digest(["x": "1", "uri": "/a/b"])),
        Row("a parameter without a scheme", "realm=a, Basic x=1", is: Challenge("Basic", parameters: ["x": "1"])),
        Row("nonsense", #"@@@, "a, b", Basic realm=a"#, is: Challenge("Basic", parameters: ["realm": "a"])),
        Row(
            "nonsense without a comma after it",
            "@@@ Basic realm=a",
            is: Challenge("Basic", parameters: ["realm": "a"])
        ),
        Row(
            "nonsense without a space after it",
            "@@@,Basic realm=a",
            is: Challenge("Basic", parameters: ["realm": "a"])
        ),
        Row(
            "a challenge in quotes",
            #"", Digest x=1, ", Basic realm=a"#,
            is: Challenge("Basic", parameters: ["realm": "a"])
        ),
        Row(
            "a parameter right after a string",
            #"Basic realm="a"x=1"#,
            is: Challenge("Basic", parameters: ["realm": "a", "x": "1"])
        ),
        Row("text after a string", #"Basic realm="a"b, x=1"#, is: Challenge("Basic", parameters: ["realm": "a"])),
        Row("a value without a name", "Basic realm=a, =b", is: Challenge("Basic", parameters: ["realm": "a"])),
        Row("a name with what no name holds", "Ba@sic x=1, Digest y=2", is: digest(["y": "2"])),
        Row("a space before a comma", "Negotiate , NTLM", is: Challenge("Negotiate"), Challenge("NTLM")),
        Row(
            "a pad before another challenge",
            "Negotiate abc=, Basic realm=a",
            is: Challenge("Negotiate", token68: "abc="),
            Challenge("Basic", parameters: ["realm": "a"])
        ),
        Row("a pad before a value without a name", "Negotiate abc=, =x", is: Challenge("Negotiate", token68: "abc=")),
        Row("a quote in a value", #"Digest x=a"b c", y=2"#, is: digest(["x": "a", "y": "2"])),
        Row(
            "a token68 before a parameter",
            "Negotiate a/b, x=1",
            is: Challenge("Negotiate", token68: "a/b", parameters: ["x": "1"])
        ),
        Row("nothing", ""),
        Row("commas", ",,,"),
        Row("an equals sign", "="),
    ]

    @Test("A well-formed list reads as RFC 9110 §11.6.1 has it", arguments: wellFormed)
    func reads(row: Row) {
        #expect(Challenge.parse(row.values) == row.expected)
        // FoundationNetworking on Linux joins fields.
        #expect(Challenge.parse([row.values.joined(separator: ", ")]) == row.expected)
    }

    @Test("What is malformed yields what sense it makes", arguments: tolerated)
    func tolerates(row: Row) {
        let parsed = Challenge.parse(row.values)
        if row.rule == "text after a string" {
            // Whether `b` begins something is anybody's guess; the realm is not.
            #expect(parsed.first?.realm == "a")
        } else {
            #expect(parsed == row.expected)
        }
    }

    @Test("Names are compared without letter case, the first of a kind wins, and all are there")
    func parameters() {
        let challenge = Challenge.parse(["dIGEST Realm=a, REALM=b, realm=c"])[0]
        #expect(challenge.is("Digest") && !challenge.is("Digestx") && !challenge.is("Basic"))
        #expect(challenge.scheme == "dIGEST")
        #expect(challenge.realm == "a" && challenge["rEALM"] == "a" && challenge["nonce"] == nil)
        #expect(challenge.values(of: "realm") == ["a", "b", "c"])
        #expect(challenge.parameters.map(\.name) == ["Realm", "REALM", "realm"])
    }

    @Test("Letters that only look alike are not the same: the Kelvin sign is no k")
    func lookalikes() {
        #expect(!Challenge("toKen").is("to\u{212A}en"))
        #expect(Challenge("toKen").is("TOkEN"))
    }

    @Test("Huge input is bounded: in bytes, in challenges, in parameters")
    func bounds() {
        #expect(Challenge.parse([Array(repeating: "Basic realm=a", count: 1000).joined(separator: ", ")]).count == 32)
        #expect(Challenge.parse(Array(repeating: "Basic realm=a", count: 1000)).count == 32)
        let twenty = Array(repeating: "Basic realm=a", count: 20).joined(separator: ", ")
        #expect(Challenge.parse([twenty, twenty]).count == 32)
        let many = (0..<1000).map { "p\($0)=v" }.joined(separator: ", ")
        let challenges = Challenge.parse(["Digest \(many), Basic realm=a"])
        #expect(challenges.map(\.scheme) == ["Digest", "Basic"])
        #expect(challenges[0].parameters.count == 64)
        let long = String(repeating: "x", count: 70_000)
        #expect(Challenge.parse(["Basic realm=a, Digest nonce=\(long)"]).map(\.scheme) == ["Basic"])
        #expect(Challenge.parse(["Digest nonce=\(long)", "Basic realm=a"]).isEmpty)
    }

    @Test("A field of 64 KiB is read whole and nothing after it; of a longer one the challenge that is cut is left out")
    func exactBound() {
        let exact = "Basic realm=" + String(repeating: "x", count: 65_536 - 12)
        #expect(Challenge.parse([exact]).map(\.scheme) == ["Basic"])
        #expect(Challenge.parse([exact])[0].realm?.count == 65_524)
        #expect(Challenge.parse([exact, "Digest nonce=n"]).map(\.scheme) == ["Basic"])
        #expect(Challenge.parse([exact + "x"]).isEmpty)
        #expect(Challenge.parse([String(exact.dropLast()), "X"]).map(\.scheme) == ["Basic", "X"])
    }

    @Test("A challenge is written as it is read")
    func writes() {
        for row in Self.wellFormed {
            let written = row.expected.map(\.description).joined(separator: ", ")
            #expect(Challenge.parse([written]) == row.expected, "\(written)")
        }
    }

    @Test("A quoted string cannot be broken out of")
    func quoting() {
        #expect(Challenge.quoted(#"a"b\c"#) == #""a\"b\\c""#)
        #expect(Challenge.quoted("!~\u{1F}") == "\"!~ \"")
        #expect(Challenge.quoted("a\r\nb\0c\u{7F}\td") == "\"a  b c \td\"")
        #expect(Challenge.isToken("SHA-256") && !Challenge.isToken("a b") && !Challenge.isToken(""))
        // A combining character after a quote must not hide it.
        #expect(Challenge.quoted("a\"\u{301}b") == "\"a\\\"\u{301}b\"")
    }

    @Test("Any cut of any text is read without a trap")
    func cuts() {
        let text = #"Digest realm="a\"b", nonce=YQ==, , Basic realm = "ä" , Negotiate abc=, =, ",\"#
        for start in text.indices {
            for end in text[start...].indices {
                for challenge in Challenge.parse([String(text[start..<end])]) { #expect(!challenge.scheme.isEmpty) }
            }
        }
    }

    @Test("A response's challenges are those of the server or of the proxy")
    func response() {
        var response = Response(.unauthorized, headers: [.wwwAuthenticate: "Basic realm=a"])
        response.headers.append(HTTPField(name: .wwwAuthenticate, value: "Digest nonce=b"))
        response.headers[.proxyAuthenticate] = "NTLM"
        #expect(response.challenges(.origin).map(\.scheme) == ["Basic", "Digest"])
        #expect(response.challenges(.proxy) == [Challenge("NTLM")])
        #expect(Response(.ok).challenges(.origin).isEmpty)
    }

    @Test("Each target has its status and its fields")
    func targets() {
        let rows: [(AuthenticationTarget, Int, String, String, String)] = [
            (.origin, 401, "WWW-Authenticate", "Authorization", "Authentication-Info"),
            (.proxy, 407, "Proxy-Authenticate", "Proxy-Authorization", "Proxy-Authentication-Info"),
        ]
        for (target, status, challenge, request, info) in rows {
            #expect(target.status.code == status)
            #expect(target.challengeField.rawName == challenge)
            #expect(target.requestField.rawName == request)
            #expect(target.infoField.rawName == info)
        }
    }
}
#endif
