import Foundation
import HTTPChainCore
import HTTPTypes
import Testing

/// Names that a user writes before reading a page.
///
/// `Tests/Documentation/Mistakes.swift` has those that are an error which says what to write.
@Suite("Guessed names")
struct GuessedNamesTests {
    @Test("A header field whose name is text is read and set as one with a name of HTTPTypes")
    func headerNames() {
        var request = Request.get(
            "https://host/",
            headers: HTTPFields(["X-A": "1", "x-a": "2", "Accept": "text/plain"])
        )
        #expect(request.headers["X-A"] == "1, 2")
        #expect(request.headers["accept"] == request.headers[.accept])
        request.headers["X-A"] = "3"
        request.headers["Accept"] = nil
        #expect(request.headers == HTTPFields(["X-A": "3"]))
        #expect(request.headers["X-B"] == nil)
    }

    @Test(
        "A header field whose name isn't a token has no value, and its request isn't sent",
        arguments: ["", "X A", ":path", "Ä", "X\r\nA: 1", "X\0", String(repeating: "é", count: 100_000)]
    )
    func invalidNames(name: String) {
        var request = Request.get("https://host/")
        request.headers[name] = nil
        #expect(throws: Never.self) { _ = try request.forWire() }
        request.headers[name] = "1"
        #expect(request.headers[name] == nil)
        let literal = Request.get("https://host/", headers: HTTPFields([name: "1"]))
        for request in [request, literal] {
            let error = #expect(throws: InvalidRequestError.self) { _ = try request.forWire() }
            guard case .invalidHeaderName(let told)? = error?.problem else {
                Issue.record("\(error.map(String.init(describing:)) ?? "no error")")
                continue
            }
            #expect(told.utf8.count <= 20_000)
            #expect(!told.utf8.contains { $0 < 0x20 })
        }
    }

    @Test("A body is text with values in it")
    func interpolatedBody() {
        let number = 7
        #expect(Request.post("https://host/", body: "number=\(number)").body.bytes == Data("number=7".utf8))
        #expect(Request.post("https://host/", body: "").body.isEmpty)
    }

    @Test("A transport error with nothing but its kind leaves open whether the request was sent")
    func transportError() {
        let error = TransportError(.connectionLost)
        #expect(error.kind == .connectionLost && error.sent == .maybe && error.stage == "transport")
        #expect(error.detail.isEmpty && error.exchange == nil && error.underlyingError == nil)
    }
}
