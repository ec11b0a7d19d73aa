import Foundation
import HTTPChainCore
import HTTPTypes

extension ConformanceRun {
    func repeatedFieldsArrive() async throws {
        try await expectRepeated("X-Many", ["one", "two, still two", "three"], "values")
    }

    func setCookiesArrive() async throws {
        let cookies = ["a=1; Path=/", "b=2; Expires=Wed, 21 Oct 2065 07:28:00 GMT"]
        try await expectRepeated("Set-Cookie", cookies, "Set-Cookie")
    }

    private func expectRepeated(_ name: String, _ values: [String], _ what: String) async throws {
        try await withPeer({ _ in Response(.ok, headers: .repeating(name, values)) }) { transport, base in
            let response = try await transport.send(.get("\(base)/fields"))
            let seen = response.headers.values(name)
            if transport.capabilities.contains(.keepsRepeatedFields) {
                try expect(seen, is: values, what)
            } else {
                try expect(seen.joined(separator: ", "), is: values.joined(separator: ", "), "\(what), joined or not")
            }
        }
    }

    func commasMakeNoCookies() async throws {
        let cookies = [
            "search=shoes, sid=attacker", "theme=dark, sid=attacker; Path=/", "page=1; note=x, sid=attacker; HttpOnly",
            "last=1; Path=/",
        ]
        try await withPeer({ _ in Response(.ok, headers: .repeating("Set-Cookie", cookies)) }) { transport, base in
            let response = try await transport.send(.get("\(base)/cookies"))
            let seen = response.headers.values("Set-Cookie")
            if transport.capabilities.contains(.keepsRepeatedFields) {
                try expect(seen, is: cookies, "Set-Cookie")
            } else {
                let names = seen.map { String(Substring($0.utf8.prefix { $0 != UInt8(ascii: "=") })) }
                let sent = ["search", "theme", "page", "last"]
                try expect(
                    names.first == "search" && names.allSatisfy(sent.contains),
                    "no cookie but \(sent.joined(separator: ", "))",
                    seen: names.joined(separator: ", ")
                )
            }
        }
    }

    func oddFieldsArrive() async throws {
        let long = String(repeating: "abcdefghij", count: 1000)
        let fields = HTTPFields(["X-Empty": "", "X-Long": long, "X-Accent": "café", "X-Last": "a\tb"])
        try await withPeer({ _ in Response(.ok, headers: fields) }) { transport, base in
            let response = try await transport.send(.get("\(base)/fields"))
            try expect(response.headers.values("X-Empty"), is: [""], "the empty field")
            try expect(response.headers.values("X-Long") == [long], "the field of 10,000 bytes", seen: "another")
            try expect(response.headers.values("X-Accent"), is: ["café"], "the UTF-8 field")
            try expect(response.headers.values("X-Last"), is: ["a\tb"], "the field with a tab")
        }
        guard hasNetwork else { return }
        let script: LoopbackServer.Script = { exchange in
            // A byte that isn't UTF-8 (obs-text, RFC 9110 §5.5). Any representation of it is allowed, if it does no
            // harm.
            var head = Data("HTTP/1.1 200 OK\r\nContent-Length: 2\r\nX-Latin: caf".utf8)
            head.append(0xE9)
            head.append(contentsOf: "\r\nX-After: here\r\n\r\nok".utf8)
            try await exchange.write(head)
            exchange.keepConnection()
        }
        try await withServer(script) { transport, server in
            do {
                let response = try await transport.send(.get(server.url("/")))
                try expect(response.headers.values("X-After"), is: ["here"], "the field after one with obs-text")
                try expect(
                    response.headers.values("X-Latin").first?.begins(with: "caf"),
                    is: true,
                    "the field with obs-text"
                )
                try expect(try await response.body.text(), is: "ok", "body")
            } catch is TransportError {
                // Refusing such a response is allowed; crashing or hanging isn't.
            }
        }
    }

    func informationalIsSkipped() async throws {
        let script: LoopbackServer.Script = { exchange in
            try await exchange.writeHead(103, [("Link", "</style.css>; rel=preload")])
            try await exchange.writeHead(100)
            try await exchange.readBody()
            try await exchange.reply(200, fields: [("X-Final", "yes")], body: Data("final".utf8))
        }
        try await withServer(script) { transport, server in
            for request in [Request.get(server.url("/")), .post(server.url("/"), body: "hello")] {
                let response = try await transport.send(request)
                try expect(response.status.code, is: 200, "status")
                try expect(response.field("X-Final"), is: "yes", "a field of the final response")
                try expect(try await response.body.text(), is: "final", "body")
            }
        }
    }

    func noBodyWhereNoneIsAllowed() async throws {
        let script: LoopbackServer.Script = { exchange in
            let status = exchange.request.target.without(prefix: "/").flatMap { Int($0) } ?? 500
            let length = status == 204 ? [] : [("Content-Length", "12")]
            try await exchange.writeHead(status, length + [("ETag", "\"v1\"")])
            exchange.keepConnection()
        }
        try await withServer(script) { transport, server in
            for (method, status) in [(HTTPRequest.Method.get, 204), (.get, 304), (.head, 200), (.head, 404)] {
                let response = try await transport.send(Request(method, server.url("/\(status)")))
                try expect(response.status.code, is: status, "status of \(method)")
                try expect(response.field("ETag"), is: "\"v1\"", "ETag of \(method) \(status)")
                try expect(try await response.body.collect().count, is: 0, "bytes of \(method) \(status)")
            }
        }
    }

