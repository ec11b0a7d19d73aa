#if AllTests
import Foundation
import HTTPChainCore
import HTTPChainSupport
import HTTPChainURLSession
import HTTPTypes
import TestSupport
import Testing

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

@Suite("Response heads")
struct ResponseHeadTests {
    private func head(
        _ status: Int = 200,
        _ fields: HTTPFields,
        to method: HTTPRequest.Method = .get
    ) throws -> ResponseHead {
        try ResponseHead(status: status, fields: fields, to: method)
    }

    @Test("Joined cookies that are more than the fields a message may have are malformed")
    func manyCookies() throws {
        let line = String(repeating: "a=; Secure, ", count: 33_000)
        let response = try #require(
            HTTPURLResponse(
                url: URL(fileURLWithPath: "/"),
                statusCode: 200,
                httpVersion: nil,
                headerFields: ["Set-Cookie": line + "a="]
            )
        )
        let error = #expect(throws: TooManyFieldsError.self) { try ResponseHead.fields(of: response) }
        #expect(error.map { "\($0)" } == "more than 10000 header fields")
    }

    @Test("Content-Length becomes the length of the body")
    func length() throws {
        #expect(try head(200, [.contentLength: "5"]).content == .body(length: 5))
        #expect(try head(200, [.contentLength: "5, 5"]).content == .body(length: 5))
        #expect(try head(200, [:]).content == .body(length: nil))
        #expect(try head(200, [.contentLength: "0"]).content == .none)
    }

    @Test(
        "A Content-Length that is not a number of bytes is malformed",
        arguments: ["-1", "+2", "abc", "", "2, 3", "99999999999999999999999", "1.5"]
    )
    func nonsense(_ value: String) {
        #expect(throws: ResponseHead.Malformed.self) { try head(200, [.contentLength: value]) }
    }

    @Test("Chunked framing overrides a length")
    func transferEncoding() throws {
        let head = try head(200, [.contentLength: "5", .transferEncoding: "chunked"])
        #expect(head.content == .body(length: nil))
        #expect(head.head.headerFields[.contentLength] == nil)
    }

    @Test("Decoded content loses the fields that describe its coded form", arguments: ["gzip", "GZIP, br", "deflate"])
    func decoded(_ coding: String) throws {
        let head = try head(200, [.contentLength: "5", .contentEncoding: coding, .contentType: "text/plain"])
        #expect(head.content == .body(length: nil))
        #expect(head.head.headerFields == [.contentType: "text/plain"])
    }

    @Test("Content that is not coded keeps its fields")
    func identity() throws {
        let head = try head(200, [.contentLength: "5", .contentEncoding: "identity"])
        #expect(head.content == .body(length: 5))
        #expect(head.head.headerFields[.contentEncoding] == "identity")
    }

    @Test("Answers without content keep the fields that describe it")
    func bodiless() throws {
        let fields: HTTPFields = [.contentLength: "500", .contentEncoding: "gzip"]
        for (status, method) in [(200, HTTPRequest.Method.head), (204, .get), (304, .get)] {
            let head = try head(status, fields, to: method)
            #expect(head.content == .none)
            #expect(head.head.headerFields == fields)
        }
    }

    @Test("Joined Set-Cookie fields are taken apart, commas in dates are not")
    func cookies() {
        let joined =
            "a=1; Expires=Wed, 09 Jun 2031 10:18:14 GMT; Path=/, b=2; Secure, __Host-c=\"x\"; Expires=Wed, 09-Jun-31 10:18:14 GMT"
        #expect(
            ResponseHead.splitCookies(joined) == [
                "a=1; Expires=Wed, 09 Jun 2031 10:18:14 GMT; Path=/", "b=2; Secure",
                "__Host-c=\"x\"; Expires=Wed, 09-Jun-31 10:18:14 GMT",
            ]
        )
        #expect(ResponseHead.splitCookies("a=1") == ["a=1"])
        #expect(ResponseHead.splitCookies("a=1,") == ["a=1,"])
        #expect(ResponseHead.splitCookies("") == [""])
    }

    @Test(
        "A comma that may belong to a cookie's value makes no other cookie",
        arguments: [
            "search=shoes, sid=attacker", "search=shoes, sid=attacker; Path=/", "a=b; Path=/x y, sid=attacker",
            "a=b; note=x, sid=attacker", "a=b; Expires=x, sid=attacker", "a=b; Path=/,sid=attacker",
            "a=b; Domain=, sid=attacker", "a=b; Max-Age=1x, sid=attacker", "a=b; Max-Age=+5, sid=attacker",
            "a=b; Max-Age=-, sid=attacker", "a=b; Path=/\u{301}, sid=attacker",
            "a=b; Secure=x, sid=attacker", "a=b;, sid=attacker", "a=b; SameSite=x, sid=attacker",
            "a=b; Expires=Wed, 09 Jun 2031, sid=attacker", "a=b,\u{301} sid=attacker", "a=b; HttpOnly, , sid=attacker",
            "a=b; Path=/shop, sid=attacker", "a=b; Secure; Path=/%20, sid=attacker; Path=/x",
        ]
    )
    func uncertainCommas(joined: String) {
        #expect(ResponseHead.splitCookies(joined) == [joined])
    }

    @Test(
        "A comma behind an attribute of a fixed form ends a cookie",
        arguments: [
            "Path=/", "path=/", "Path=/app; Secure", "Domain=.a.example", "Max-Age=-1", "Max-Age=99999999999999999999",
            "Secure", " HttpOnly ",
            "Partitioned",
            "SameSite=Lax", "Priority=High", "Expires=Wed, 09 Jun 2031 10:18:14 GMT",
            "expires=Wednesday, 09-Jun-31 10:18:14 GMT", "Secure; Path=/",
        ]
    )
    func certainCommas(attribute: String) {
        let joined = "a=x, y=z; \(attribute), b=2; \(attribute), c="
        #expect(ResponseHead.splitCookies(joined) == ["a=x, y=z; \(attribute)", "b=2; \(attribute)", "c="])
    }

    @Test("Whatever values hold, no cookie has a name that the server did not send", .seeded)
    func randomCookies() {
        let numbers = Seed.numbers()
        func pick(_ texts: [String]) -> String { texts[numbers.index(below: texts.count)] }
        for _ in 0..<5_000 {
            let cookies = (0..<1 + numbers.index(below: 4)).map { number in
                let value = (0..<numbers.index(below: 5)).map { _ in
                    pick([", sid=attacker", ",", " ", "sid=", "x", "\u{301}", "Path=/", "Secure", "=", "\"", ", ", "é"])
                }
                let attributes = (0..<numbers.index(below: 3)).map { _ in
                    pick([
                        "Path=/", "Path=/shop, sid=attacker", "Secure", "Expires=Wed, 09 Jun 2031 10:18:14 GMT",
                        "Max-Age=1",
                    ])
                }
                return (["c\(number)=\(value.joined())"] + attributes).joined(separator: "; ")
            }
            let seen = ResponseHead.splitCookies(cookies.joined(separator: ", "))
            for cookie in seen {
                let name = String(Substring(cookie.utf8.prefix { $0 != UInt8(ascii: "=") }))
                #expect(["c0", "c1", "c2", "c3"].contains(name), "\(cookies)")
            }
            if cookies.allSatisfy({ $0.hasSuffix("; Secure") }) { #expect(seen == cookies) }
        }
    }
}
#endif
