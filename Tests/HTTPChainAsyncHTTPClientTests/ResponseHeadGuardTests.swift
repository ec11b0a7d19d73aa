#if AllTests && AsyncHTTPClient
import AsyncHTTPClient
import Foundation
import HTTPChainCore
import HTTPChainTesting
import HTTPTypes
import TestSupport
import Testing

@testable import HTTPChainAsyncHTTPClient

/// Heads on which async-http-client or SwiftNIO end the process, unless a handler of the transport refuses them.
@Suite(.heavy, .timeLimit(.minutes(10)))
struct ResponseHeadGuardTests {
    private func expectMalformed(
        _ detail: String,
        sourceLocation: SourceLocation = #_sourceLocation,
        _ call: () async throws -> Void
    ) async {
        let error = await #expect(throws: TransportError.self, sourceLocation: sourceLocation) { try await call() }
        #expect(error?.kind == .malformedResponse, sourceLocation: sourceLocation)
        let text = error?.description ?? ""
        #expect(text.contains(detail), "\(text) has no \(detail)", sourceLocation: sourceLocation)
    }

    @Test(
        "Statuses below 100 fail the call, however they are framed",
        arguments: ["099 X", "000", "002 X", "010 ", "001 Continue"]
    )
    func tooSmall(status: String) async throws {
        for rest in [
            "Content-Length: 2\r\n\r\nok", "Content-Length: 0\r\n\r\n", "\r\n",
            "Transfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
        ] {
            let server = try await LoopbackServer.start { exchange in
                if exchange.request.target == "/ok" { return try await exchange.reply(200) }
                try await exchange.write("HTTP/1.1 \(status)\r\n\(rest)")
                await exchange.close()
            }
            let transport = AsyncHTTPClientTransport(configuration: .init())
            await expectMalformed("status code") {
                _ = try await transport.send(.get(server.url())).body.collect()
            }
            await expectMalformed("status code") {
                _ = try await transport.send(.post(server.url(), body: "content")).body.collect()
            }
            #expect(try await transport.send(.get(server.url("/ok"))).status == .ok)
            await server.stop()
        }
    }

    @Test("A client of the caller's that is made from the standard configuration refuses them, too")
    func foreignClient() async throws {
        let server = try await LoopbackServer.start {
            try await $0.write("HTTP/1.1 099 X\r\nContent-Length: 1\r\n\r\n.")
        }
        let client = HTTPClient(configuration: AsyncHTTPClientTransport.standardConfiguration)
        await expectMalformed("status code 99") {
            _ = try await AsyncHTTPClientTransport(client: client).send(.get(server.url())).body.collect()
        }
        try await client.shutdown()
        await server.stop()
    }

    @Test("Interim responses are skipped up to a limit, beyond which the call fails")
    func interim() async throws {
        let server = try await LoopbackServer.start { exchange in
            let count = Int(exchange.request.target.dropFirst()) ?? 0
            try await exchange.write(String(repeating: "HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n", count: count))
            try await exchange.reply(200, body: Data("ok".utf8))
        }
        let transport = AsyncHTTPClientTransport(configuration: AsyncHTTPClientTransport.standardConfiguration)
        for _ in 1...2 {
            let response = try await transport.send(.get(server.url("/\(ReceivedHead.interimLimit)")))
            #expect(try await response.body.collect() == Data("ok".utf8))
        }
        await expectMalformed("more than 100 interim responses") {
            _ = try await transport.send(.get(server.url("/\(ReceivedHead.interimLimit + 1)")))
        }
        await server.stop()
    }

    @Test("More fields than a message from outside may have fail the call")
    func fieldFlood() async throws {
        let server = try await LoopbackServer.start { exchange in
            let count = Int(exchange.request.target.dropFirst()) ?? 0
            try await exchange.write("HTTP/1.1 200 OK\r\n\(String(repeating: "a:\r\n", count: count))\r\n")
        }
        for count in [10_001, 70_000] {
            await expectMalformed("too many header") {
                _ = try await AsyncHTTPClientTransport().send(.get(server.url("/\(count)")))
            }
        }
        await server.stop()
    }

    // MARK: - HTTP/2

    @Test(
        "Heads over HTTP/2 that are not of three digits, or have status 101, fail the call",
        .enabled(if: TLSFixture.isAvailable)
    )
    func overHTTP2() async throws {
        let (server, transport) = try await HTTP2Server.start()
        func url(_ statuses: String...) -> String {
            "https://localhost:\(server.port)/" + statuses.joined(separator: "/")
        }
        for status in ["empty", "-5", "099", "002", "99", "1000", "101", "10", "1", "abc", "20x", "+20"] {
            await expectMalformed("status code") { _ = try await transport.send(.get(url(status))).body.collect() }
            await expectMalformed("status code") {
                _ = try await transport.send(.get(url(status, "200"))).body.collect()
            }
        }
        await expectMalformed("the stream ends with an interim response") {
            _ = try await transport.send(.get(url("103"))).body.collect()
        }
        await expectMalformed("more than 100 interim responses") {
            let statuses = Array(repeating: "103", count: 101) + ["200"]
            _ = try await transport.send(.get("https://localhost:\(server.port)/" + statuses.joined(separator: "/")))
        }
        let response = try await transport.send(.get(url("103", "200")))
        #expect(response.status == .ok)
        #expect(try await response.body.collect().isEmpty)
        try await server.stop()
    }

    @Test(
        "A stream above the last one of a GOAWAY sent nothing, and one that is reset with CANCEL may have",
        .enabled(if: TLSFixture.isAvailable),
        arguments: [("goaway", TransportError.Sent.nothing), ("cancel", .maybe)]
    )
    func unprocessed(path: String, sent: TransportError.Sent) async throws {
        let (server, transport) = try await HTTP2Server.start()
        let error = await #expect(throws: TransportError.self) {
            try await transport.send(.post("https://localhost:\(server.port)/\(path)", body: "hunter2"))
        }
        #expect(error?.kind == .connectionLost && error?.sent == sent)
        try await server.stop()
    }

    @Test(
        "The limit for the response ends a stream over HTTP/2, and the number of an exchange is not sent",
        .enabled(if: TLSFixture.isAvailable)
    )
    func limitOverHTTP2() async throws {
        let (server, transport) = try await HTTP2Server.start()
        var request = Request.get("https://localhost:\(server.port)/200")
        request.options[TransferLimitsNote.self] = TransferLimits(connect: .seconds(60), response: .seconds(60))
        #expect(try await transport.send(request).status == .ok)
        let start = ContinuousClock.now
        let error = await #expect(throws: TimeoutError.self) {
            let limits = TransferLimits(connect: .seconds(60), response: .milliseconds(300))
            var silent = Request.get("https://localhost:\(server.port)/")
            silent.options[TransferLimitsNote.self] = limits
            return try await transport.send(silent)
        }
        #expect(error?.scope == .response && error?.sent == .maybe)
        #expect(start.duration(to: .now) < .seconds(30))
        try await server.stop()
    }
}
#endif
