#if AllTests
import Foundation
import HTTPChainCore
import HTTPChainHAR
import HTTPTypes
import Testing

@Suite("Matching a request with a recorded one")
struct MatchingTests {
    private func differences(
        _ sent: HARRequest,
        _ recorded: HARRequest,
        _ change: (inout ReplayMatching) -> Void = { _ in }
    ) -> [String] {
        var matching = ReplayMatching()
        change(&matching)
        return matching.differences(between: sent, and: recorded)
    }

    private func get(_ url: String) -> HARRequest { HARRequest(method: "GET", url: url) }

    private func post(_ type: String, _ text: String) -> HARRequest {
        HARRequest(method: "POST", url: "https://a.example/", postData: HARPostData(mimeType: type, text: text))
    }

    @Test(
        "URLs that mean the same are the same",
        arguments: [
            ("https://A.example/x", "https://a.example:443/x"), ("https://a.example/%7Ea", "https://a.example/~a"),
            ("https://a.example/?b=2&a=1", "https://a.example/?a=1&b=2"),
            ("https://a.example/?q=a+b", "https://a.example/?q=a%20b"),
            ("https://a.example", "https://a.example/"), ("https://a.example/#x", "https://a.example/"),
        ]
    )
    func sameURLs(_ one: String, _ other: String) {
        #expect(differences(get(one), get(other)).isEmpty)
    }

    @Test(
        "URLs that differ say in what",
        arguments: [
            ("https://a.example/x", "https://a.example/y", "the path is /x; recorded is /y"),
            ("https://a.example/", "https://b.example/", "the host is a.example; recorded is b.example"),
            ("https://a.example/", "http://a.example/", "the scheme is https; recorded is http"),
            ("https://a.example:8443/", "https://a.example/", "the port is 8443; recorded is 443"),
            ("https://a.example/?p=2", "https://a.example/?p=1", "query parameter \"p\" is \"2\"; recorded is \"1\""),
            ("https://a.example/?p=2", "https://a.example/", "query parameter \"p\" is \"2\"; none is recorded"),
            ("https://a.example/", "https://a.example/?p=1", "query parameter \"p\" is missing; recorded is \"1\""),
            (
                "https://a.example/?p=1&p=2", "https://a.example/?p=2&p=1",
                "query parameter \"p\" is \"1\", \"2\"; recorded is \"2\", \"1\""
            ),
        ]
    )
    func differentURLs(_ sent: String, _ recorded: String, _ words: String) {
        #expect(differences(get(sent), get(recorded)) == [words])
    }

    @Test("A percent sign before a plus or minus sign and a digit isn't an escape")
    func noEscape() {
        #expect(get("https://a.example/?q=%+5").queryString.map(\.value) == ["% 5"])
        #expect(!differences(get("https://a.example/%+5"), get("https://a.example/%05")).isEmpty)
    }

    @Test("Parts of the URL, the method and parameters can be left out")
    func leavingOut() {
        let one = get("https://a.example/x?t=1&q=2")
        #expect(differences(one, get("http://b.example:81/x?t=1&q=2")) { $0.url = [.path, .query] }.isEmpty)
        #expect(differences(one, get("https://a.example/x?t=9&q=2")) { $0.ignoredQuery = ["t"] }.isEmpty)
        #expect(differences(one, get("https://a.example/x")) { $0.url.remove(.query) }.isEmpty)
        let put = HARRequest(method: "PUT", url: one.url)
        #expect(differences(put, one) == ["the method is PUT; recorded is GET"])
        #expect(differences(put, one) { $0.method = false }.isEmpty)
        #expect(differences(one, one) { $0.custom = { _, _ in ["never"] } } == ["never"])
    }

