import HTTPChainCore
import HTTPTypes
import Testing

@Suite("Redaction of header fields")
struct RedactionFieldTests {
    private func redacted(_ name: String, _ value: String) throws -> String {
        let name = try #require(HTTPField.Name(name))
        return Redaction.standard.value(of: HTTPField(name: name, value: value))
    }

    @Test(
        "The value of a field with credentials is not shown",
        arguments: [
            "Authorization", "Proxy-Authorization", "Cookie", "Set-Cookie", "Cookie2", "Set-Cookie2",
            "Authentication-Info",
            "Proxy-Authentication-Info", "DPoP", "X-Amz-Date", "X-Api-Key", "X-Vault-Token",
        ]
    )
    func credentials(name: String) throws {
        #expect(try redacted(name, "hunter2") == "<redacted>")
    }

    @Test(
        "A field that holds a URL is read as one, spaces included",
        arguments: ["Location", "Content-Location", "Referer", "Origin"]
    )
    func url(name: String) throws {
        #expect(try redacted(name, "/cb?token=hunt er2&a=1") == "/cb?token=<redacted>&a=1")
    }

    @Test("A field that holds URLs between other things is read so")
    func references() throws {
        let link = #"<https://a.example/?token=hunt er2&a=1>; rel="next", </b?code=hunt er2>; rel="last""#
        let shown = #"<https://a.example/?token=<redacted>&a=1>; rel="next", </b?code=<redacted>>; rel="last""#
        #expect(try redacted("Link", link) == shown)
        #expect(try redacted("Link", "</b?token=hunt er2") == "</b?token=<redacted>")
        #expect(try redacted("Refresh", "5; url=/b?token=hunt er2") == "5; url=/b?token=<redacted>")
        #expect(try redacted("Refresh", "5") == "5")
    }

    @Test("Any other field is read as text")
    func text() throws {
        #expect(try redacted("Warning", #"199 - "token=hunter2 is old""#) == #"199 - "token=<redacted> is old""#)
    }

    @Test("Fields keep their order and their number")
    func fields() throws {
        let warning = try #require(HTTPField.Name("Warning"))
        var fields = HTTPFields()
        for (name, value) in [(HTTPField.Name.accept, "a"), (.cookie, "b"), (warning, "c"), (.accept, "d")] {
            fields.append(HTTPField(name: name, value: value))
        }
        let shown = Redaction.standard.fields(fields)
        #expect(shown.map(\.name) == fields.map(\.name))
        #expect(shown.map(\.value) == ["a", "<redacted>", "c", "d"])
    }

    @Test(
        "A redacted URL can be one still",
        arguments: [
            ("https://<redacted>@a.example/?x=<redacted>", "https://REDACTED:REDACTED@a.example/?x=REDACTED"),
            ("https://a.example/<redacted>@b", "https://a.example/REDACTED@b"),
            ("/b?token=<redacted>", "/b?token=REDACTED"),
            ("https://a.example/", "https://a.example/"),
            ("https://REDACTED@a.example/", "https://REDACTED@a.example/"),
        ]
    )
    func syntax(_ url: String, _ expected: String) {
        #expect(Redaction.keepingURLSyntax(url) == expected)
    }
}
