import Foundation
import HTTPChainCore
import HTTPChainSupport
import HTTPTypes
import Testing

@Suite("Hosts")
struct HostTests {
    private func cases(_ name: String) throws -> [[String?]] {
        let folder = try #require(Bundle.module.url(forResource: "Resources/Hosts", withExtension: nil))
        return try JSONDecoder().decode([[String?]].self, from: Data(contentsOf: folder.appending(path: name)))
    }

    @Test("Hosts are what the URL Standard makes of them, by the public cases")
    func standard() throws {
        let cases = try cases("hosts.json")
        #expect(cases.count == 233)
        for one in cases {
            // The standard allows characters that RFC 3986 does not, and that no server has in its name.
            let expected = one[1].flatMap { $0.utf8.contains(UInt8(ascii: "`")) ? nil : $0 }
            #expect(try URLHost(#require(one[0])[...])?.text == expected, "\(one)")
        }
    }

    @Test("Hosts are encoded as RFC 3492 says, and an encoded name is left unchanged")
    func punycode() throws {
        var names = 0
        for one in try cases("punycode.json") {
            let decoded = try #require(one[0])
            let encoded = "xn--" + (try #require(one[1])).lowercased()
            // Labels in ASCII are not encoded; those with spaces, and those that are too long for DNS, are none.
            guard decoded.utf8.contains(where: { $0 >= 0x80 }), !decoded.contains(" "), encoded.utf8.count < 64 else {
                #expect(URLHost(encoded[...]) == nil, "\(encoded)")
                continue
            }
            names += 1
            #expect(URLHost(decoded[...])?.text == encoded)
            #expect(URLHost(encoded[...])?.text == encoded)
            #expect(URLHost("\(encoded.uppercased()).example.")?.text == "\(encoded).example.")
        }
        #expect(names == 20)
    }

    @Test(
        "Hosts are IPv6 addresses in their shortest form, without a zone",
        arguments: [
            ("[::]", "[::]"), ("[::1]", "[::1]"), ("[1::]", "[1::]"), ("[0:0:0:0:0:0:0:1]", "[::1]"),
            ("[2001:DB8:0:0:1:0:0:1]", "[2001:db8::1:0:0:1]"), ("[2001:db8:0:1:1:1:1:1]", "[2001:db8:0:1:1:1:1:1]"),
            ("[0001:0:0:0:0:0:0:0]", "[1::]"), ("[::ffff:127.0.0.1]", "[::ffff:7f00:1]"),
            ("[1:2:3:4:5:6:255.255.255.255]", "[1:2:3:4:5:6:ffff:ffff]"), ("[1:2:3:4:5:6::8]", "[1:2:3:4:5:6:0:8]"),
            ("[::2:3:4:5:6:7:8]", "[0:2:3:4:5:6:7:8]"), ("[1:2:3:4:5:6:7::]", "[1:2:3:4:5:6:7:0]"),
            ("[fe80::1%25eth0]", nil), ("[fe80::1%eth0]", nil), ("[1:2:3:4:5:6:7]", nil), ("[1::2::3]", nil),
            ("[12345::]", nil), ("[:1]", nil), ("[1:]", nil), ("[:::]", nil), ("[1:2:3:4:5:6:7:8::]", nil),
            ("[::1", nil), ("::1", nil), ("[::1]x", nil), ("[1:2:3:4:5:6:7:1.2.3.4]", nil), ("[g::]", nil),
        ]
    )
    func ipv6(text: String, expected: String?) {
        #expect(URLHost(text[...])?.text == expected)
    }

    @Test(
        "Hosts are one IPv4 address in any of its forms",
        arguments: [
            "127.0.0.1", "0x7f.1", "0X7F.1", "2130706433", "0177.0.0.1", "127.1", "127.0.1", "0x7f000001",
            "017700000001", "127.0.0.1.", "%31%32%37.1", "１２７.0.0.1", "127。1", "127.0.0.0x1", "0x7f.0x0.0x0.0x1",
        ]
    )
    func ipv4(text: String) throws {
        let host = try #require(URLHost(text[...]))
        #expect(host.text == "127.0.0.1")
        #expect(host.isIPv4 && host.isAddress && host.isLoopback)
        #expect(Origin("http://\(text)/") == Origin("http://127.0.0.1:80"))
        #expect(Origin("http://\(text)/")?.isConfidential == true)
    }

    @Test("Hosts hold no characters that another reader of URLs would take for the end of a host")
    func forbidden() {
        for byte in UInt8.min...UInt8.max {
            let scalar = String(Unicode.Scalar(byte))
            let isAllowed = scalar.utf8.allSatisfy { byte in
                byte < 0x80 && (ASCII.isUnreserved(byte) || "!$&'()*+,;=".utf8.contains(byte))
            }
            let encoded = "a%" + (byte < 16 ? "0" : "") + String(byte, radix: 16) + "b"
            if byte < 0x80 {
                #expect((URLHost("a\(scalar)b") != nil) == isAllowed, "\(byte)")
                #expect(URLHost(encoded[...]) == URLHost("a\(scalar)b"), "\(byte)")
            } else {
                #expect(URLHost(encoded[...]) == nil, "\(byte)")
            }
        }
        // Characters that are mapped to forbidden ones, and a combining character after a delimiter.
        for text in ["a\u{2100}b", "a\u{FF0F}b", "a\u{FF05}b", "a\u{FE5F}b", "a\u{FF20}b", "a/\u{301}b", ""] {
            #expect(URLHost(text[...]) == nil, "\(text)")
        }
    }

    @Test("Hosts with a dot at the end are other hosts, on the same server")
    func rootDot() throws {
        let dotted = try #require(URLHost("A.Example."))
        let plain = try #require(URLHost("a.example"))
        #expect(dotted.text == "a.example." && dotted != plain)
        #expect(dotted.withoutRootDot == plain && plain.withoutRootDot == plain)
        #expect(Origin("https://a.example.") != Origin("https://a.example"))
        #expect(Origin("https://a.example./")?.withoutRootDot == Origin("https://a.example"))
        #expect(URLHost(".")?.withoutRootDot.text == ".")
    }

    @Test("Hosts lie within a domain by whole labels, and addresses within none")
    func domains() throws {
        for (host, domain, isWithin) in [
            ("a.example", "a.example", true), ("b.a.example", "a.example", true), ("ba.example", "a.example", false),
            ("a.example", "b.a.example", false), ("a.example.", "example.", true), ("a.example.", "example", false),
            ("a.example", "example.", false), ("127.0.0.1", "0.0.1", false), ("127.0.0.1", "127.0.0.1", true),
        ] {
            let host = try #require(URLHost(host[...]))
            #expect(host.isWithin(URLHost(canonical: domain)) == isWithin, "\(host) \(domain)")
        }
        #expect(URLHost("a.b.example.")?.domains.map(\.text) == ["a.b.example.", "b.example.", "example."])
        #expect(URLHost("127.0.0.1")?.domains.map(\.text) == ["127.0.0.1"])
    }

    @Test("Hosts are this machine by name or by address (Secure Contexts §3.1)")
    func loopback() {
        for text in ["localhost", "LOCALHOST.", "a.localhost", "a.localhost.", "127.255.0.1", "[::1]", "[0::0:1]"] {
            #expect(URLHost(text[...])?.isLoopback == true, "\(text)")
        }
        for text in ["localhost.example", "notlocalhost", "128.0.0.1", "[::2]", "127.0.0.1.example", "0.0.0.0"] {
            #expect(URLHost(text[...])?.isLoopback == false, "\(text)")
        }
    }

    @Test("Hosts of requests are in ASCII, and what is around them stays")
    func requests() {
        for (url, authority) in [
            ("https://bücher.example/a", "xn--bcher-kva.example"), ("https://ＧＯ.example:8443", "go.example:8443"),
            ("https://ex%41mple.com/", "example.com"),
            ("https://u%65:%C3%BC@b%C3%BCcher/", "u%65:%C3%BC@xn--bcher-kva"),
            ("https://Example.com/", "Example.com"), ("https://a%2Fb/", "a%2Fb"), ("https://a b/", "a b"),
        ] {
            #expect(Request.get(url).head.authority == authority)
        }
    }

    @Test(
        "Hosts that are not valid are refused before anything is sent",
        arguments: [
            "1.2.3.4.5", "256.0.0.1", "a.09", "xn--a", "xn--", "[::1%25eth0]", "a%2Fb", "a%00", "ﷺ .example", "[::g]",
        ]
    )
    func refused(host: String) {
        #expect(Origin("https://\(host)/") == nil)
        let error = #expect(throws: InvalidRequestError.self) { try Request.get("https://\(host)/").forWire() }
        guard case .invalidURL? = error?.problem else {
            Issue.record("\(String(describing: error))")
            return
        }
    }

    @Test("Hosts share a group by server, however their host is written")
    func groups() {
        final class Entry: Sendable {}
        let table = GroupTable(.origin, limit: 10) { _ in Entry() }
        let entry = table.entry(for: .get("https://bücher.example/a"))
        for url in ["https://BÜCHER.example:443/b", "https://xn--bcher-kva.example./", "https://b%C3%BCcher.example"] {
            #expect(table.entry(for: .get(url)) === entry, "\(url)")
        }
        #expect(table.entry(for: .get("http://bücher.example")) !== entry)
        #expect(table.all.map(\.key) == ["http://xn--bcher-kva.example", "https://xn--bcher-kva.example"])
    }

    @Test("Groups with canonically equal keys, such as names of users, are different ones")
    func canonicallyEqualKeys() {
        final class Entry: Sendable {}
        let table = GroupTable(.all, limit: 10) { _ in Entry() }
        let users = GroupTable(.by("user") { $0.head.headerFields[.from] }, limit: 10) { _ in Entry() }
        #expect(table.entry(of: "a") === table.entry(of: "b"))
        #expect(users.entry(of: "ren\u{E9}") !== users.entry(of: "rene\u{301}"))
        #expect(users.existing("re\u{6E}\u{E9}") != nil && users.all.count == 2)
    }

    @Test("A table of groups forgets the least recently used one, and no other")
    func eviction() {
        final class Entry: Sendable {}
        let groups = GroupTable(.origin, limit: 20) { _ in Entry() }
        var state: UInt64 = 7
        var order: [String] = []
        for _ in 0..<5000 {
            state = state &* 6_364_136_223_846_793_005 &+ 1
            let key = "https://a\((state >> 33) % 30).example"
            _ = groups.entry(of: key)
            order.removeAll { $0 == key }
            order.append(key)
            if order.count > 20 { order.removeFirst() }
            #expect(groups.all.map(\.key) == order.sorted())
        }
    }

    @Test(
        "Hosts are matched by patterns for servers",
        arguments: [
            ("*.example.com", "a.example.com", true), ("*.example.com", "a.example.com.", true),
            ("*.Example.com.", "a.b.example.com", true), ("*.example.com", "example.com", false),
            ("*.example.com", "badexample.com", false), ("*.example.com", ".example.com", false),
            ("bücher.example", "xn--bcher-kva.example", true), ("::1", "[0::1]", true), ("0x7f.1", "127.0.0.1", true),
        ]
    )
    func patterns(pattern: String, host: String, matches: Bool) throws {
        let host = try #require(URLHost(host[...]))
        #expect(try #require(HostPattern(pattern)).matches(host) == matches)
    }

    @Test(
        "Texts that are not hosts make no pattern",
        arguments: ["", "*.", "a b", "*.127.0.0.1", "https://a", "a:443"]
    )
    func noPatterns(text: String) {
        #expect(HostPattern(text) == nil)
    }
}
