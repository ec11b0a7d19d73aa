import Foundation
import HTTPChainCore
import HTTPTypes
import TestSupport
import Testing

/// A request whose path was written past the encoding of ``Request/url``.
private func withPath(_ path: String) -> Request {
    var request = Request.get("https://host/")
    request.head.path = path
    return request
}

@Suite("A request")
struct RequestTests {
    @Test(
        "A request takes its URL apart and puts it together again",
        arguments: [
            ("https://example.com/a?b=c", "https://example.com/a?b=c"),
            ("HTTPS://example.com", "https://example.com/"),
            ("https://example.com?q", "https://example.com/?q"),
            ("http://[::1]:8080/x#fragment", "http://[::1]:8080/x"),
            ("users/42", "users/42"),
            ("users/{id}?q=a:b", "users/{id}?q=a:b"),
            ("{+path}://odd", "{+path}://odd"),
            ("", ""),
            ("://", "://"),
            ("{?q}", "{?q}"),
            ("{+base}/x", "{+base}/x"),
            ("a{#section}", "a{#section}"),
            ("a{#section}#fragment", "a{#section}"),
            ("https://example.com/a{?q}", "https://example.com/a{?q}"),
            ("https://example.com{?q}", "https://example.com{?q}"),
            ("https://example.com{/path}/x?y", "https://example.com{/path}/x?y"),
            ("https://{tenant}.example.com/a?b", "https://{tenant}.example.com/a?b"),
            ("//{tenant}.example.com/a", "//{tenant}.example.com/a"),
        ]
    )
    func urls(text: String, expected: String) {
        #expect(Request.get(text).url == expected)
    }

    @Test("A request can be pointed elsewhere")
    func setURL() {
        var request = Request.post("users", body: "x")
        request.url = "http://localhost:1234/users"
        #expect(request.head.authority == "localhost:1234")
        #expect(request.origin?.description == "http://localhost:1234")
        request.url = "other"
        #expect(request.origin == nil)
    }

    @Test("A request has the method its convenience names")
    func methods() {
        let made: [Request] = [
            .get("a"), .head("a"), .post("a"), .put("a"), .patch("a"), .delete("a"), .options("a"),
            .query("a", body: "b"),
        ]
        #expect(made.map(\.head.method) == [.get, .head, .post, .put, .patch, .delete, .options, .query])
    }

    @Test("A request encodes JSON at once and says so in Content-Type, unless told otherwise")
    func json() throws {
        let request = try Request.post("a", json: ["n": 1])
        #expect(request.body.bytes == Data(#"{"n":1}"#.utf8))
        #expect(request.head.headerFields[.contentType] == "application/json")
        let vendor = try Request.post("a", headers: [.contentType: "application/vnd.a+json"], json: [1])
        #expect(vendor.head.headerFields[.contentType] == "application/vnd.a+json")
    }

    @Test(
        "A request that makes no sense is refused by every transport, with the reason",
        arguments: [
            (Request.get("users"), "has no host"),
            (Request.get("ftp://host/a"), "must be http or https"),
            (Request.get("https://ho st/a"), "not a host"),
            (Request.get("https:///a"), "not a host"),
            (Request.get("https://host:99999/a"), "not a host"),
            (Request.get("https://host:port/a"), "not a host"),
            (Request.get("https://[::1/a"), "not a host"),
            (Request.get("https://me:hunter2@host/a"), "user name or password"),
            (withPath("/a b"), "must be percent-encoded"),
            (withPath("/é"), "must be percent-encoded"),
            (Request.get("https://host/{id}"), "must be percent-encoded"),
            (Request.get("https://{host}/a"), "has no host"),
            (withPath("/a\r\nX: y"), "must be percent-encoded"),
            (Request.get("https://host/%zz"), "two hexadecimal digits"),
            (Request.get("https://host/%2"), "two hexadecimal digits"),
            (Request.get("https://host/", headers: [.contentLength: "-1"]), "not a number of bytes"),
            (Request.post("https://host/", headers: [.contentLength: "3"], body: "four"), "says 3 bytes"),
            (Request(.connect, "https://host/conn"), "set the proxy in the ConnectionSettings"),
            (Request(.trace, "https://host/", body: "a"), "TRACE request cannot have a body"),
            (Request(.trace, "https://host/", body: once("a")), "TRACE request cannot have a body"),
            (Request.post("https://host/", body: .value(1)), "type Int reached the transport unserialized"),
            (Request.post("https://host/", body: once(length: -5)), "length of -5 bytes"),
        ]
    )
    func invalid(request: Request, reason: String) {
        let error = #expect(throws: InvalidRequestError.self) { try request.forWire() }
        #expect(error?.description.contains(reason) == true, "\(String(describing: error))")
        #expect(error?.description.contains("hunter2") == false)
    }

