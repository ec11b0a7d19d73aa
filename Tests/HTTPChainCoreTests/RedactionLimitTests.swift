import Foundation
import HTTPChainCore
import HTTPChainSupport
import HTTPTypes
import Testing

@Suite("Limits of redaction")
struct RedactionLimitTests {
    private let long = String(repeating: "a", count: 40_000)

    @Test("A URL, a field and a text of an error show 16 KiB at most")
    func limits() {
        let redaction = Redaction.standard
        #expect(redaction.url("https://a.example/\(long)").utf8.count == 16 << 10)
        let field = HTTPField(name: .userAgent, value: long)
        #expect(redaction.value(of: field).utf8.count == (16 << 10) + "…".utf8.count)
        #expect(redaction.text(long, upTo: 100) == String(repeating: "a", count: 100) + "…")
        #expect(redaction.text("abc", upTo: 3) == "abc")
        let error = TransportError(.other, sent: .nothing, stage: "test", detail: long)
        #expect(error.description.utf8.count < 20_000)
    }

    @Test("A secret that the limit cuts off stays redacted")
    func cutOff() {
        let redaction = Redaction.standard.adding(values: ["hunter2hunter2"])
        let filler = String(repeating: "a ", count: 8_000)
        for secret in ["\"password\":\"hunter2hunter2", "hunter2hunter2", "Bearer hunter2hunter2"] {
            let text = filler + secret
            for limit in filler.utf8.count + secret.utf8.count - 9..<text.utf8.count {
                #expect(!redaction.text(text, upTo: limit).contains("hunter"), "\(secret) \(limit)")
            }
        }
        let url = "https://a.example/?q=\(String(repeating: "a", count: 16_300))&token=hunter2\(long)"
        #expect(!redaction.url(url).contains("hunter"))
        let location = HTTPField(name: .location, value: url)
        #expect(!redaction.value(of: location).contains("hunter"))
        let link = HTTPField(name: .init("Link")!, value: "<\(url)>")
        #expect(!redaction.value(of: link).contains("hunter"))
    }

    @Test("An error shows no secret to a mirror or a dump before it is read")
    func mirrors() {
        var request = HTTPRequest(
            method: .get,
            scheme: "https",
            authority: "bob:hunter2@a.example",
            path: "/?token=hunter2"
        )
        request.headerFields[.authorization] = "Bearer hunter2"
        let response = HTTPResponse(status: .notFound, headerFields: [.setCookie: "sid=hunter2"])
        let snapshot = ExchangeSnapshot(
            request,
            response: response,
            preview: BodyPreview(Data(#"{"password":"hunter2"}"#.utf8), isTruncated: false)
        )
        let error = TransportError(
            .other,
            sent: .nothing,
            stage: "test",
            detail: "password=hunter2",
            exchange: snapshot
        )
        for value in [snapshot, error] as [Any] {
            var dumped = ""
            dump(value, to: &dumped)
            #expect(!dumped.contains("hunter2"), "\(dumped)")
            #expect(!String(reflecting: value).contains("hunter2"))
            #expect(!String(describing: Mirror(reflecting: value).children.map { "\($0)" }).contains("hunter2"))
        }
        #expect(snapshot == ExchangeSnapshot(request, response: response, preview: snapshot.bodyPreview))
        #expect(Set([snapshot, snapshot]).count == 1)
    }

    #if DEBUG && !canImport(Darwin)
    @Test("An error takes no step of redaction until it is read")
    func lazy() async {
        let request = HTTPRequest(
            method: .get,
            scheme: "https",
            authority: "a.example",
            path: "/?token=\(long)",
            headerFields: [.userAgent: "password=\(long)"]
        )
        var made: TransportError?
        let steps = await Steps.counted {
            let snapshot = ExchangeSnapshot(request, response: HTTPResponse(status: .notFound))
            made = TransportError(.other, sent: .nothing, stage: "test", detail: "token=\(long)", exchange: snapshot)
        }
        #expect(steps == 0)
        let read = await Steps.counted { _ = made?.description }
        #expect(read > 0)
    }
    #endif
}
