import Foundation
import HTTPChainRedirect
import HTTPChainSupport
import HTTPTypes
import Testing

@Suite("The target that Location names")
struct LocationTests {
    private func target(_ values: [String], from base: String = "https://a.example/b/c?q") -> String? {
        var fields = HTTPFields()
        for value in values { fields.append(HTTPField(name: .location, value: value)) }
        return RedirectLocation.target(
            of: HTTPResponse(status: .found, headerFields: fields),
            from: URIReference(base)
        )?.text
    }

    @Test(
        "A Location is read as browsers read it",
        arguments: [
            // Case, default ports, empty ports and paths.
            ("HTTPS://B.Example:443", "https://b.example/"), ("http://b.example:/x", "http://b.example/x"),
            ("//b.example:8443?x", "https://b.example:8443/?x"), ("https://[::1]:8080/x", "https://[::1]:8080/x"),
            // Spaces around it and inside, letters outside ASCII, what a URL cannot hold.
            (" /d e ", "https://a.example/d%20e"), ("/ä?ö=ü", "https://a.example/%C3%A4?%C3%B6=%C3%BC"),
            ("/a\"<>^`{|}", "https://a.example/a%22%3C%3E%5E%60%7B%7C%7D"),
            ("/a?b c{}", "https://a.example/a?b%20c%7B%7D"),
            ("/a[%20]?f[x]=b%20c", "https://a.example/a%5B%20%5D?f%5Bx%5D=b%20c"),
            ("https://[::1]/a[0]", "https://[::1]/a%5B0%5D"),
            // What is encoded stays so; a percent sign on its own is encoded.
            ("/%41%2f%c3", "https://a.example/%41%2f%c3"), ("/100%", "https://a.example/100%25"),
            ("/%4", "https://a.example/%254"), ("/%zz", "https://a.example/%25zz"),
            // Backslashes are slashes, but not in a query.
            ("\\d\\e", "https://a.example/d/e"), ("\\\\b.example\\d", "https://b.example/d"),
            ("/d?e\\f", "https://a.example/d?e%5Cf"),
            // Dots, plain and encoded.
            ("../../../x", "https://a.example/x"), ("/d/%2e%2E/x", "https://a.example/x"),
            ("/d/.%2e/x/%2e", "https://a.example/x/"),
            // Fragments.
            ("/d#e f#g", "https://a.example/d#e%20f%23g"), ("#e", "https://a.example/b/c?q#e"),
            ("/d#e?f#g", "https://a.example/d#e?f%23g"),
            // The first and the last character that a URL can hold.
            ("!d!", "https://a.example/b/!d!"), ("/~", "https://a.example/~"),
            // User information is not taken over.
            ("https://user:secret@b.example/x", "https://b.example/x"), ("//user@a.example/x", "https://a.example/x"),
            ("https://a.example@b.example/", "https://b.example/"),
            // Internationalised hosts.
            ("https://bücher.example/x", "https://xn--bcher-kva.example/x"),
            ("//b%C3%BCcher.example:8080", "https://xn--bcher-kva.example:8080/"),
            ("https://ex%61mple.com/", "https://example.com/"), ("https://ex%41mple.com/", "https://example.com/"),
        ]
    )
    func followed(location: String, expected: String) {
        #expect(target([location]) == expected)
    }

    @Test(
        "There is none where it could not be asked",
        arguments: [
            "mailto:a@b.example", "myapp://callback?code=1", "javascript:alert(1)", "data:,x", "file:///etc/passwd",
            "ftp://b.example/", "https://", "https:///x", "https:x", "http:", "//", "https://b.example:99999/",
            "https://b.example:x/", "https://a b.example/", "https://a%2Fb.example/", "https://[::1/x", "https://%zz/",
            // An empty one is none.
            "", " ", "\t ", "https://a%3A80/", "https://a%40b.example/", "https://%5B::1%5D/", "https://%5B%5D/",
        ]
    )
    func notFollowed(location: String) {
        #expect(target([location]) == nil)
    }

    @Test("There is none without the field, or where several differ; the same one repeated counts")
    func number() {
        #expect(target([]) == nil)
        #expect(target(["/d", "/e"]) == nil)
        #expect(target(["/d", "/d"]) == "https://a.example/d")
    }

    @Test("One that is not UTF-8 is encoded byte for byte")
    func latin1() {
        let field = HTTPField(name: .location, lenientValue: Array("/caf".utf8) + [0xE9])
        let response = HTTPResponse(status: .found, headerFields: HTTPFields([field]))
        #expect(RedirectLocation.target(of: response, from: URIReference("http://a/"))?.text == "http://a/caf%E9")
    }

    @Test("Spaces and control characters around it are dropped")
    func spaces() {
        let field = HTTPField(name: .location, lenientValue: [0x01, 0x20] + Array("/d".utf8) + [0x20, 0x1F])
        let response = HTTPResponse(status: .found, headerFields: HTTPFields([field]))
        #expect(RedirectLocation.target(of: response, from: URIReference("http://a/"))?.text == "http://a/d")
    }

    @Test("One longer than 64 KiB is none")
    func tooLong() {
        #expect(target(["/" + String(repeating: "a", count: 65_535)]) != nil)
        #expect(target(["/" + String(repeating: "a", count: 65_536)]) == nil)
    }

    @Test("The target inherits the fragment unless it has its own, an empty one included (RFC 9110 §10.2.2)")
    func fragment() {
        #expect(target(["/d"], from: "https://a.example/b#part") == "https://a.example/d#part")
        #expect(target(["/d#own"], from: "https://a.example/b#part") == "https://a.example/d#own")
        #expect(target(["/d#"], from: "https://a.example/b#part") == "https://a.example/d#")
    }
}
