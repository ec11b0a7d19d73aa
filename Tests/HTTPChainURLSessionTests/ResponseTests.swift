#if AllTests
import Foundation
import HTTPChainCore
import HTTPChainURLSession
import HTTPTypes
import TestSupport
import Testing

@Suite("Responses over URLSession", .heavy, .timeLimit(.minutes(10)))
struct ResponseTests {
    private let transport = URLSessionTransport()

    private func answer(
        _ reply: String,
        to method: HTTPRequest.Method = .get,
        _ check: (Response) async throws -> Void
    ) async throws {
        try await withServer(answering { _ in reply }) { base in
            try await check(try await transport.send(Request(method, base + "/")))
        }
    }

    @Test(
        "A 401 is delivered with its body, whatever it asks for",
        arguments: [
            "Basic realm=\"x\"", "basic realm=x, charset=\"UTF-8\"", "Basic",
            "Digest realm=\"x\", nonce=\"abc\", qop=\"auth\"",
            "Digest realm=\"x\", nonce=\"abc\", Basic realm=\"y\", Bearer", "Bearer", "Negotiate",
        ]
    )
    func unauthorized(_ challenge: String) async throws {
        let reply = String.reply("401 Unauthorized", ["WWW-Authenticate: \(challenge)"], body: "denied")
        for method in [HTTPRequest.Method.get, .head, .post] {
            let isHead = method == .head
            try await answer(isHead ? String(reply.dropLast(6)) : reply, to: method) { response in
                #expect(response.status == .unauthorized)
                #expect(response.headers[.wwwAuthenticate] == challenge)
                let text = try await response.body.text()
                #expect(text == (isHead ? "" : "denied"))
            }
        }
    }

    @Test("Two challenge fields and a 407 are delivered")
    func otherChallenges() async throws {
        let two = ["WWW-Authenticate: Basic realm=\"a\"", "WWW-Authenticate: Digest realm=\"b\", nonce=\"c\""]
        try await answer(.reply("401 Unauthorized", two, body: "denied")) { response in
            #expect(response.headers[.wwwAuthenticate] == "Basic realm=\"a\", Digest realm=\"b\", nonce=\"c\"")
            let text = try await response.body.text()
            #expect(text == "denied")
        }
        try await answer(.reply("407 P", ["Proxy-Authenticate: Basic realm=\"a\""], body: "denied")) { response in
            #expect(response.status == .proxyAuthenticationRequired)
            let text = try await response.body.text()
            #expect(text == "denied")
        }
    }

    @Test("Redirects are delivered with their bodies, not followed", arguments: [300, 301, 302, 303, 307, 308])
    func redirects(_ code: Int) async throws {
        let paths = Events<String>()
        try await withServer(
            answering { request in
                paths.add(request.line)
                return .reply("\(code) Moved", ["Location: /elsewhere"], body: "moved")
            }
        ) { base async throws in
            let response = try await transport.send(.get(base + "/here"))
            #expect(response.status.code == code)
            #expect(response.headers[.location] == "/elsewhere")
            let text = try await response.body.text()
            #expect(text == "moved")
            _ = try await transport.send(.get(base + "/last"))
            #expect(try await paths.next() == "GET /here HTTP/1.1")
            #expect(try await paths.next() == "GET /last HTTP/1.1")
        }
    }

    #if canImport(FoundationNetworking)
    @Test(
        "A redirect without a usable Location keeps its head; its lost body is an error",
        arguments: ["", "http://["]
    )
    func redirectWithoutLocation(_ location: String) async throws {
        let fields = location.isEmpty ? [] : ["Location: \(location)"]
        try await answer(.reply("302 Found", fields, body: "moved")) { response in
            #expect(response.status == .found)
            let error = await #expect(throws: TransportError.self) { try await response.body.collect() }
            #expect(error?.detail.contains("Location") == true)
        }
        try await answer(.reply("302 Found", fields)) { response in
            let bytes = try await response.body.collect()
            #expect(bytes.isEmpty)
        }
    }
    #endif

    @Test("Compressed content arrives decoded, without the fields of its coded form")
    func decoding() async throws {
        let gzip = Data(
            base64Encoded: "H4sIAAAAAAAAA8tIzcnJVyjPL8pJAQCFEUoNCwAAAA=="
        )
        let bytes = try #require(gzip)
        try await withServer { connection in
            while try await connection.readRequest() != nil {
                let head = "HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: \(bytes.count)\r\n\r\n"
                try await connection.send(Data(head.utf8) + bytes)
            }
        } _: { base async throws in
            let response = try await transport.send(.get(base + "/"))
            #expect(transport.capabilities.contains(.decodesContent))
            #expect(response.headers[.contentEncoding] == nil)
            #expect(response.headers[.contentLength] == nil)
            let text = try await response.body.text()
            #expect(text == "hello world")
        }
    }

