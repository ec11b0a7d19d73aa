import Foundation
import HTTPChainCore
import HTTPChainSupport
import HTTPTypes

extension ConformanceRun {
    func methodsArrive() async throws {
        let peer: TransportConformance.Handler = { request in
            let body = try await request.body.collect()
            let seen = "\(request.head.method.rawValue) \(body.count)"
            return Response(
                .ok,
                headers: [HTTPField.Name(constant: "X-Seen"): seen],
                body: request.head.method == .head ? .empty : HTTPBody(seen)
            )
        }
        try await withPeer(peer) { transport, base in
            let cases: [(HTTPRequest.Method, Int)] = [
                (.get, 0), (.head, 0), (.delete, 0), (.options, 0), (.post, 0), (.post, 11), (.put, 70_000),
                (.patch, 5), (.delete, 3), (.query, 0), (.query, 9), (.query, 70_000),
            ]
            for (method, count) in cases {
                let request = Request(method, "\(base)/methods", body: HTTPBody(Pattern.data(count)))
                let response = try await transport.send(request)
                let expected = "\(method.rawValue) \(count)"
                try expect(response.status, is: .ok, "status of \(expected)")
                try expect(response.field("X-Seen"), is: expected, "what the server saw")
                if let sent = response.request {
                    try expect(Request(head: sent).url, is: "\(base)/methods", "the URL of Response.request")
                    try expect(sent.method, is: method, "the method of Response.request")
                }
                let text = try await response.body.text()
                try expect(text, is: method == .head ? "" : expected, "body of the answer to \(method)")
            }
        }
    }

    func bodyKindsArrive() async throws {
        let content = Pattern.data(150_000)
        let file = try await HTTPBody(content).saveToTemporaryFile()
        let kinds: [(String, HTTPBody, Data)] = [
            ("no bytes", .empty, Data()),
            ("bytes", HTTPBody(content), content),
            ("a file", .file(file.url), content),
            ("a range of a file", .file(file.url, range: 100..<90_100), Data(content[100..<90_100])),
            ("an empty range of a file", .file(file.url, range: 7..<7), Data()),
            ("a replayable stream", Pattern.body(150_000, declared: true, once: false), content),
            ("a replayable stream of unknown length", Pattern.body(150_000, declared: false, once: false), content),
            ("a one-shot stream", Pattern.body(150_000, declared: true, once: true), content),
            ("a one-shot stream of unknown length", Pattern.body(150_000, declared: false, once: true), content),
            ("an empty stream of unknown length", Pattern.body(0, declared: false, once: true), Data()),
        ]
        let peer: TransportConformance.Handler = { request in
            Response(.ok, body: HTTPBody(try await request.body.collect()))
        }
        try await withPeer(peer) { transport, base in
            for (kind, body, expected) in kinds {
                let response = try await transport.send(.post("\(base)/echo", body: body))
                try expect(response.status, is: .ok, "status for \(kind)")
                let echo = try await response.body.collect()
                try expect(echo == expected, "\(expected.count) bytes of \(kind) back", seen: "\(echo.count) bytes")
            }
        }
        _ = file.url
    }

    func targetArrives() async throws {
        let peer: TransportConformance.Handler = { request in Response(.ok, body: HTTPBody(request.head.path ?? "none"))
        }
        try await withPeer(peer) { transport, base in
            for target in [
                "/", "/a/b.c;d", "/a%20b%2Fc", "/x?q=%C3%A9&r=1+2&s", "/x?", "/x?a=b?c/d", "//double//slash",
                "/caf%E9?q=%E9", "/%FF%00",
            ] {
                let response = try await transport.send(.get(base + target))
                try expect(try await response.body.text(), is: target, "request target")
            }
            let brackets = try await transport.send(.get("\(base)/a[%20]?f[x]=%C3%A9"))
            let sent = "/a%5B%20%5D?f%5Bx%5D=%C3%A9"
            try expect(try await brackets.body.text(), is: sent, "request target with square brackets")
            let fragment = try await transport.send(.get("\(base)/page#part"))
            try expect(try await fragment.body.text(), is: "/page", "request target without its fragment")
        }
    }