    func chunkedReplyArrives() async throws {
        let next = [Rendezvous(), Rendezvous()]
        let script: LoopbackServer.Script = { exchange in
            try await exchange.beginChunks()
            try await exchange.writeChunk(Data("first;".utf8))
            try await next[0].wait()
            try await exchange.writeChunk(Data("second;".utf8))
            try await next[1].wait()
            // A chunk extension, RFC 9112 §7.1.1.
            try await exchange.write("6;name=value\r\nthird;\r\n")
            try await exchange.finishChunks()
        }
        try await withServer(script) { transport, server in
            let response = try await transport.send(.get(server.url("/")))
            try expect(response.body.length, is: nil, "length of a chunked body")
            var text = ""
            for try await chunk in response.body {
                text += String(decoding: chunk, as: UTF8.self)
                // Each piece must arrive before the server sends the next one. Otherwise this never ends.
                if text == "first;" { next[0].reach() }
                if text == "first;second;" { next[1].reach() }
            }
            try expect(text, is: "first;second;third;", "body")
        }
    }

    func trailersDoNoHarm() async throws {
        let script: LoopbackServer.Script = { exchange in
            try await exchange.beginChunks(fields: [("Trailer", "X-Checksum")])
            try await exchange.writeChunk(Data("content".utf8))
            try await exchange.write("0\r\nX-Checksum: 1\r\n\r\n")
            exchange.keepConnection()
        }
        try await withServer(script) { transport, server in
            for _ in 1...2 {
                let response = try await transport.send(.get(server.url("/")))
                try expect(response.status.code, is: 200, "status")
                try expect(try await response.body.text(), is: "content", "body")
            }
        }
    }

    func closeDelimitedReplyArrives() async throws {
        let script: LoopbackServer.Script = { exchange in
            try await exchange.write("HTTP/1.0 200 OK\r\nContent-Type: text/plain\r\n\r\n")
            try await exchange.write(Pattern.data(200_000))
        }
        try await withServer(script) { transport, server in
            let response = try await transport.send(.get(server.url("/")))
            try expect(response.body.length, is: nil, "length of a body that ends with its connection")
            let seen = try await Pattern.check(response.body)
            try expect(seen, is: "200000 right bytes", "body")
        }
    }

    func bigDownloadArrives() async throws {
        let size: Int64 = 32 << 20
        try await withPeer({ _ in
            Response(.ok, body: Pattern.body(size, declared: false, once: true))
        }) { transport, base in
            let response = try await transport.send(.get("\(base)/big"))
            try expect(try await Pattern.check(response.body), is: "\(size) right bytes", "32 MiB, chunked")
        }
        guard hasNetwork else { return }
        let script: LoopbackServer.Script = { exchange in
            try await exchange.writeHead(200, [("Content-Length", "\(size)")])
            for try await chunk in Pattern.body(size, declared: true, once: true) { try await exchange.write(chunk) }
            exchange.keepConnection()
        }
        try await withServer(script) { transport, server in
            let response = try await transport.send(.get(server.url("/")))
            try expect(response.body.length, is: size, "length")
            try expect(try await Pattern.check(response.body), is: "\(size) right bytes", "32 MiB")
        }
    }

    func contentCodingIsHonest() async throws {
        let text = "the same text, the same text, the same text"
        let base64 = "H4sIAAAAAAACAyvJSFUoTsxNVShJrSjRUSjBwwUAJ0wPvSsAAAA="
        guard let encoded = Data(base64Encoded: base64) else {
            throw failure(expected: "base64", seen: "something else")
        }
        let script: LoopbackServer.Script = { exchange in
            try await exchange.reply(200, fields: [("Content-Encoding", "gzip")], body: encoded)
        }
        try await withServer(script) { transport, server in
            let request = Request.get(server.url("/"), headers: [.acceptEncoding: "gzip"])
            let response = try await transport.send(request)
            let body = try await response.body.collect()
            if transport.capabilities.contains(.decodesContent) {
                try expect(String(decoding: body, as: UTF8.self), is: text, "decoded body")
                try expect(response.field("Content-Encoding"), is: "", "Content-Encoding of a decoded body")
                try expect(response.field("Content-Length"), is: "", "Content-Length of a decoded body")
                let original = response.options[OriginalContentFieldsFact.self][.contentEncoding] ?? ""
                try expect(original, is: "gzip", "Content-Encoding in originalContentFields")
            } else {
                try expect(body == encoded, "the encoded body", seen: "\(BodyPreview(body, isTruncated: false))")
                try expect(response.field("Content-Encoding"), is: "gzip", "Content-Encoding")
                try expect(response.field("Content-Length"), is: "\(encoded.count)", "Content-Length")
            }
        }
    }
}

extension HTTPFields {
    static func repeating(_ name: String, _ values: [String]) -> HTTPFields {
        var fields = HTTPFields()
        guard let name = HTTPField.Name(name) else { return fields }
        for value in values { fields.append(HTTPField(name: name, value: value)) }
        return fields
    }

    func values(_ name: String) -> [String] {
        HTTPField.Name(name).map { self[values: $0] } ?? []
    }
}