    @Test("Chosen header fields are compared, others are not, and Range always is")
    func headers() {
        var one = get("https://a.example/")
        one.fields = [HARField(name: "Accept", value: "text/html"), HARField(name: "X-Trace", value: "1")]
        var other = one
        other.fields = [HARField(name: "accept", value: "*/*")]
        #expect(differences(one, other).isEmpty)
        #expect(
            differences(one, other) { $0.headers = [.accept] }
                == ["the field accept is \"text/html\"; recorded is \"*/*\""]
        )
        other.fields = [HARField(name: "Range", value: "bytes=0-4")]
        #expect(differences(one, other) == ["the field range is missing; recorded is \"bytes=0-4\""])
        #expect(differences(other, one).isEmpty, "a server may answer a range with all of it")
    }

    @Test("JSON is compared by what it means", arguments: ["application/json", "application/hal+json; charset=utf-8"])
    func json(_ type: String) {
        let recorded = post(type, "{\"a\": [1, {\"b\": null}], \"c\": 100, \"é\": \"\\u00e9\"}")
        #expect(differences(post(type, "{\"é\":\"é\",\"c\":1e2,\"a\":[1.0,{\"b\":null}]}"), recorded).isEmpty)
        #expect(
            differences(post(type, "{\"a\":[1,{\"b\":true}],\"d\":0,\"é\":\"é\"}"), recorded) == [
                "body $.a[1].b is true; recorded is null", "body $.c is missing; recorded is 1e2",
                "body $.d is 0; none is recorded",
            ]
        )
        #expect(
            !differences(post(type, "{\"a\":[1,{\"b\":null}],\"c\":100 ,\"é\":\"é\"}"), recorded) { $0.body = .exact }
                .isEmpty
        )
        #expect(differences(post(type, "{}"), recorded) { $0.body = .ignored }.isEmpty)
        // Numbers that a Double takes for the same.
        #expect(differences(post(type, "12345678901234567890"), post(type, "12345678901234567891")).count == 1)
        #expect(differences(post(type, "-0.0"), post(type, "0")).isEmpty)
        #expect(differences(post(type, "1e999999999999999999999"), post(type, "1")).count == 1)
    }

    @Test("Texts that are canonically equal, with other bytes, are different ones", arguments: [false, true])
    func canonicallyEqual(isExact: Bool) {
        let (one, other) = ("caf\u{E9}", "cafe\u{301}")
        for type in ["text/plain", "application/json", "application/x-www-form-urlencoded"] {
            let body = { (text: String) in type.hasSuffix("json") ? "{\"a\":\"\(text)\",\"\(text)\":1}" : "a=\(text)" }
            #expect(
                !differences(post(type, body(one)), post(type, body(other))) { $0.body = isExact ? .exact : .byMeaning }
                    .isEmpty
            )
        }
        for url in ["https://a.example/?q=", "https://a.example/?q[]=1&x=", "https://a.example/"] {
            #expect(differences(get(url + "caf%C3%A9"), get(url + "cafe%CC%81")).count == 1)
        }
        var (sent, recorded) = (get("https://a.example/"), get("https://a.example/"))
        sent.fields = [HARField(name: "Accept", value: one)]
        recorded.fields = [HARField(name: "Accept", value: other)]
        #expect(differences(sent, recorded) { $0.headers = [.accept] }.count == 1)
    }

    @Test("Forms are compared by their fields, also where a program wrote parameters instead of text")
    func forms() {
        let type = "application/x-www-form-urlencoded; charset=UTF-8"
        #expect(differences(post(type, "b=2&a=x+y"), post(type, "a=x%20y&b=2")).isEmpty)
        #expect(
            differences(post(type, "a=1&b=3"), post(type, "a=1&b=2"))
                == ["form field \"b\" is \"3\"; recorded is \"2\""]
        )
        var parameters = HARPostData(mimeType: type)
        parameters.params = [HARParameter(name: "a", value: "x y"), HARParameter(name: "b", value: "2")]
        let recorded = HARRequest(method: "POST", url: "https://a.example/", postData: parameters)
        #expect(differences(post(type, "b=2&a=x+y"), recorded).isEmpty)
    }

    @Test("Multipart bodies are compared by their parts, whatever the boundary")
    func multipart() {
        func form(_ boundary: String, _ name: String = "a.txt", _ content: String = "one\r\ntwo") -> HARRequest {
            post(
                "multipart/form-data; boundary=\(boundary)",
                "--\(boundary)\r\nContent-Disposition: form-data; name=\"n\"\r\n\r\n1\r\n--\(boundary)\r\n"
                    + "Content-Disposition: form-data; name=\"f\"; filename=\"\(name)\"\r\nContent-Type: text/plain\r\n\r\n"
                    + "\(content)\r\n--\(boundary)--\r\n"
            )
        }
        #expect(differences(form("x"), form("another")).isEmpty)
        #expect(
            differences(form("x", "b.txt"), form("y"))
                == ["the file name of part \"f\" is \"b.txt\"; recorded is \"a.txt\""]
        )
        #expect(
            differences(form("x", "a.txt", "one"), form("y"))
                == ["the content of part \"f\" differs (3 and 8 bytes)"]
        )
        // A search for a longer boundary takes its length times that of the body.
        let long = String(repeating: "-", count: 69)
        #expect(differences(form("\(long)x"), form("\(long)y")).isEmpty)
        #expect(!differences(form("\(long)xx"), form("\(long)yy")).isEmpty)
    }

    @Test("Other bodies are compared byte by byte; of one that was not recorded whole, the beginning is")
    func others() {
        #expect(
            differences(post("text/plain", "hello world"), post("text/plain", "hello there")) == [
                "the body differs from character 7 on: \"hello world\"; recorded is \"hello there\""
            ]
        )
        var binary = HARPostData(mimeType: "application/octet-stream", text: Data([0, 1, 0xFF]).base64EncodedString())
        binary.encoding = "base64"
        let recorded = HARRequest(method: "POST", url: "https://a.example/", postData: binary)
        #expect(differences(recorded, recorded).isEmpty)
        #expect(
            differences(HARRequest(method: "POST", url: "https://a.example/"), recorded)
                == ["the body is empty; recorded is 3 bytes"]
        )
        var beginning = post("text/plain", "hello")
        beginning.postData?.customFields["_truncated"] = true
        #expect(differences(post("text/plain", "hello world"), beginning).isEmpty)
        #expect(differences(post("text/plain", "help"), beginning) == ["the beginning of the body differs"])
    }
}
#endif