    func requestFieldsArrive() async throws {
        let names = ["X-Twice", "X-Long", "X-Accent"]
        let peer: TransportConformance.Handler = { request in
            let values = names.map { request.headers.values($0).joined(separator: ", ") }
            return Response(.ok, body: HTTPBody(values.joined(separator: "\n")))
        }
        let long = String(repeating: "0123456789", count: 600)
        let fields = HTTPFields(["X-Twice": "one", "X-Twice": "two", "X-Long": long, "X-Accent": "café"])
        try await withPeer(peer) { transport, base in
            let response = try await transport.send(.get("\(base)/fields", headers: fields))
            let seen = try await response.body.text().pieces(at: "\n").map { String($0) }
            try expect(seen, is: ["one, two", long, "café"], "fields at the server (repeated ones joined)")
        }
    }

    func framingIsExact() async throws {
        let peer: LoopbackServer.Script = { exchange in
            try await exchange.readBody()
            try await exchange.reply(200)
        }
        let file = try await HTTPBody(Pattern.data(70_001)).saveToTemporaryFile()
        typealias Framing = LoopbackRequest.Framing
        let cases: [(String, HTTPRequest.Method, HTTPBody, [Framing])] = [
            ("GET without a body", .get, .empty, [.none, .contentLength(0)]),
            ("POST without a body", .post, .empty, [.contentLength(0)]),
            ("bytes", .post, HTTPBody("hello"), [.contentLength(5)]),
            ("bytes of a QUERY", .query, HTTPBody("plants"), [.contentLength(6)]),
            ("a file", .put, .file(file.url), [.contentLength(70_001)]),
            ("a range of a file", .put, .file(file.url, range: 1..<60_000), [.contentLength(59_999)]),
            (
                "a stream of known length", .post, Pattern.body(70_000, declared: true, once: true),
                [.contentLength(70_000)]
            ),
        ]
        try await withServer(peer) { transport, server in
            for (kind, method, body, expected) in cases {
                _ = try await transport.send(Request(method, server.url("/"), body: body)).body.collect()
                guard let record = server.records.last else { throw failure(expected: "a request", seen: "none") }
                let framing = record.request.framing
                try expect(
                    expected.contains(framing),
                    "\(kind): \(expected.map { "\($0)" }.joined(separator: " or "))",
                    seen: "\(framing)"
                )
                let host = record.request.values("Host")
                try expect(host, is: ["127.0.0.1:\(server.port)"], "Host")
            }
            let declared = Request.post(
                server.url("/"),
                headers: [.contentLength: "70000"],
                body: Pattern.body(70_000, declared: false, once: true)
            )
            _ = try await transport.send(declared).body.collect()
            try expect(
                server.records.last?.request.framing,
                is: .contentLength(70_000),
                "framing of a stream whose length only the Content-Length field tells"
            )
        }
        _ = file.url
    }

    func unknownLengthIsChunked() async throws {
        let peer: LoopbackServer.Script = { exchange in
            try await exchange.reply(200, body: Data("\(try await exchange.readBody().count)".utf8))
        }
        try await withServer(peer) { transport, server in
            for isOnce in [true, false] {
                let body = Pattern.body(70_000, declared: false, once: isOnce)
                let response = try await transport.send(.post(server.url("/"), body: body))
                try expect(try await response.body.text(), is: "70000", "bytes at the server")
                try expect(server.records.last?.request.framing, is: .chunked, "framing")
            }
        }
    }

    func bigUploadArrives() async throws {
        let peer: TransportConformance.Handler = { request in
            Response(.ok, body: HTTPBody(try await Pattern.check(request.body)))
        }
        let size: Int64 = 32 << 20
        try await withPeer(peer) { transport, base in
            for isDeclared in [true, false] {
                let body = Pattern.body(size, declared: isDeclared, once: true)
                let response = try await transport.send(.post("\(base)/big", body: body))
                let seen = try await response.body.text()
                try expect(seen, is: "\(size) right bytes", "32 MiB of \(isDeclared ? "known" : "unknown") length")
            }
        }
    }
}

extension Response {
    /// The values of all fields of this name, joined by ", ".
    func field(_ name: String) -> String {
        headers.values(name).joined(separator: ", ")
    }
}
