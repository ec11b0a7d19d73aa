import Foundation
import HTTPChainCore
import HTTPTypes

extension ConformanceRun {
    /// Makes a request with a path that bypasses URL encoding.
    private static func get(_ base: String, path: String) -> Request {
        var request = Request.get(base + "/")
        request.head.path = path
        return request
    }

    func invalidRequestsAreRefused() async throws {
        let arrived = Locked(0)
        let peer: TransportConformance.Handler = { request in
            arrived.withLock { $0 += 1 }
            return Response(.ok)
        }
        struct Value: Encodable {
            let id = 1
        }
        try await withPeer(peer) { transport, base in
            let cases: [(String, Request)] = [
                ("a relative URL", .get("users/42")),
                ("no URL", .get("")),
                ("another scheme", .get("ftp://127.0.0.1/")),
                ("no host", .get("http:///path")),
                ("a host with a space", .get("http://exa mple/")),
                ("a port out of range", .get("http://127.0.0.1:99999/")),
                ("user information", .get(base.pieces(at: "/").joined(separator: "//user:secret@"))),
                ("a space in the path", Self.get(base, path: "/a b")),
                ("a half percent-encoding", .get("\(base)/%4")),
                ("a line break in the path", Self.get(base, path: "/a\r\nX-Evil: 1")),
                ("a typed value as body", .post(base + "/", body: .value(Value()))),
                ("Content-Length that differs", .post(base + "/", headers: [.contentLength: "7"], body: "hello")),
                ("Content-Length that is no number", .post(base + "/", headers: [.contentLength: "x"], body: "hello")),
                ("a negative Content-Length", .post(base + "/", headers: [.contentLength: "-5"], body: "hello")),
                ("CONNECT", Request(.connect, "\(base)/")),
                ("TRACE with a body", Request(.trace, "\(base)/", body: "hello")),
                ("a negative length", .post(base + "/", body: Pattern.body(-1, declared: true, once: false))),
            ]
            for (what, request) in cases {
                let error = try await expectError(InvalidRequestError.self, "for \(what)") {
                    try await transport.send(request)
                }
                try expect(
                    !"\(error)".includes("secret"),
                    "no password in the error",
                    seen: "\(error)"
                )
            }
            try expect(arrived.withLock { $0 }, is: 0, "requests at the server")
        }
    }

    func shortUploadFails() async throws {
        let body = { (declared: Int64) in HTTPBody.once(length: declared) { PatternReader(length: 60_000) } }
        let error = try await sendBroken(body(90_000), as: BodyError.self, "for 60,000 bytes where 90,000 are declared")
        guard case .shorterThanDeclared = error.problem else {
            throw failure(expected: "BodyError.shorterThanDeclared", seen: "\(error.problem)")
        }
    }

    func longUploadFails() async throws {
        let body = HTTPBody.once(length: 70_000) { PatternReader(length: 90_000) }
        let error = try await sendBroken(body, as: BodyError.self, "for 90,000 bytes where 70,000 are declared")
        guard case .longerThanDeclared = error.problem else {
            throw failure(expected: "BodyError.longerThanDeclared", seen: "\(error.problem)")
        }
    }

    func failingUploadFails() async throws {
        for length in [nil, 200_000] as [Int64?] {
            let body = HTTPBody.once(length: length) { FailingReader(inner: PatternReader(length: 120_000)) }
            _ = try await sendBroken(body, as: FailingReader.Failure.self, "when the reader throws it")
        }
        let atOnce = HTTPBody.once { throw FailingReader.Failure() }
        _ = try await sendBroken(atOnce, as: FailingReader.Failure.self, "when the body cannot be opened")
        let missing = HTTPBody.file(URL(fileURLWithPath: "/nonexistent/httpchain"))
        _ = try await sendBroken(missing, as: BodyError.self, "for a file that is not there")
    }

    private func sendBroken<Failure: Error>(
        _ body: HTTPBody,
        as type: Failure.Type,
        _ when: String
    ) async throws -> Failure {
        let peer: TransportConformance.Handler = { request in
            Response(.ok, body: HTTPBody("\(try await request.body.collect().count)"))
        }
        return try await withPeer(peer) { transport, base in
            let error = try await expectError(type, when) {
                try await transport.send(.post("\(base)/broken", body: body)).body.text()
            }
            let response = try await transport.send(.post("\(base)/whole", body: "after"))
            try expect(try await response.body.text(), is: "5", "body bytes of the next request")
            return error
        }
    }

