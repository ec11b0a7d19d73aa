import HTTPChainCore
import Testing

@Suite("Where a URL's parts begin and end")
struct RedactionURLPartTests {
    @Test(
        "A URL has its user information, its keys and its pairs where RFC 3986 has them, also within another",
        arguments: [
            ("x//u:keep@h", "x//u:keep@h"),
            ("//a&u:hunter2@h/x", "//<redacted>@h/x"),
            ("//u~x:hunter2@h/", "//<redacted>@h/"),
            ("/?u=https%3A%2F%2Fa%26x=a@c", "/?u=https%3A%2F%2Fa%26x=a@c"),
            ("/?u=https%3A%2F%2Fa%2526u:hunter2@h&x=1", "/?u=https%3A%2F%2F<redacted>@h&x=1"),
            ("/x%2FAKfJ39dK2mPq8ZxWqLr7T3", "/<redacted>"),
            ("/x~AKfJ39dK2mPq8ZxWqLr7T3~y/z", "/<redacted>/z"),
            ("AKfJ39dK2mPq8ZxWqLr7T3", "<redacted>"),
            ("https://a.example/x y/AKfJ39dK2mPq8ZxWqLr7T3", "https://a.example/x y/<redacted>"),
            ("/?u=https%3A%2F%2Fb%2FAKfJ39dK2mPq8ZxWqLr7T3%20a&a=1", "/?u=https%3A%2F%2Fb%2F<redacted>%20a&a=1"),
            ("/?u=https%3A%2F%2Fb%2Fx'/AKfJ39dK2mPq8ZxWqLr7T3", "/?u=https%3A%2F%2Fb%2Fx'/<redacted>"),
            ("<token x=a://b>hunter2", "<token x=a://b>hunter2"),
            ("/x;token:hunter2/b", "/x;token:<redacted>/b"),
            ("/x;token=?b", "/x;token=?b"),
            ("/x;token=#b", "/x;token=#b"),
            (#"/x?token="hunter2"a&b"#, "/x?token=<redacted>&b"),
            ("?token=<redacted>a&b", "?token=<redacted>a&b"),
            ("token=a&b", "token=a&b"),
            ("/<token x=a://b>hunter2", "/<token x=a://b><redacted>"),
            ("/<token x=a://b>", "/<token x=a://b>"),
            ("a~b://a1B2c3D4e5F6g7H8i9J0kLmN.example/", "a~b://a1B2c3D4e5F6g7H8i9J0kLmN.example/"),
            ("/x/https%3A%2F%2Fb%3Fc;token=hunter2/hunter3?d", "/x/https%3A%2F%2Fb%3Fc;token=<redacted>"),
            ("/x/https%3A%2F%2Fb/c;token=hunter2/d?e", "/x/https%3A%2F%2Fb/c;token=<redacted>/d?e"),
        ]
    )
    func urls(_ text: String, _ expected: String) {
        #expect(Redaction.standard.url(text) == expected)
    }

    @Test(
        "A URL in a text ends where the text goes on",
        arguments: [
            ("https://a&b:hunter2@h/x c", "https://<redacted>@h/x c"),
            ("https://u:hun?ter2@h/y c", "https://<redacted>@h/y c"),
            ("https://[2001:db8::a]/x@y c", "https://[2001:db8::a]/x@y c"),
            ("https://u:hunter2@h:x/a@b c", "https://<redacted>@h:x/a@b c"),
            (#"https:\/\/u:hunter2@h\/x c"#, #"https:\/\/<redacted>@h\/x c"#),
            ("https%3A//u:hunter2@h c", "https%3A//<redacted>@h c"),
            ("https://a.example/x%20y/AKfJ39dK2mPq8ZxWqLr7T3 b", "https://a.example/x%20y/<redacted> b"),
            (#"https://a.example/AKfJ39dK2mPq8ZxWqLr7T3" b"#, #"https://a.example/<redacted>" b"#),
            ("https://a.example/AKfJ39dK2mPq8ZxWqLr7T3</a> b", "https://a.example/<redacted></a> b"),
            ("https://a.example?u=https://b/x;token=hunter2/c d", "https://a.example?u=https://b/x;token=<redacted> d"),
            ("https://u:hun/ter2", "https://u:hun/ter2"),
        ]
    )
    func inText(_ text: String, _ expected: String) {
        #expect(Redaction.standard.text(text) == expected)
    }

    @Test(
        "Of a URL that is cut off, what may be user information or a key is not shown",
        arguments: [
            ("https://a.example/AKfJ39dK/x", "https://a.example/AKfJ39dK/x"),
            ("https://u:hun/ter2", "https://<redacted>"),
            ("https://u:hun/ter2 x", "https://u:hun/ter2 x"),
            ("https://h:80/x", "https://h:80/x"),
            ("https://h:80", "https://<redacted>"),
            ("https://", "https://"),
        ]
    )
    func cutOff(_ text: String, _ expected: String) {
        #expect(Redaction.standard.text(text, isCutOff: true) == expected)
    }

    @Test(
        "In a form what divides URLs divides nothing",
        arguments: [
            (#""code"=hunter2&a"#, #""code"="<redacted>""#),
            ("token=\nhunter2&a", "token=<redacted>&a"),
            ("token=a)&b", "token=<redacted>&b"),
        ]
    )
    func forms(_ text: String, _ expected: String) {
        #expect(Redaction.standard.form(text) == expected)
    }
}
