import HTTPChainCore
import Testing

@Suite("Redaction of URLs")
struct RedactionURLTests {
    @Test(
        "User information and the values of secret pairs are blotted out, in queries and in fragments",
        arguments: [
            ("https://user:hunter2@a.example/x", "https://<redacted>@a.example/x"),
            ("//user@a.example", "//<redacted>@a.example"),
            ("https://a.example/x?token=hunter2&page=2", "https://a.example/x?token=<redacted>&page=2"),
            ("https://a.example/x?TOKEN=hunter2", "https://a.example/x?TOKEN=<redacted>"),
            ("https://a.example/x?accessToken=hunter2", "https://a.example/x?accessToken=<redacted>"),
            ("https://a.example/x?Api-Key=hunter2", "https://a.example/x?Api-Key=<redacted>"),
            ("https://a.example/x?%74oken=hunter2", "https://a.example/x?%74oken=<redacted>"),
            ("https://a.example/x?%zz&token=hunter2", "https://a.example/x?%zz&token=<redacted>"),
            ("https://a.example/x?user[password]=hunter2", "https://a.example/x?user[password]=<redacted>"),
            ("https://a.example/x?code=hunter2", "https://a.example/x?code=<redacted>"),
            ("https://a.example/x?a=1;token=hunter2;b=2&c=3", "https://a.example/x?a=1;token=<redacted>&c=3"),
            ("https://a.example/x?token=a?hunter2=b", "https://a.example/x?token=<redacted>"),
            ("https://a.example/x?token=hunter2#top", "https://a.example/x?token=<redacted>#top"),
            ("https://a.example/x#access_token=hunter2&state=1", "https://a.example/x#access_token=<redacted>&state=1"),
            ("https://a.example/x?a=1#access_token=hunter2", "https://a.example/x?a=1#access_token=<redacted>"),
            ("https://a.example/x#token=hunter2#hunter2", "https://a.example/x#token=<redacted>"),
            ("https://a.example/x#/route?token=hunter2", "https://a.example/x#/route?token=<redacted>"),
            ("?token=hunter2", "?token=<redacted>"),
        ]
    )
    func secrets(url: String, expected: String) {
        #expect(Redaction.standard.url(url) == expected)
    }

    @Test(
        "What is no secret stays as it is",
        arguments: [
            "", "/", "users/{id}{?q}", "https://a.example/x?a=b=c&&d;e#f", "https://a.example/token=1",
            "https://a.example/?token", "https://a.example/?tokens=1", "https://a.example/?a=%zz#", "?\u{301}=é",
        ]
    )
    func harmless(url: String) {
        #expect(Redaction.standard.url(url) == url)
    }

    @Test("The names are those of the redaction")
    func names() {
        let redaction = Redaction(fieldNames: [], queryNames: ["plant_id"])
        #expect(redaction.url("/?plantID=7&token=1") == "/?plantID=<redacted>&token=1")
    }
}
