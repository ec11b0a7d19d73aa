import HTTPChainRedirect
import HTTPChainSupport
import Testing

@Suite("A URI reference")
struct URIReferenceTests {
    private static let base = URIReference("http://a/b/c/d;p?q")

    @Test(
        "A reference is resolved as in the normal examples of RFC 3986 §5.4.1",
        arguments: [
            ("g:h", "g:h"), ("g", "http://a/b/c/g"), ("./g", "http://a/b/c/g"), ("g/", "http://a/b/c/g/"),
            ("/g", "http://a/g"), ("//g", "http://g"), ("?y", "http://a/b/c/d;p?y"), ("g?y", "http://a/b/c/g?y"),
            ("#s", "http://a/b/c/d;p?q#s"), ("g#s", "http://a/b/c/g#s"), ("g?y#s", "http://a/b/c/g?y#s"),
            (";x", "http://a/b/c/;x"), ("g;x", "http://a/b/c/g;x"), ("g;x?y#s", "http://a/b/c/g;x?y#s"),
            ("", "http://a/b/c/d;p?q"), (".", "http://a/b/c/"), ("./", "http://a/b/c/"), ("..", "http://a/b/"),
            ("../", "http://a/b/"), ("../g", "http://a/b/g"), ("../..", "http://a/"), ("../../", "http://a/"),
            ("../../g", "http://a/g"),
        ]
    )
    func normal(reference: String, target: String) {
        #expect(URIReference(reference).resolved(against: Self.base).text == target)
    }

    @Test(
        "A reference is resolved as in the abnormal examples of RFC 3986 §5.4.2",
        arguments: [
            ("../../../g", "http://a/g"), ("../../../../g", "http://a/g"), ("/./g", "http://a/g"),
            ("/../g", "http://a/g"), ("g.", "http://a/b/c/g."), (".g", "http://a/b/c/.g"), ("g..", "http://a/b/c/g.."),
            ("..g", "http://a/b/c/..g"), ("./../g", "http://a/b/g"), ("./g/.", "http://a/b/c/g/"),
            ("g/./h", "http://a/b/c/g/h"), ("g/../h", "http://a/b/c/h"), ("g;x=1/./y", "http://a/b/c/g;x=1/y"),
            ("g;x=1/../y", "http://a/b/c/y"), ("g?y/./x", "http://a/b/c/g?y/./x"),
            ("g?y/../x", "http://a/b/c/g?y/../x"), ("g#s/./x", "http://a/b/c/g#s/./x"),
            ("g#s/../x", "http://a/b/c/g#s/../x"), ("http:g", "http:g"),
        ]
    )
    func abnormal(reference: String, target: String) {
        #expect(URIReference(reference).resolved(against: Self.base).text == target)
    }

    @Test(
        "A base with an empty path, or without a query, takes a reference too",
        arguments: [
            ("http://a", "g", "http://a/g"), ("http://a", "?y", "http://a?y"), ("http://a/b", "", "http://a/b"),
            ("http://a/b/", "?", "http://a/b/?"), ("http://a/b", "g:80", "g:80"),
            ("http://a/b/c", "./g:80", "http://a/b/g:80"),
        ]
    )
    func otherBases(base: String, reference: String, target: String) {
        #expect(URIReference(reference).resolved(against: URIReference(base)).text == target)
    }

    @Test(
        "The parts of a reference put together are the text again",
        arguments: [
            "", "?", "#", "//", "a:b", "//a?b#c", "http://u:p@h:1/p;x?q?r#f#g", "/:", ":x", "1a:b", "http:", "a?b:c",
        ]
    )
    func text(text: String) {
        #expect(URIReference(text).text == text)
    }
}
