#if AllTests
import FlyingSocks
import Foundation
import HTTPChainCore
import HTTPChainTesting
import TestSupport
import Testing

@Suite(.heavy, .timeLimit(.minutes(10)))
struct LoopbackServerTests {
    private func serve<Result>(
        bufferSize: Int32? = nil,
        _ script: @escaping LoopbackServer.Script,
        _ body: (LoopbackServer, RawClient) async throws -> Result
    ) async throws -> Result {
        let server = try await LoopbackServer.start(bufferSize: bufferSize, script: script)
        let client = try await RawClient.connect(to: server.port)
        do {
            let result = try await body(server, client)
            await client.close()
            await server.stop()
            return result
        } catch {
            await client.close()
            await server.stop()
            throw error
        }
    }

    @Test("A head is recorded as it stood on the wire")
    func head() async throws {
        try await serve({ try await $0.reply(204) }) { server, client in
            let text = "GET /a%20b?c HTTP/1.1\r\nHost: x\r\nX-Odd:  spaced \t\r\nx-odd: again\r\n\r\n"
            try await client.write(text)
            #expect(try await client.read(until: "\r\n\r\n") == "HTTP/1.1 204 No Content\r\n\r\n")
            let request = try #require(server.records.first?.request)
            #expect(request.bytes == Data(text.utf8))
            #expect(request.method == "GET" && request.target == "/a%20b?c" && request.version == "HTTP/1.1")
            #expect(request.values("X-ODD") == ["spaced", "again"])
            #expect(request.fields.map(\.name) == ["Host", "X-Odd", "x-odd"])
            #expect(request.framing == .none)
        }
    }

    @Test(
        "A body is read whatever its framing and however it is cut",
        arguments: [
            ("Content-Length: 11", ["hello world"]), ("Content-Length: 11", ["hel", "lo wor", "ld"]),
            ("Transfer-Encoding: chunked", ["5\r\nhello\r\n6;x=y\r\n world\r\n0\r\nTrailer: 1\r\n\r\n"]),
            ("Transfer-Encoding: chunked", ["5\r", "\nhel", "lo\r\n6\r\n world\r", "\n0\r\n\r", "\n"]),
        ]
    )
    func body(_ field: String, _ pieces: [String]) async throws {
        let script: LoopbackServer.Script = { exchange in
            try await exchange.reply(200, body: try await exchange.readBody())
        }
        try await serve(script) { server, client in
            for _ in 1...2 {
                try await client.write("POST / HTTP/1.1\r\n\(field)\r\n\r\n")
                for piece in pieces { try await client.write(piece) }
                let answer = try await client.read(until: "hello world")
                #expect(answer == "HTTP/1.1 200 OK\r\nContent-Length: 11\r\n\r\nhello world")
            }
            #expect(server.records.map(\.bodyLength) == [11, 11])
            #expect(server.records.allSatisfy { $0.body == Data("hello world".utf8) && $0.bodyIsComplete })
            #expect(server.connectionCount == 1)
            #expect(server.failures.isEmpty)
        }
    }

    @Test(
        "What is not HTTP is refused and written down",
        arguments: [
            "nonsense\r\n\r\n", "GET / HTTP/1.1\r\nno colon\r\n\r\n",
            "POST / HTTP/1.1\r\nContent-Length: five\r\n\r\n", "POST / HTTP/1.1\r\nContent-Length: -1\r\n\r\n",
            "POST / HTTP/1.1\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n",
            "POST / HTTP/1.1\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n",
            "POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n",
            "POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n-1\r\n",
            "POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n1\r\nabc\r\n",
        ]
    )
    func malformed(_ text: String) async throws {
        try await serve({ _ = try await $0.readBody() }) { server, client in
            try await client.write(text)
            #expect(await client.readToEnd().text.isEmpty)
            let error = try #require(server.failures.first as? LoopbackError)
            guard case .malformed = error.problem else {
                Issue.record("\(error)")
                return
            }
        }
    }