    @Test("Cookies are neither kept nor sent; each Set-Cookie is a field of its own")
    func cookies() async throws {
        let sent = Events<String?>()
        try await withServer(
            answering { request in
                sent.add(request["cookie"])
                return .reply("200 OK", ["Set-Cookie: a=1; Expires=Wed, 09 Jun 2031 10:18:14 GMT", "Set-Cookie: b=2"])
            }
        ) { base async throws in
            let response = try await transport.send(.get(base + "/"))
            let cookies = response.headers[fields: .setCookie].map(\.value)
            #expect(cookies == ["a=1; Expires=Wed, 09 Jun 2031 10:18:14 GMT", "b=2"])
            _ = try await transport.send(.get(base + "/"))
            #expect(try await sent.next() == nil)
            #expect(try await sent.next() == nil)
        }
    }

    @Test("Interim answers are passed over", arguments: ["100 Continue", "103 Early Hints"])
    func interim(_ status: String) async throws {
        try await answer("HTTP/1.1 \(status)\r\nLink: </x>\r\n\r\n" + .reply("200 OK", body: "ok")) { response in
            #expect(response.status == .ok)
            let text = try await response.body.text()
            #expect(text == "ok")
        }
    }

    @Test("204, 304 and HEAD end with their heads")
    func bodiless() async throws {
        let fields = "Content-Length: 500\r\nETag: \"x\"\r\n\r\n"
        try await answer("HTTP/1.1 204 No Content\r\n\r\n") { #expect($0.body.isEmpty) }
        try await answer("HTTP/1.1 304 Not Modified\r\n" + fields) { #expect($0.body.isEmpty) }
        try await answer("HTTP/1.1 200 OK\r\n" + fields, to: .head) { response in
            #expect(response.body.isEmpty)
            #expect(response.headers[.contentLength] == "500")
        }
    }

    @Test(
        "A nonsensical length or framing is malformed",
        arguments: ["-1", "+2", "abc", "2, 3", "9999999999999999999999"]
    )
    func malformed(_ length: String) async throws {
        try await withServer { connection in
            _ = try await connection.readRequest()
            try await connection.send("HTTP/1.1 200 OK\r\nContent-Length: \(length)\r\n\r\nok")
        } _: { base async throws in
            let error = await #expect(throws: TransportError.self) { try await transport.send(.get(base + "/")) }
            #expect(error?.kind == .malformedResponse)
            #expect(error?.sent == .answered)
        }
    }

    @Test("A body that is cut is an error after its bytes, not an end")
    func cut() async throws {
        let cases: [(String, TransportError.Kind)] = [
            ("Content-Length: 20\r\n\r\nok", .truncatedBody),
            ("Transfer-Encoding: chunked\r\n\r\n5\r\nok", .connectionLost),
            ("Transfer-Encoding: chunked\r\n\r\n2\r\nok\r\nzz\r\n", .malformedResponse),
        ]
        for (rest, kind) in cases {
            try await withServer { connection in
                _ = try await connection.readRequest()
                try await connection.send("HTTP/1.1 200 OK\r\n" + rest)
            } _: { base async throws in
                let response = try await transport.send(.get(base + "/"))
                var received = Data()
                let error = await #expect(throws: TransportError.self) {
                    for try await chunk in response.body { received += chunk }
                }
                #expect(received == Data("ok".utf8))
                #expect(error?.kind == kind)
                #expect(error?.sent == .answered)
                #expect(error?.exchange?.response?.status == .ok)
            }
        }
    }

    @Test("Errors tell what may have been sent, and keep secrets")
    func errors() async throws {
        let refused = await #expect(throws: TransportError.self) {
            try await transport.send(.get("http://127.0.0.1:1/?access_token=hush"))
        }
        #expect(refused?.kind == .cannotConnect)
        #expect(refused?.sent == .nothing)
        #expect(refused?.description.contains("hush") == false)
        #expect(refused?.underlyingError is URLError)
        try await withServer {
            _ = try await $0.readRequest()
        } _: { base async throws in
            let lost = await #expect(throws: TransportError.self) {
                try await transport.send(.get(base + "/?access_token=hush"))
            }
            #expect(lost?.kind == .connectionLost)
            #expect(lost?.sent == .maybe)
            #expect(lost?.description.contains("hush") == false)
        }
    }

    @Test("Errors redact what the chain's own redaction names, in URL, fields and answer")
    func ownRedaction() async throws {
        try await checkOwnRedaction(of: transport)
    }

    @Test("What URLSession cannot send is refused before anything is sent")
    func refused() async throws {
        var wholeServer = Request.options("http://127.0.0.1:1/")
        wholeServer.head.path = "*"
        for request in [
            Request(.get, "http://127.0.0.1:1/", body: "x"), Request(.head, "http://127.0.0.1:1/", body: "x"),
            Request(.trace, "http://127.0.0.1:1/", body: "x"), Request(.connect, "http://127.0.0.1:1/"),
            Request(.get, "users/1"), wholeServer,
        ] {
            await #expect(throws: InvalidRequestError.self) { try await transport.send(request) }
        }
    }
}
#endif
