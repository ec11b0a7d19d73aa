#if AllTests && AsyncHTTPClient
import AsyncHTTPClient
import Foundation
import HTTPChainAsyncHTTPClient
import HTTPChainCore
import HTTPTypes
import TestSupport
import Testing

/// What a server over HTTP/2 does wrong.
@Suite(.heavy, .timeLimit(.minutes(10)), .enabled(if: TLSFixture.isAvailable))
struct HTTP2ErrorTests {
    private struct Sender {
        let transport: AsyncHTTPClientTransport
        let port: Int

        func callAsFunction(_ path: String, body: HTTPBody = .empty) async throws -> Response {
            try await transport.send(request(path, body: body))
        }

        func request(_ path: String, body: HTTPBody) -> Request {
            let url = "https://localhost:\(port)/\(path)"
            return body.isEmpty ? .get(url) : .post(url, body: body)
        }
    }

    /// Sends requests over one transport to one server.
    ///
    /// - Returns: The number of connections.
    @discardableResult
    private func withServer(_ body: (_ send: Sender) async throws -> Void) async throws -> Int {
        try await withCounts(body).connections
    }

    /// - Returns: The numbers of connections and of requests.
    private func withCounts(
        _ body: (_ send: Sender) async throws -> Void
    ) async throws -> (connections: Int, requests: Int) {
        let (server, transport) = try await HTTP2Server.start()
        try await body(Sender(transport: transport, port: server.port))
        try await server.stop()
        return (server.connections.value, server.requests.value)
    }

    @Test(
        "An error of the connection ends its streams at once, and later requests have another connection",
        arguments: [
            // DATA on stream 0, invalid HPACK, a frame larger than the client allows, an initial window above 2³¹-1.
            "00000100000000000041", "000002010500000001ffff", "ff0000000000000001", "0000060400000000000004ffffffff",
        ]
    )
    func connectionError(frames: String) async throws {
        try await withServer { send in
            for _ in 1...2 {
                let error = await #expect(throws: TransportError.self) { _ = try await send("raw/\(frames)") }
                #expect(error?.kind == .malformedResponse && error?.sent == .maybe)
                #expect(error?.description.contains("the server broke HTTP/2") == true)
                let next = try await send("200")
                #expect(next.status == .ok)
            }
        }
    }

    @Test(
        "A response before the end of its upload leaves nothing for which a shutdown would wait, or trap",
        arguments: ["200", "413"]
    )
    func earlyResponse(status: String) async throws {
        try await withServer { send in
            let (chunks, continuation) = AsyncStream.makeStream(of: Data.self)
            continuation.yield(Data("fern".utf8))
            let response = try await send(status, body: .once(chunks: chunks))
            #expect(response.status == .init(code: Int(status) ?? 0))
            #expect(try await response.body.text().isEmpty)
            try await send.transport.shutdown()
            continuation.finish()
        }
    }

    @Test("A request above the last stream of a GOAWAY is sent again at once, a POST too", arguments: ["", "fern"])
    func goAway(text: String) async throws {
        let counts = try await withCounts { send in
            let response = try await send("goaway/3", body: HTTPBody(text))
            #expect(response.status == .ok)
        }
        #expect(counts == (4, 4))
    }

    @Test("A server that processes no request gets it ten times at most, and a stream that it refuses twice")
    func neverProcessed() async throws {
        for (path, expected) in [("goaway", (10, 10)), ("refuse", (1, 2))] {
            let counts = try await withCounts { send in
                let error = await #expect(throws: TransportError.self) { _ = try await send(path, body: "fern") }
                #expect(error?.kind == .connectionLost && error?.sent == .nothing)
            }
            #expect(counts == expected, "\(path)")
        }
    }