    @Test("A body beyond the limit of the script ends its connection")
    func limit() async throws {
        try await serve({ _ = try await $0.readBody(upTo: 4) }) { server, client in
            try await client.write("POST / HTTP/1.1\r\nContent-Length: 5\r\n\r\nhello")
            #expect(await client.readToEnd().text.isEmpty)
            #expect((server.failures.first as? LoopbackError)?.problem == .tooLarge(limit: 4))
        }
    }

    @Test("A client sees a reset as a reset and an orderly end as an end")
    func endings() async throws {
        let script: LoopbackServer.Script = { exchange in
            try await exchange.write("HTTP/1.1 200")
            if exchange.request.target == "/reset" { await exchange.reset() } else { await exchange.close() }
        }
        for (path, isReset) in [("/reset", true), ("/close", false)] {
            try await serve(script) { _, client in
                try await client.write("GET \(path) HTTP/1.1\r\n\r\n")
                let end = await client.readToEnd().end
                #expect((end != .disconnected) == isReset, "\(path): \(String(describing: end))")
            }
        }
    }

    @Test("A script learns that its client has left, whether it waits or writes")
    func leaving() async throws {
        let left = Counter()
        let script: LoopbackServer.Script = { exchange in
            if exchange.request.target == "/wait" {
                try await exchange.waitForPeerToClose()
            } else {
                try await exchange.writeUntilPeerCloses(Data(count: 65_536))
            }
            left.add()
        }
        for (number, path) in ["/wait", "/write"].enumerated() {
            try await serve(script) { server, client in
                try await client.write("GET \(path) HTTP/1.1\r\n\r\n")
                if path == "/write" { _ = try await client.read(until: "\0") }
                await client.close()
                try await left.wait(until: number + 1)
            }
        }
    }

    @Test("A big upload is read at the pace of the script, through small buffers, and counted")
    func bigUpload() async throws {
        let go = Rendezvous()
        let script: LoopbackServer.Script = { exchange in
            try await go.wait()
            while try await exchange.readChunk() != nil {}
            try await exchange.reply(200)
        }
        try await serve(bufferSize: 8192, script) { server, client in
            let size = 8 << 20
            try await client.write("POST / HTTP/1.1\r\nContent-Length: \(size)\r\n\r\n")
            async let upload: Void = client.write(String(repeating: "x", count: size))
            go.reach()
            try await upload
            #expect(try await client.read(until: "\r\n\r\n").hasPrefix("HTTP/1.1 200"))
            let record = try #require(server.records.first)
            #expect(record.bodyLength == Int64(size))
            #expect(record.body.count == LoopbackRecord.bodyLimit)
        }
    }

    @Test("Stopping ends connections and scripts that would never end, and frees the port")
    func stopping() async throws {
        let begun = Rendezvous()
        let server = try await LoopbackServer.start { _ in
            begun.reach()
            try await Rendezvous().wait()
        }
        let client = try await RawClient.connect(to: server.port)
        try await client.write("GET / HTTP/1.1\r\n\r\n")
        try await begun.wait()
        await server.stop()
        #expect(await client.readToEnd().text.isEmpty)
        await #expect(throws: SocketError.self) { _ = try await RawClient.connect(to: server.port) }
        await server.stop()
    }

    @Test("Many connections come and go without open files left behind")
    func descriptors() async throws {
        let server = try await LoopbackServer.start { try await $0.reply(200) }
        for _ in 1...200 {
            let client = try await RawClient.connect(to: server.port)
            try await client.write("GET / HTTP/1.1\r\nConnection: close\r\n\r\n")
            #expect(await client.readToEnd().text.hasPrefix("HTTP/1.1 200"))
            await client.close()
        }
        #expect(server.connectionCount == 200)
        #expect(server.failures.isEmpty)
        await server.stop()
    }

    @Test("A rendezvous lets on who comes before and after, and gives up with its task")
    func rendezvous() async throws {
        let point = Rendezvous()
        async let early: Void = point.wait()
        point.reach()
        try await early
        try await point.wait()
        #expect(point.isReached)
        let waiting = Task { try await Rendezvous().wait() }
        waiting.cancel()
        await #expect(throws: CancellationError.self) { try await waiting.value }
    }
}
#endif
