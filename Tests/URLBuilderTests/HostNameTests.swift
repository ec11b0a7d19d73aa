#if AllTests
import HTTPChainURLBuilder
import Testing

@Suite("Host names")
struct HostNameTests {
    @Test(
        "A host beyond ASCII is written in its A-labels, and everything around it stays",
        arguments: [
            ("bücher.example", "xn--bcher-kva.example"), ("日本", "xn--wgv71a"), ("b%C3%BCcher", "xn--bcher-kva"),
            ("ada@bücher.example", "ada@xn--bcher-kva.example"),
            ("a%40b@bücher:8080", "a%40b@xn--bcher-kva:8080"),
            ("a%41.example", "aa.example"), ("a_b.bücher", "a_b.xn--bcher-kva"), ("a-1.bücher", "a-1.xn--bcher-kva"),
        ]
    )
    func encoded(authority: String, expected: String) throws {
        #expect(try URLBuilder.inASCII(authority) == expected)
    }

    @Test(
        "A host of ASCII stands as it is",
        arguments: [
            "", "a.example", "A.example:80", "[::1]", "[::1]:80", "u%65@[::1]", "u%65@[::1]:80", "u%65@a.example",
        ]
    )
    func ascii(authority: String) throws {
        #expect(try URLBuilder.inASCII(authority) == authority)
    }

    @Test("A host that no name can be is refused", arguments: ["\u{AD}", "[ü]", "[ü]:80", "%FF", "ü%2F", "ü%00"])
    func refused(authority: String) {
        #expect(throws: URLBuilderError.self) { try URLBuilder.inASCII(authority) }
    }

    @Test(
        "A zone in a host is refused as one, and user information before it is not shown",
        arguments: [
            ("[fe80::1%25eth0]", "[fe80::1%25eth0]"), ("[fe80::1%eth0]:80", "[fe80::1%eth0]:80"),
            ("a@[fe80::1%25]", "<redacted>@[fe80::1%25]"),
        ]
    )
    func zone(authority: String, shown: String) throws {
        let error = try #require(throws: URLBuilderError.self) { try URLBuilder.inASCII(authority) }
        #expect(error.problem == .zoneInHost(shown))
    }

    @Test(
        "A value that a reader of URLs would take a host from is suspected",
        arguments: [
            "//", "//h", "\\\\h", "/\\h", "%2F%2F", "%5c/h", "  //h", "ab:/", "ab:/h",
            "ab:\\h", "https://h", "HTTPS://h", "https:%2Fh", "https%3A/h", "a1:/h", "a+b:/h", "a-b:/h", "a.b:/h",
            "a%62:/h",
        ]
    )
    func suspected(value: String) {
        #expect(HostInValue.isSuspected(in: value))
    }

    @Test(
        "A value that brings no host is not suspected",
        arguments: [
            "", "/", "\\", "%2F", "/h//", "h//", "C:/h", "C:\\h", "ab:", "ab:h", "ab:h/", "a_b:/h", "1ab:/h", ":/h",
            "a b:/h", "a@b:/h", "h", "\t//h", "a:b:/h",
        ]
    )
    func unsuspected(value: String) {
        #expect(!HostInValue.isSuspected(in: value))
    }
}
#endif
