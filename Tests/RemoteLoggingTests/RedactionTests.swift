#if AllTests
import HTTPChainCore
import HTTPChainRemoteLogging
import HTTPChainTesting
import HTTPTypes
import TestSupport
import Testing

@Suite("What is redacted in records")
struct RedactionTests {
    private let redaction = LogRedaction.standard

    @Test(
        "URLs lose user information and secret values of query and fragment",
        arguments: [
            ("https://user:hunter2@a.example/x", "https://<redacted>@a.example/x"),
            ("https://a.example/x?token=hunter2&page=2", "https://a.example/x?token=<redacted>&page=2"),
            ("https://a.example/#access_token=hunter2&state=1", "https://a.example/#access_token=<redacted>&state=1"),
            ("https://a.example/?a=1#id_token=hunter2", "https://a.example/?a=1#id_token=<redacted>"),
            ("https://a.example/#/route?token=hunter2", "https://a.example/#/route?token=<redacted>"),
            ("https://a.example/?token=hunter2?hunter2;hunter2", "https://a.example/?token=<redacted>"),
            ("https://a.example/?a=1;token=hunter2", "https://a.example/?a=1;token=<redacted>"),
            ("https://a.example/?accessToken=hunter2", "https://a.example/?accessToken=<redacted>"),
            ("https://a.example/?user%5Bpassword%5D=hunter2", "https://a.example/?user%5Bpassword%5D=<redacted>"),
            ("https://a.example/?%74oken=hunter2", "https://a.example/?%74oken=<redacted>"),
            ("https://a.example/?X-Api-Key=hunter2", "https://a.example/?X-Api-Key=<redacted>"),
            ("https://a.example/eyJhbGciOiJIUzI1NiJ9.e30.abc/x", "https://a.example/<redacted>/x"),
            ("users?page=1", "users?page=1"),
            ("", ""),
        ]
    )
    func urls(url: String, expected: String) {
        #expect(redaction.url(url) == expected)
    }

    @Test(
        "Text loses what is a secret by its place",
        arguments: [
            ("see https://user:hunter2@a.example/x for more", "see https://<redacted>@a.example/x for more"),
            (#"{"u":"https:\/\/user:hunter2@a.example\/x"}"#, ""),
            ("GET https://a.example/?code=hunter2 failed", ""),
            ("Authorization: Bearer hunter2", ""),
            ("Authorization: Digest username=\"a\", response=\"hunter2\"", ""),
            (#"{"note":"Authorization: Digest a=\"hunter2\", b=\"hunter2\"","n":1}"#, ""),
            ("cookie: a=hunter2; b=hunter2\nnext: x", ""),
            ("sent Bearer hunter2-abc.def to it", "sent Bearer <redacted> to it"),
            ("with Basic aHVudGVyMg== as it is", ""),
            ("password: hunter2, then", "password: <redacted>, then"),
            ("password: 'hunter2 hunter2'", ""),
            ("X-Api-Key: hunter2", ""),
            ("token eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.c2ln ok", ""),
            (#"{"password":"hunter2"}"#, #"{"password":"<redacted>"}"#),
            ("<password>hunter2</password>", ""),
        ]
    )
    func texts(text: String, expected: String) {
        let redacted = redaction.text(text)
        for secret in ["hunter2", "aHVudGVyMg", "eyJ"] { #expect(!redacted.contains(secret), "\(redacted)") }
        if !expected.isEmpty { #expect(redacted == expected) }
        #expect(redacted.contains(Redaction.placeholder))
    }

    @Test(
        "Text without secrets stays as it is",
        arguments: [
            "the Basic scheme is not offered", "a Bearer token was refused", "time: 12:30", "error: no route to host",
            "https://a.example/users?page=2#top", "e", "", "eye", "max-age=3600, private", "\u{301}: x", "key: value",
            "http://[::1]:8080/x", "Basic authentication failed.", #"{"name":"Ida","n":[1,2]}"#,
        ]
    )
    func harmless(text: String) {
        #expect(redaction.text(text) == text)
    }

    @Test("Values of fields are shown from a list, and never those of secrets")
    func fields() {
        let fields: HTTPFields = [
            .accept: "text/html", .authorization: "Bearer hunter2", .cookie: "a=hunter2",
            .init("X-Own")!: "hunter2", .location: "/next#access_token=hunter2",
            .init("Referer")!: "https://a:hunter2@b.example/?q=1&key=hunter2",
        ]
        let shown = redaction.fields(fields)
        #expect(shown[.accept] == "text/html")
        #expect(shown[.authorization] == "<redacted>")
        #expect(shown[.init("X-Own")!] == "<redacted>")
        #expect(shown[.location] == "/next#access_token=<redacted>")
        #expect(shown[.init("Referer")!] == "https://<redacted>@b.example/?q=1&key=<redacted>")
        #expect(shown.count == fields.count)
        let more = LogRedaction(.standard, showing: .standard.adding("X-OWN", "Authorization"))
        #expect(more.fields(fields)[.init("X-Own")!] == "hunter2")
        #expect(more.fields(fields)[.authorization] == "<redacted>")
        let none = LogRedaction(.standard, showing: .none)
        #expect(none.fields(fields).allSatisfy { $0.value == "<redacted>" })
    }

    @Test("Values of forms are redacted up to the next pair, whatever is in them")
    func forms() {
        #expect(
            redaction.form("a=1&password=hun\"ter2 <x>&code=hunter2&b=2")
                == "a=1&password=<redacted>&code=<redacted>&b=2"
        )
        #expect(redaction.form("user[token]=hunter2") == "user[token]=<redacted>")
        #expect(redaction.form("client_secret=hun") == "client_secret=<redacted>")
    }

    @Test("Attributes of a call are redacted by name and by what is in them")
    func attributes() {
        let attributes = redaction.attributes([
            "order": 42, "token": "hunter2", "url": "https://a:hunter2@b.example/",
            "nested": ["password": "hunter2", "list": ["Bearer hunter2", 1]],
        ])
        #expect(attributes["order"] == 42)
        #expect(attributes["token"] == "<redacted>")
        #expect(attributes["url"] == "https://<redacted>@b.example/")
        #expect(attributes["nested"] == ["password": "<redacted>", "list": ["Bearer <redacted>", 1]])
    }

    @Test("No text of odd pieces makes it trap")
    func odd() {
        let random = SeededRandom(seed: 7)
        let pieces = [
            "https://", "://", ":\\/\\/", "Bearer ", "token", ":", "=", "\"", "'", "&", "#", "?", "@", "eyJ", ".", " ",
            "\n", "\u{301}", "é", "\\", "{", "}", "<", ">", "%", "%4", "cookie: ", "a", "\0",
        ]
        for _ in 0..<5000 {
            let text = (0..<random.index(below: 12)).map { _ in pieces[random.index(below: pieces.count)] }.joined()
            _ = redaction.text(text)
            _ = redaction.url(text)
            _ = redaction.form(text)
        }
    }
}
#endif