    @Test("A stream is sent again from its start, and the reports of its upload begin again")
    func streamAgain() async throws {
        let (readers, reports) = (Counter(), Counter())
        let counts = try await withCounts { send in
            let body = HTTPBody.replayable {
                readers.add()
                return AsyncStream { continuation in
                    continuation.yield(Data("fern".utf8))
                    continuation.finish()
                }
            }
            var request = send.request("goaway/2", body: body)
            request.options[UploadReportsNote.self] = {
                reports.add()
                return { sent, _ in #expect(sent == 4) }
            }
            let response = try await send.transport.send(request)
            #expect(response.status == .ok)
        }
        #expect(counts == (3, 3) && reports.value == 3 && readers.value <= 3)
    }

    @Test("A stream that can be read only once isn't sent again after a connection has begun to send it")
    func oneShotStream() async throws {
        let counts = try await withCounts { send in
            let body = HTTPBody.once(
                chunks: AsyncStream { continuation in
                    continuation.yield(Data("fern".utf8))
                    continuation.finish()
                }
            )
            let error = await #expect(throws: TransportError.self) { _ = try await send("goaway/2", body: body) }
            #expect(error?.kind == .connectionLost && error?.sent == .nothing)
        }
        #expect(counts == (1, 1))
    }

    @Test("An error of the connection ends the body of another stream")
    func otherStream() async throws {
        try await withServer { send in
            // A head with status 200 on the first stream, which doesn't end.
            let body = try await send("raw/00000101040000000188").body
            await #expect(throws: TransportError.self) { _ = try await send("raw/00000100000000000041") }
            let error = await #expect(throws: TransportError.self) { _ = try await body.collect() }
            #expect(error?.kind == .malformedResponse && error?.sent == .answered)
        }
    }

    @Test(
        "A malformed response fails its call alone, and is not a lost connection",
        arguments: [
            // A field with an uppercase name, a field "connection", and a head whose Content-Length is 1 without content.
            ("00000601050000000188000158 0179", TransportError.Kind.malformedResponse),
            ("000013010500000001 88000a636f6e6e656374696f6e05636c6f7365", .malformedResponse),
            ("000005010500000001 880f0d0131", .malformedResponse),
            // Three bytes of content, whose Content-Length is 10 and 1.
            ("000006010400000001 880f0d023130 000003000100000001 414141", .truncatedBody),
            ("000005010400000001 880f0d0131 000003000100000001 414141", .truncatedBody),
        ]
    )
    func malformedResponse(frames: String, kind: TransportError.Kind) async throws {
        let connections = try await withServer { send in
            let path = "raw/" + String(String.UnicodeScalarView(frames.unicodeScalars.filter { $0 != " " }))
            let error = await #expect(throws: TransportError.self) { _ = try await send(path).body.collect() }
            #expect(error?.kind == kind)
            #expect(error?.sent == (kind == .truncatedBody ? .answered : .maybe))
            #expect(error?.description.contains("the response is malformed") == true)
            let next = try await send("200")
            #expect(next.status == .ok)
        }
        #expect(connections == 1)
    }

    @Test("Content that looks like a frame doesn't break the connection")
    func contentLikeFrame() async throws {
        let connections = try await withServer { send in
            // GOAWAY with PROTOCOL_ERROR.
            let frame = Data([0, 0, 8, 7, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1])
            for path in ["200", "raw/000006010500000003880001580179", "200"] {
                _ = try? await send(path, body: HTTPBody(frame)).body.collect()
            }
        }
        #expect(connections == 1)
    }

    @Test("A head may have 80 KiB of fields, as over HTTP/1.1, and one that is larger fails with this limit")
    func largeHead() async throws {
        try await withServer { send in
            let response = try await send("fields/600")
            let name = try #require(HTTPField.Name("x"))
            #expect(response.status == .ok && response.headers[values: name].count == 600)
        }
        try await withServer { send in
            let error = await #expect(throws: TransportError.self) { _ = try await send("fields/640") }
            #expect(error?.kind == .malformedResponse)
            #expect(error?.description.contains("80 KiB") == true)
        }
    }
}
#endif