    func uploadProgressIsReported() async throws -> TransportConformance.Outcome {
        let peer: TransportConformance.Handler = { request in
            for try await _ in request.body {}
            return Response(.ok)
        }
        return try await withPeer(peer) { transport, base in
            guard transport.capabilities.contains(.reportsUploadProgress) else {
                return .skipped("the transport does not claim to report upload progress")
            }
            for (length, isDeclared) in [(Int64(5), true), (3_000_000, true), (300_000, false)] {
                let counts = Locked<[(Int64, Int64?)]>([])
                var request = Request.post(
                    "\(base)/progress",
                    body: Pattern.body(length, declared: isDeclared, once: false)
                )
                request.options[UploadProgressNote.self] = { sent, expected in
                    counts.withLock { $0.append((sent, expected)) }
                }
                _ = try await transport.send(request).body.collect()
                let seen = counts.withLock { $0 }
                let sent = seen.map(\.0)
                try expect(sent == sent.sorted(), "counts that only grow", seen: "\(sent)")
                try expect(sent.last, is: length, "last count")
                if isDeclared {
                    try expect(seen.allSatisfy { $0.1 == length }, "\(length) expected throughout", seen: "\(seen)")
                }
            }
            return .passed
        }
    }

    func uploadIsPulled() async throws -> TransportConformance.Outcome {
        let peer: LoopbackServer.Script = { exchange in try await exchange.connectionStaysUnread() }
        return try await withServer(bufferSize: 65_536, peer) { transport, server in
            guard transport.capabilities.contains(.streamsUploads) else {
                return .skipped("the transport does not claim to stream uploads")
            }
            let total: Int64 = 256 << 20
            let pulled = Locked<Int64>(0)
            let body = HTTPBody.once(length: total) {
                CountingReader(inner: PatternReader(length: total), count: pulled)
            }
            let url = server.url("/")
            let task = Task { try await transport.send(.post(url, body: body)) }
            try await untilQuiet({ pulled.withLock { $0 } }, isOver: { pulled.withLock { $0 } == total })
            let count = pulled.withLock { $0 }
            task.cancel()
            let result = try await within(promptly, "a cancelled upload to end") { await task.result }
            try expect(
                count < 48 << 20,
                "less than 48 MiB pulled while the server reads nothing",
                seen: "\(count >> 20) MiB pulled; \(result)"
            )
            return .passed
        }
    }

    func earlyAnswerIsDelivered() async throws {
        let peer: LoopbackServer.Script = { exchange in
            try await exchange.writeHead(413, [("Content-Length", "9"), ("Connection", "close")])
            try await exchange.write("too large")
            // Closing the connection now would reset it, which could destroy the response (RFC 9112 §9.6).
            try await exchange.waitForPeerToClose()
        }
        try await withServer(peer) { transport, server in
            for isDeclared in [true, false] {
                let body = Pattern.body(24 << 20, declared: isDeclared, once: false)
                let response = try await transport.send(.post(server.url("/"), body: body))
                try expect(response.status.code, is: 413, "status")
                try expect(try await response.body.text(), is: "too large", "body")
            }
        }
    }
}

extension LoopbackExchange {
    /// Leaves the client's data in the socket until the server is stopped.
    fileprivate func connectionStaysUnread() async throws {
        try await Rendezvous().wait()
    }
}

/// Throws an error when its inner reader ends.
struct FailingReader: BodyReader {
    struct Failure: Error, Equatable {}

    var inner: PatternReader

    nonisolated(nonsending) mutating func read() async throws -> Data? {
        guard let chunk = try await inner.read() else { throw Failure() }
        return chunk
    }
}

/// Counts the bytes read from it.
struct CountingReader: BodyReader {
    var inner: PatternReader
    let count: Locked<Int64>

    nonisolated(nonsending) mutating func read() async throws -> Data? {
        let chunk = try await inner.read()
        count.withLock { $0 += Int64(chunk?.count ?? 0) }
        return chunk
    }
}
