import Foundation
import HTTPChainCore
import HTTPChainSupport
import HTTPTypes
import Testing

@Suite("Requests and responses")
struct MessagePartsTests {
    @Test("Requests and responses have their fields, method, status and URL in the same places, to read and to set")
    func parts() {
        var request = Request.get("https://example.com/a")
        request.method = .put
        request.headers[.accept] = "text/plain"
        request.url = "https://example.com/b"
        #expect(request.head.method == .put)
        #expect(request.head.headerFields == request.headers)
        #expect(request.headers[.accept] == "text/plain")
        #expect(request.head.path == "/b")

        var response = Response(.ok)
        response.status = .notFound
        response.headers[.contentType] = "text/plain"
        #expect(response.head.status == .notFound)
        #expect(response.head.headerFields[.contentType] == "text/plain")
        #expect(response.url == nil)
        response.request = request.head
        #expect(response.url == "https://example.com/b")
    }

    @Test(
        "Requests and responses encode in a URL what a browser encodes, and leave the rest",
        arguments: [
            ("https://example.com/a b?q=c d", "https://example.com/a%20b?q=c%20d"),
            ("https://example.com/é/🙂?ü=\"x\"", "https://example.com/%C3%A9/%F0%9F%99%82?%C3%BC=%22x%22"),
            ("https://example.com/<a>|`^\\", "https://example.com/%3Ca%3E%7C%60%5E%5C"),
            ("  https://example.com/a\n", "https://example.com/a"),
            ("https://exam\tple.com/a\r\nb", "https://example.com/ab"),
            ("https://example.com/%41%zz", "https://example.com/%41%zz"),
            ("https://example.com/a'b!$&()*+,;=:@~", "https://example.com/a'b!$&()*+,;=:@~"),
            ("users/{ïd} {?q}", "users/{ïd}%20{?q}"),
            ("https://münchen.example:8080/", "https://xn--mnchen-3ya.example:8080/"),
            ("https://ü%2F.example/", "https://ü%2F.example/"),
            ("https://{ténant}.example.com/", "https://{ténant}.example.com/"),
        ]
    )
    func encoding(text: String, expected: String) {
        #expect(Request.get(text).url == expected)
        var request = Request.get("x")
        request.url = text
        #expect(request.url == expected)
        // What is encoded once stays as it is.
        #expect(Request.get(expected).url == expected)
    }

    @Test("Requests and responses are made from a URL of Foundation's wherever they are made from text")
    func foundation() throws {
        let url = try #require(URL(string: "https://example.com/a?b=c#d"))
        let made: [Request] = [
            .get(url), .post(url), .put(url), .patch(url), .delete(url), try .post(url, json: 1), Request(.head, url),
        ]
        #expect(made.allSatisfy { $0.url == "https://example.com/a?b=c" && $0.fragment == "d" })
        #expect(made.map(\.method) == [.get, .post, .put, .patch, .delete, .post, .head])
        let base = try #require(URL(string: "https://example.com/v2/"))
        let relative = try #require(URL(string: "users", relativeTo: base))
        #expect(Request.get(relative).url == "https://example.com/v2/users")
    }

    @Test("Content is a stream of events whatever the case and the parameters of its type")
    func eventStream() {
        func isEventStream(_ lines: String...) -> Bool {
            var head = HTTPResponse(status: .ok)
            for line in lines { head.headerFields.append(HTTPField(name: .contentType, value: line)) }
            return head.isEventStream
        }
        for type in [
            "text/event-stream", "Text/Event-Stream", " text/event-stream ; charset=utf-8", "text/event-stream;",
        ] {
            #expect(isEventStream(type), "\(type)")
        }
        for type in [
            "text/event-streams", "text/event", "application/json", "", "x-text/event-stream", "text/event-stream/x",
        ] {
            #expect(!isEventStream(type), "\(type)")
        }
        #expect(!isEventStream())
        #expect(isEventStream("text/html", "text/event-stream"))
    }

    @Test("A field's value is that of the subscript, also of several lines")
    func fieldValue() {
        var fields: HTTPFields = [.accept: "text/html", .contentLength: "5"]
        fields.append(HTTPField(name: .accept, value: "text/plain"))
        fields.append(HTTPField(name: .cookie, value: "a=1"))
        fields.append(HTTPField(name: .cookie, value: "b=2"))
        for name in [HTTPField.Name.accept, .contentLength, .cookie, .age] {
            #expect(fields.value(of: name) == fields[name])
        }
    }

    @Test("The owner of a request is what the closure says, at once or after it has asked")
    func owner() async throws {
        let request = Request.get("https://example.com/")
        for partition: UserPartition in [
            .by { _ in "ada" },
            .by { _ in
                await Task.yield()
                return "ada"
            },
        ] {
            #expect(partition.seesUsers && partition.isApart && !partition.isShared)
            #expect(try await partition.owner(of: request) == .user("ada"))
        }
        let nobody = UserPartition.by { _ in nil }
        #expect(try await nobody.owner(of: request) == .user(""))
        struct Unknown: Error {}
        await #expect(throws: Unknown.self) { try await UserPartition.by { _ in throw Unknown() }.owner(of: request) }
    }
}