    @Test(
        "A request is sent with the brackets of its path and query encoded, and nothing else encoded again",
        arguments: [
            ("/plain?filter[name]=J%C3%BCrgen", "/plain?filter%5Bname%5D=J%C3%BCrgen"),
            ("/q3[x]%20y", "/q3%5Bx%5D%20y"), ("/%5B[%5b]", "/%5B%5B%5b%5D"), ("/a?b=%FF]", "/a?b=%FF%5D"),
            ("/a!$&'()*+,;=:@?/%20", "/a!$&'()*+,;=:@?/%20"),
        ]
    )
    func brackets(target: String, sent: String) throws {
        for authority in ["h.example", "[::1]:8080"] {
            let wire = try Request.get("http://\(authority)\(target)").forWire()
            #expect(wire.head.path == sent)
            #expect(wire.url == "http://\(authority)\(sent)")
        }
    }

    @Test("Every target that a request is sent to is one that Foundation's URL leaves unchanged")
    func platformURLs() throws {
        for byte in UInt8(0x00)...0x7F {
            for target in ["/%41\(Unicode.Scalar(byte))b", "/?%41\(Unicode.Scalar(byte))b"] {
                let head = HTTPRequest(method: .get, scheme: "http", authority: "h.example", path: target)
                guard let wire = try? Request(head: head).forWire() else { continue }
                #expect(URL(string: wire.url)?.absoluteString == wire.url, "\(target.debugDescription)")
            }
        }
    }

    @Test("A TRACE without a body is sent, and OPTIONS for the server as a whole by a transport that can")
    func wholeServer() throws {
        #expect(try Request(.trace, "https://host/a").forWire().contentLength == 0)
        var options = Request.options("https://host:8443/")
        options.head.path = "*"
        let wire = try options.forWire()
        #expect(wire.head.path == "*")
        let error = #expect(throws: InvalidRequestError.self) { try wire.requirePath(for: "URLSession") }
        #expect(error?.reason.contains("\"https://host:8443\" is invalid: URLSession cannot send OPTIONS") == true)
        #expect(throws: Never.self) { try Request.options("https://host/a*").forWire().requirePath(for: "URLSession") }
    }

    @Test("A request is given its length by the body, or by a Content-Length field where the body does not know")
    func lengths() async throws {
        #expect(try Request.post("http://h/", body: "four").forWire().contentLength == 4)
        #expect(try Request.post("http://h/", body: once("four")).forWire().contentLength == nil)
        let declared = try Request.post("http://h/", headers: [.contentLength: "5"], body: once("four")).forWire()
        #expect(declared.contentLength == 5)
        #expect(declared.head.headerFields[.contentLength] == nil)
        await #expect(throws: BodyError(.shorterThanDeclared(declared: 5, actual: 4))) {
            try await declared.body.collect()
        }
    }

    @Test("A request cannot smuggle a line break in a header field")
    func lineBreaks() throws {
        var request = Request.get("http://h/", headers: [.accept: "a\r\nX-Evil: 1"])
        request.head.headerFields.append(HTTPField(name: .cookie, lenientValue: Array("a\r\nb".utf8)))
        let wire = try request.forWire()
        #expect(!wire.head.headerFields.contains { $0.value.contains(where: \.isNewline) })
        request.head.headerFields.append(HTTPField(name: .server, lenientValue: Array("a\u{1}b".utf8)))
        #expect(throws: InvalidRequestError(.invalidHeaderValue(name: "Server"))) { try request.forWire() }
    }

    @Test(
        "A request reads Content-Length as RFC 9110 §8.6 does",
        arguments: [
            ("5", 5), ("5, 5", 5), (" 5 ", 5), ("5,6", nil), ("-1", nil), ("+5", nil), ("", nil), ("5,", nil),
            ("0x10", nil), ("99999999999999999999", nil), ("٣", nil),
        ] as [(String, Int64?)]
    )
    func contentLength(text: String, length: Int64?) {
        #expect(ContentLength.parse(text) == length)
    }

    @Test("A request has the origin of RFC 6454: letter case and default ports do not matter")
    func origins() {
        #expect(Origin("https://Example.com/a") == Origin("HTTPS://example.COM:443/b"))
        #expect(Origin("http://example.com") != Origin("https://example.com"))
        #expect(Origin("http://example.com") != Origin("http://example.com:8080"))
        #expect(Origin("http://a@example.com") == Origin("http://example.com"))
        #expect(Origin("/path") == nil)
        #expect(Origin("https://user@[::1]:8443")?.description == "https://[::1]:8443")
    }

    @Test("A request has no origin where a combining character stands after a delimiter of the authority")
    func combining() {
        // The delimiter ends what is before it all the same, as it does for whoever reads the bytes.
        #expect(Origin("https://example.com:\u{301}443") == nil)
        #expect(Origin("https://a@\u{301}example.com") == nil)
        #expect(Origin("https://[::1]\u{301}") == nil)
        #expect(Origin("https://a@\u{301}b@example.com") == Origin("https://example.com"))
    }
}

@Suite("Any input")
struct RandomInputTests {
    private struct Generator: RandomNumberGenerator {
        private var numbers = Numbers(Seed.numbers())

        mutating func next() -> UInt64 { numbers.next() }

        mutating func text(from alphabet: [String]) -> String {
            (0..<Int.random(in: 0...12, using: &self))
                .map { _ in alphabet.randomElement(using: &self) ?? "" }
                .joined()
        }
    }

