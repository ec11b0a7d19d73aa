import Foundation
import HTTPChainCore
import HTTPTypes

/// Checks of faulty servers and networks.
extension ConformanceRun {
    func truncatedBodyFails() async throws {
        try await expectBrokenBody(head: [("Content-Length", "100000")], sent: Pattern.data(40_000)) {
            await $0.close()
        }
        try await expectBrokenBody(head: [("Content-Length", "5")], sent: Data("hell".utf8)) { await $0.close() }
    }

    func truncatedChunksFail() async throws {
        let head = [("Transfer-Encoding", "chunked")]
        try await expectBrokenBody(head: head, sent: Data("5\r\nhello\r\n".utf8)) { await $0.close() }
        try await expectBrokenBody(head: head, sent: Data("a\r\nhello".utf8)) { await $0.close() }
    }

    func resetBodyFails() async throws {
        try await expectBrokenBody(head: [("Content-Length", "100000")], sent: Pattern.data(40_000)) {
            await $0.reset()
        }
        try await expectBrokenBody(head: [("Transfer-Encoding", "chunked")], sent: Data("5\r\nhello\r\n".utf8)) {
            await $0.reset()
        }
    }

    /// Sends a head and a part of a body, waits until the client has seen the head, then ends the connection.
    private func expectBrokenBody(
        head: [(String, String)],
        sent: Data,
        end: @escaping @Sendable (LoopbackExchange) async -> Void
    ) async throws {
        let headSeen = Rendezvous()
        let script: LoopbackServer.Script = { exchange in
            try await exchange.writeHead(200, head)
            try await exchange.write(sent)
            try await headSeen.wait()
            await end(exchange)
        }
        try await withServer(script) { transport, server in
            let response = try await transport.send(.get(server.url("/")))
            headSeen.reach()
            let error = try await expectError(TransportError.self, "from the body") {
                try await response.body.collect().count
            }
            try expect(
                [.truncatedBody, .connectionLost].contains(error.kind),
                "kind truncatedBody or connectionLost",
                seen: "\(error)"
            )
            try expect(error.sent, is: .answered, "sent")
        }
    }

    func lyingLengthFails() async throws {
        let fields = [
            "Content-Length: -5", "Content-Length: five", "Content-Length: 0x5",
            "Content-Length: 5\r\nContent-Length: 7", "Content-Length: 99999999999999999999",
        ]
        for field in fields { try await expectRefused("HTTP/1.1 200 OK\r\n\(field)\r\n\r\nhello") }
    }

    func excessIsNotDelivered() async throws {
        let script: LoopbackServer.Script = { exchange in
            try await exchange.writeHead(200, [("Content-Length", "5"), ("X-Request", exchange.request.target)])
            try await exchange.write("hello, and more than that")
            exchange.keepConnection()
        }
        try await withServer(script) { transport, server in
            for path in ["/first", "/second"] {
                do {
                    let response = try await transport.send(.get(server.url(path)))
                    try expect(response.field("X-Request"), is: path, "the answer to this request")
                    try expect(try await response.body.text(), is: "hello", "body")
                } catch is TransportError {
                    // Refusing such a response is as acceptable as truncating it.
                }
            }
        }
    }

    func droppedConnectionFails() async throws {
        try await expectNoAnswer { await $0.close() }
    }

    func resetConnectionFails() async throws {
        try await expectNoAnswer { await $0.reset() }
    }

    func cutHead() async throws {
        for part in ["H", "HTTP/1.1 200", "HTTP/1.1 200 OK\r\n", "HTTP/1.1 200 OK\r\nContent-Le"] {
            try await expectNoAnswer {
                try await $0.write(part)
                await $0.close()
            }
        }
    }

    func malformedReplyFails() async throws {
        let replies = [
            "SSH-2.0-OpenSSH_9.6\r\n\r\n", "\u{0}\u{1}\u{2}\u{3}garbage\r\n\r\n", "HTTP/1.1 999999 OK\r\n\r\n",
            "HTTP/1.1 200 OK\r\nno colon here\r\n\r\n",
        ]
        for reply in replies { try await expectRefused(reply) }
    }

    private func expectRefused(_ reply: String) async throws {
        let script: LoopbackServer.Script = { exchange in
            try await exchange.write(reply)
            await exchange.close()
        }
        try await withServer(script) { transport, server in
            _ = try await expectError(TransportError.self, "for \(String(reflecting: reply))") {
                try await transport.send(.get(server.url("/"))).body.text()
            }
        }
    }

    /// Checks a server that reads the request and ends the exchange without a complete head.
    private func expectNoAnswer(
        _ end: @escaping @Sendable (LoopbackExchange) async throws -> Void
    ) async throws {
        let script: LoopbackServer.Script = { exchange in
            try await exchange.readBody()
            try await end(exchange)
        }
        try await withServer(script) { transport, server in
            for request in [Request.get(server.url("/")), .post(server.url("/"), body: "hello")] {
                let error = try await expectError(TransportError.self, "for \(request.head.method)") {
                    try await transport.send(request)
                }
                try expect(
                    error.sent != .nothing,
                    "sent to be \"maybe\" or \"answered\": the server had read the request",
                    seen: "\(error)"
                )
            }
        }
    }

    func refusedConnectionFails() async throws {
        try await withServer({ _ in }) { transport, server in
            // A recently closed port.
            await server.stop()
            let error = try await expectError(TransportError.self, "for a closed port") {
                try await transport.send(.post(server.url("/"), body: "hello"))
            }
            try expect(error.kind, is: .cannotConnect, "kind")
            try expect(error.sent, is: .nothing, "sent")
        }
    }

    func unknownHostFails() async throws {
        try await withServer({ _ in }) { transport, _ in
            let error = try await expectError(TransportError.self, "for a host that does not exist") {
                try await transport.send(.get("http://nonexistent.invalid/"))
            }
            try expect(
                [.hostNotFound, .cannotConnect].contains(error.kind),
                "kind hostNotFound or cannotConnect",
                seen: "\(error)"
            )
            try expect(error.sent, is: .nothing, "sent")
        }
    }

    func timeoutFails() async throws {
        let script: LoopbackServer.Script = { exchange in try await exchange.waitForPeerToClose() }
        try await withServer(make: suite.timingOut, script) { transport, server in
            let error = try await expectError(TransportError.self, "after the time allowed") {
                try await transport.send(.get(server.url("/")))
            }
            try expect(error.kind, is: .timedOut, "kind")
            try expect(error.sent, is: .maybe, "sent")
        }
    }
}
