#if AllTests
import Foundation
import HTTPChainCore
import HTTPChainTesting
import HTTPTypes
import Testing

@Suite("Comparing requests and responses")
struct ExpectationTests {
    private let request = Request.post(
        "https://example.com/a?token=secret",
        headers: [.accept: "text/plain", .authorization: "Bearer secret"],
        body: "first line\nsecond line"
    )

    private func differences(_ check: () async throws -> Void) async -> [String] {
        await #expect(throws: MessageDifference.self) { try await check() }?.differences ?? []
    }

    @Test("Equal messages pass, whatever the order of their fields")
    func equal() async throws {
        try await expectRequest(request)
        try await expectRequest(request, headers: [.authorization: "Bearer secret", .accept: "text/plain"])
        try await expectRequest(request, .post, headers: [.accept: "text/plain"], without: [.cookie])
        try await expectResponse(Response(.ok, body: "x"), 200, body: "x")
    }

    @Test("Method, URL and status are told apart")
    func startLine() async {
        #expect(
            await differences { try await expectRequest(request, .get, "https://example.com/b") } == [
                "the method is POST, not GET",
                "the URL is https://example.com/a?token=<redacted>\n       not https://example.com/b",
            ]
        )
        #expect(
            await differences { try await expectRequest(request, nil, "https://example.com/a?token=other") } == [
                "the URL https://example.com/a?token=<redacted> differs in a secret part"
            ]
        )
        #expect(
            await differences { try await expectResponse(Response(.ok), .notFound) } == [
                "the status is 200 OK, not 404 Not Found"
            ]
        )
    }

    @Test("Fields that are missing, unexpected or different are named, and no secret is shown")
    func fields() async {
        var other = request
        other.head.headerFields = [.accept: "text/html", .authorization: "Bearer other", .age: "1"]
        #expect(
            await differences { try await expectRequest(other, headers: request.headers, without: [.age]) } == [
                "Accept is \"text/html\", not \"text/plain\"",
                "Authorization has a different value than expected (both <redacted>)",
                "Age is not expected; it is \"1\"",
            ]
        )
        #expect(
            await differences {
                try await expectRequest(request, headers: [.age: "1", .cookie: "a=b"], without: [.authorization])
            } == [
                "Age is missing; expected \"1\"",
                "Cookie is missing; expected <redacted>",
                "Authorization is not expected; it is <redacted>",
            ]
        )
    }

    @Test("Repeated fields are compared value by value")
    func repeatedFields() async {
        var headers = HTTPFields()
        headers[values: .via] = ["a", "b"]
        #expect(
            await differences { try await expectResponse(Response(.ok, headers: headers), headers: [.via: "a"]) } == [
                "Via is \"a\" and \"b\", not \"a\""
            ]
        )
    }

    @Test("Of text the first difference is shown with its line, its column and what stands around it")
    func text() async {
        let expected: HTTPBody = "first line\nsecond time"
        #expect(
            await differences { try await expectRequest(request, body: expected) } == [
                """
                the body differs from line 2, column 8
                actual:   "first line\\nsecond line"
                expected: "first line\\nsecond time"
                """
            ]
        )
        let long = String(repeating: "x", count: 100)
        #expect(
            await differences {
                try await expectResponse(Response(.ok, body: HTTPBody(long)), body: HTTPBody(long + "y"))
            } == [
                """
                the body differs from line 1, column 101
                actual:   …"\(String(repeating: "x", count: 20))" (ends there)
                expected: …"\(String(repeating: "x", count: 20))y"
                """
            ]
        )
    }

    @Test("JSON is compared as a value, and shown with its keys in order")
    func json() async throws {
        let response = Response(.ok, body: #"{"b": [1, 2], "a": {"x": null, "y": true}}"#)
        try await expectResponse(response, json: #"{"a":{"y":true,"x":null},"b":[1,2]}"#)
        try await expectRequest(.post("/", body: "1"), json: " 1 ")
        let found = await differences { try await expectResponse(response, json: #"{"a":{"y":true},"b":[1,3]}"#) }
        #expect(found.count == 1)
        #expect(found.first?.contains("the body differs from line 3") == true, "\(found)")
        #expect(
            await differences { try await expectResponse(Response(.ok, body: "<html>"), json: "{}") } == [
                "the body is not JSON: <html>"
            ]
        )
        #expect(
            await differences { try await expectResponse(response, json: "{") } == [
                "the expected JSON is not JSON"
            ]
        )
    }

    @Test("Of other bytes the first difference is shown in hexadecimal")
    func bytes() async {
        let actual = Response(.ok, body: HTTPBody(Data([0xFF, 0x00, 0x0A])))
        #expect(
            await differences { try await expectResponse(actual, body: HTTPBody(Data([0xFF, 0x01]))) } == [
                """
                the body has 3 bytes, not 2; they differ from byte 1
                actual:   ff 00 0a
                expected: ff 01
                """
            ]
        )
        #expect(
            await differences { try await expectResponse(Response(.ok, body: "e\u{301}"), body: "é") }.first?
                .contains("65 cc 81") == true,
            "text that looks the same"
        )
    }

    @Test("All differences stand in one description")
    func description() async {
        let error = await #expect(throws: MessageDifference.self) {
            let response = Response(.ok, headers: [.age: "1"], body: "a")
            try await expectResponse(response, .created, without: [.age], body: "b")
        }
        #expect(
            error?.description == """
                the response is not as expected:
                  - the status is 200 OK, not 201 Created
                  - Age is not expected; it is "1"
                  - the body differs from line 1, column 1
                    actual:   "a"
                    expected: "b"
                """
        )
    }
}
#endif
