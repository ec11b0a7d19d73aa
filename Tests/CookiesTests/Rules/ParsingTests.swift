#if AllTests
import Foundation
import HTTPChainCookies
import HTTPChainCore
import Testing

@Suite("Set-Cookie fields")
struct ParsingTests {
    struct Case: Decodable, Sendable, CustomTestStringConvertible {
        let name: String
        let set: [String]
        let url: String
        let sent: String
        let because: String?
        let elsewhere: String?
        var testDescription: String { name }

        static func all() throws -> [Case] {
            let url = try #require(Bundle.module.url(forResource: "Resources/parsing", withExtension: "json"))
            return try JSONDecoder().decode([Case].self, from: Data(contentsOf: url))
        }
    }

    @Test("Set-Cookie fields become the cookies that user agents send")
    func publicCases() throws {
        let cases = try Case.all()
        #expect(cases.count == 111)
        for one in cases {
            var browser = Browser()
            for field in one.set { browser.receive(field, from: "http://home.example.org:8888/cookie-parser?x") }
            #expect((browser.field(for: one.url) ?? "") == one.sent, "\(one.name)")
        }
        // Where the draft and the cases differ, the table says why, and they do differ.
        #expect(cases.allSatisfy { ($0.because == nil) == ($0.elsewhere == nil) && $0.elsewhere != $0.sent })
    }

    @Test("Set-Cookie fields with a control character other than the tab are ignored")
    func controlCharacters() {
        for code in 0...0x7F where code < 0x20 || code == 0x7F {
            guard let scalar = Unicode.Scalar(UInt32(code)) else { continue }
            for field in ["a\(scalar)=b", "a=b\(scalar)c", "a=b; Path=/\(scalar)x"] {
                var browser = Browser()
                let reason = browser.receive(field)
                #expect(reason == (code == 0x09 ? nil : .controlCharacter), "\(code)")
            }
        }
    }

    @Test("Set-Cookie fields are bounded: 5,000 bytes a field, 4,096 name and value, 1,024 an attribute")
    func sizes() {
        var browser = Browser()
        #expect(browser.receive("a=" + String(repeating: "x", count: 4_095)) == nil)
        #expect(browser.receive("b=" + String(repeating: "x", count: 4_096)) == .tooLarge)
        #expect(browser.receive("c=d; x=" + String(repeating: "x", count: 5_000)) == .fieldTooLong)
        // An attribute that is too long is ignored, and the one before it counts.
        let long = "/" + String(repeating: "x", count: 1_024)
        #expect(browser.receive("d=e; Path=/here; Path=\(long)") == nil)
        #expect(browser.field(for: "https://www.example.com/here")?.hasPrefix("d=e; ") == true)
    }

    @Test("Set-Cookie fields say how long a cookie lives: Max-Age before Expires, 400 days at most")
    func lifetime() {
        let day = 86_400.0
        for (attributes, days) in [
            ("Max-Age=86400", 1.0), ("Max-Age=86400; Expires=Wed, 01 Jan 2020 00:00:00 GMT", 1),
            ("Expires=Wed, 02 Jan 2019 00:00:00 GMT; Max-Age=172800", 2), ("Max-Age=99999999999999999999999", 400),
            ("Expires=Wed, 01 Jan 2098 00:00:00 GMT", 400), ("Max-Age=172800; Max-Age=x", 2),
            ("Max-Age=86400; max-age=172800", 2),
        ] {
            var browser = Browser()
            browser.receive("a=b; \(attributes)")
            #expect(browser.storage.cookies.first?.expires == now + days * day, "\(attributes)")
        }
        for attributes in ["Max-Age=+1", "Max-Age=1.5", "Max-Age=", "Max-Age=-", "Expires=soon", "Max-Age= 5 5"] {
            var browser = Browser()
            browser.receive("a=b; \(attributes)")
            #expect(browser.storage.cookies.map(\.expires) == [nil], "\(attributes)")
        }
        for attributes in ["Max-Age=0", "Max-Age=-1", "Expires=Tue, 01 Jan 2019 00:00:00 GMT", "Max-Age=-99999999999"] {
            var browser = Browser()
            browser.receive("a=b")
            browser.receive("a=c; \(attributes)")
            #expect(browser.storage.isEmpty, "\(attributes)")
        }
    }
}
#endif