    private static let pieces = [
        "http", "https", ":", "//", "/", "?", "#", "@", "[", "]", "%", "%41", "%4", "::1", ".", "-", " ", "\r\n", "\0",
        "é", "\u{301}", "🙂", "{", "}", "&", "=", "a", "9", "80", "65536", "-1", ",", "\\", "\"",
    ]

    @Test("Any input as a URL is refused, or goes out with only its brackets encoded, and never traps", .seeded)
    func urls() {
        var generator = Generator()
        var (accepted, refused) = (0, 0)
        for index in 0..<20_000 {
            // Pieces alone are hardly ever a URL.
            let text = (index % 2 == 0 ? "" : "http://a/") + generator.text(from: Self.pieces)
            let request = Request.get(text)
            _ = request.origin
            _ = Redaction.standard.url(text)
            _ = ExchangeSnapshot(request.head).description
            guard let wire = try? request.forWire() else {
                refused += 1
                continue
            }
            accepted += 1
            let authority = request.head.authority ?? ""
            let path = (request.head.path ?? "").replacing("[", with: "%5B").replacing("]", with: "%5D")
            #expect(wire.url == "\(request.head.scheme ?? "")://\(authority)\(path)")
            #expect(wire.url.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F }, "\(wire.url)")
        }
        #expect(accepted > 100 && refused > 100, "\(accepted) \(refused)")
    }

    /// One number, or the same one several times, RFC 9110 §8.6; written as plainly as can be.
    private func contentLength(_ text: String) -> Int64? {
        let members = text.split(separator: ",", omittingEmptySubsequences: false)
            .map { $0.trimmingCharacters(in: CharacterSet(charactersIn: " \t")) }
        guard let first = members.first, members.allSatisfy({ Int64($0) == Int64(first) }) else { return nil }
        guard members.allSatisfy({ !$0.isEmpty && $0.utf8.allSatisfy { (48...57).contains($0) } }) else { return nil }
        return Int64(first)
    }

    @Test("Any input as a Content-Length is a number of bytes or nothing", .seeded)
    func contentLengths() {
        var generator = Generator()
        var (numbers, others) = (0, 0)
        for _ in 0..<20_000 {
            let text = generator.text(
                from: ["0", "1", "1", "9", ",1", ",", " ", "-", "+", "x", "\t", "٣", "18446744073709551616"]
            )
            let length = ContentLength.parse(text)
            #expect(length == contentLength(text), "\(text)")
            if length == nil { others += 1 } else { numbers += 1 }
        }
        #expect(numbers > 100 && others > 1000)
    }

    @Test("Any input as a body is previewed without a trap", .seeded)
    func previews() {
        var generator = Generator()
        var (texts, binaries) = (0, 0)
        for _ in 0..<5000 {
            let bytes = Data(
                (0..<Int.random(in: 0...9, using: &generator)).map { _ in UInt8.random(in: 0...255, using: &generator) }
            )
            for isTruncated in [true, false] {
                let preview = BodyPreview(bytes, isTruncated: isTruncated)
                if preview.text == nil { binaries += 1 } else { texts += 1 }
                let text = preview.description
                #expect(!text.contains(where: \.isNewline) && !text.contains("\0"))
            }
        }
        #expect(texts > 100 && binaries > 100)
    }
}

@Suite("Options")
struct OptionTests {
    private enum Count: RequestOption { static var defaultValue: Int { 7 } }
    private enum Note: RequestOption { static var defaultValue: String? { nil } }
    private enum Token: RequestOption {
        static var defaultValue: String { "" }
        static var isCredential: Bool { true }
    }

    @Test("Options have a default, hold what is set, and can be removed")
    func values() {
        var options = RequestOptions()
        #expect(options[Count.self] == 7)
        #expect(!options.contains(Count.self))
        options[Count.self] = 1
        options[Note.self] = nil
        options[Count.self] += 1
        #expect(options[Count.self] == 2)
        #expect(options.contains(Note.self))
        #expect(options[Note.self] == nil)
        options.remove(Count.self)
        #expect(options[Count.self] == 7)
    }

    @Test("Options of one request do not leak into a copy of it")
    func copies() {
        var options = RequestOptions()
        options[Count.self] = 1
        var copy = options
        copy[Count.self] = 2
        #expect(options[Count.self] == 1)
        #expect(copy[Count.self] == 2)
    }

    @Test("Options that are credentials go when asked, the others stay; none shows its value")
    func credentials() {
        var options = RequestOptions()
        options[Count.self] = 1
        options[Token.self] = "hunter2"
        #expect(options.names == ["Count", "Token"])
        #expect(!"\(options)".contains("hunter2"))
        var dumped = ""
        dump(options, to: &dumped)
        #expect(dumped.contains("Token") && !dumped.contains("hunter2"))
        #expect(options.hasCredentials)
        options.removeCredentials()
        #expect(!options.hasCredentials)
        #expect(options.names == ["Count"])
        #expect(options[Token.self] == "")
    }
}
