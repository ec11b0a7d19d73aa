import HTTPChainCore
import Testing

@Suite("Redaction of URLs")
struct RedactionURLTests {
    @Test(
        "User information and the values of secret pairs are redacted, in queries and in fragments",
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
            ("https://a.example/x?token=\r\nhunter2&a=1", "https://a.example/x?token=<redacted>&a=1"),
            ("https://a.example/x?token=\rhunter2", "https://a.example/x?token=<redacted>"),
            ("https://a.example/x?token=\"a\",\"hunter2&b=1", "https://a.example/x?token=<redacted>&b=1"),
            ("https://a.example/x?token=a?hunter2=b", "https://a.example/x?token=<redacted>"),
            ("https://a.example/x?token=hunter2#top", "https://a.example/x?token=<redacted>#top"),
            ("https://a.example/x#access_token=hunter2&state=1", "https://a.example/x#access_token=<redacted>&state=1"),
            ("https://a.example/x?a=1#access_token=hunter2", "https://a.example/x?a=1#access_token=<redacted>"),
            ("https://a.example/x#token=hunter2#hunter2", "https://a.example/x#token=<redacted>"),
            ("https://a.example/x#/route?token=hunter2", "https://a.example/x#/route?token=<redacted>"),
            ("?token=hunter2", "?token=<redacted>"),
            ("/a;token=hunter2/b;v=1?c=2", "/a;token=<redacted>/b;v=1?c=2"),
            ("/x;jsessionid=hunter2?a=1", "/x;jsessionid=<redacted>?a=1"),
            (
                "https://a.example/?next=https%3A%2F%2Fu%3Ahunter2%40b.example%2F%3Ftoken%3Dhunter2%26a%3Db&page=2",
                "https://a.example/?next=https%3A%2F%2F<redacted>%40b.example%2F%3Ftoken%3D<redacted>%26a%3Db&page=2"
            ),
            (
                "/?n=%252F%253Ftoken%253Dhunter2%2526a%253Db&page=2",
                "/?n=%252F%253Ftoken%253D<redacted>%2526a%253Db&page=2"
            ),
            ("https://a.example/eyJhbGciOiJIUzI1NiJ9.e30.abc/x", "https://a.example/<redacted>/x"),
            ("https://a.example/hooks/AKfJ39dKx02LqZ8vWm41pQ/x", "https://a.example/hooks/<redacted>/x"),
            ("/reset/5f4dcc3b5aa765d61d8327deb882cf99", "/reset/<redacted>"),
            ("/hooks/xAkFjxdKzQxLqZvWmPpQaRtYb", "/hooks/<redacted>"),
            ("https://user:hun/ter2@a.example/x", "https://<redacted>@a.example/x"),
            (
                "/?filter=%7B%22password%22%3A%22hunter2%22%7D&a=1",
                "/?filter=%7B%22password%22%3A%22<redacted>%22%7D&a=1"
            ),
            ("/?h=Bearer+hunter2&a=1", "/?h=Bearer+<redacted>&a=1"),
            (
                "/?X-Amz-Credential=AKIA/1&X-Amz-Signature=hunter2&x=1",
                "/?X-Amz-Credential=<redacted>&X-Amz-Signature=<redacted>&x=1"
            ),
        ]
    )
    func secrets(url: String, expected: String) {
        #expect(Redaction.standard.url(url) == expected)
    }

    @Test(
        "What is no secret stays as it is",
        arguments: [
            "", "/", "users/{id}{?q}", "https://a.example/x?a=b=c&&d;e#f", "https://a.example/token=1",
            "https://a.example/?token", "https://a.example/?max_tokens=1", "https://a.example/?a=%zz#", "?\u{301}=é",
            "/a/6f9619ff-8b86-d011-b42d-00c04fc964ff", "/assets/HTTPChainCoreRedactionScanner.html",
            "/2024-05-01T12:00:00Z", "/colors/aBcDeFaBcDeFaBcDeFaBcDeFaBcDeFaBcDeF",
            "/numbers/31415926535897932384626433832795028841",
            "/objects/507f1f77bcf86cd799439011", "/releases/swift-6.1.2-RELEASE-ubuntu24.04-x86_64",
        ]
    )
    func harmless(url: String) {
        #expect(Redaction.standard.url(url) == url)
    }

    @Test("The value of a pair in a form goes on to the next pair, whatever it begins with")
    func forms() {
        for start in ["", "\n", "\r\n", " ", "\"", "\"a\",\"", "\u{FFFD}"] {
            let text = Redaction.standard.form("a=1&password=\(start)hunter2&b=2")
            #expect(!text.contains("hunter2") && text.hasPrefix("a=1&") && text.hasSuffix("&b=2"), "\(text)")
        }
    }

    @Test("The names are those of the redaction")
    func names() {
        let redaction = Redaction(fieldNames: [], queryNames: ["plant_id"])
        #expect(redaction.url("/?plantID=7&token=1") == "/?plantID=<redacted>&token=1")
    }
}
