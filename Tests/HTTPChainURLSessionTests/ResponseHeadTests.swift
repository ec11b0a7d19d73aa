#if AllTests
import Foundation
import HTTPChainCore
import HTTPTypes
import Testing

@testable import HTTPChainURLSession

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
        let line = String(repeating: "a=,", count: 33_000)
        let response = try #require(
            HTTPURLResponse(
                url: URL(fileURLWithPath: "/"),
                statusCode: 200,
                httpVersion: nil,
                headerFields: ["Set-Cookie": [line, line, line].joined(separator: ", ")]
            )
        )
        let error = #expect(throws: ResponseHead.Malformed.self) { try ResponseHead(response, to: .get) }
        #expect(error?.detail == "more than 10000 header fields")
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
            "a=1; Expires=Wed, 09 Jun 2031 10:18:14 GMT; Path=/, b=2, __Host-c=\"x\"; Expires=Wed, 09-Jun-31 10:18:14 GMT"
        #expect(
            ResponseHead.splitCookies(joined) == [
                "a=1; Expires=Wed, 09 Jun 2031 10:18:14 GMT; Path=/", "b=2",
                "__Host-c=\"x\"; Expires=Wed, 09-Jun-31 10:18:14 GMT",
            ]
        )
        #expect(ResponseHead.splitCookies("a=1") == ["a=1"])
        #expect(ResponseHead.splitCookies("a=1,") == ["a=1,"])
        #expect(ResponseHead.splitCookies("") == [""])
    }
}
#endif
