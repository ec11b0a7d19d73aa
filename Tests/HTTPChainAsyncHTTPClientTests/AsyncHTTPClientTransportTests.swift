#if AllTests && AsyncHTTPClient
import AsyncHTTPClient
import Foundation
import HTTPChainCore
import HTTPChainTesting
import HTTPTypes
import NIOCore
import TestSupport
import Testing

@testable import HTTPChainAsyncHTTPClient

/// What is this transport's own: its clients, its connections and its errors.
@Suite(.heavy, .timeLimit(.minutes(10)))
struct AsyncHTTPClientTransportTests {
    private func serve<Result>(
        _ script: @escaping LoopbackServer.Script,
        _ body: (LoopbackServer) async throws -> Result
    ) async throws -> Result {
        let server = try await LoopbackServer.start(script: script)
        do {
            let result = try await body(server)
            await server.stop()
            return result
        } catch {
            await server.stop()
            throw error
        }
    }

    @Test("Requests one after the other share a connection, also when there is no body to read")
    func connectionReuse() async throws {
        try await serve({ try await $0.reply($0.request.target == "/none" ? 204 : 200, body: Data("hi".utf8)) }) {
            server in
            let transport = AsyncHTTPClientTransport()
            for _ in 1...3 {
                for request in [Request.get(server.url("/")), .get(server.url("/none")), .head(server.url("/"))] {
                    _ = try await transport.send(request).body.collect()
                }
            }
            #expect(server.records.count == 9)
            #expect(server.connectionCount == 1)
        }
    }

    @Test("Cookies go out in one field (RFC 6265 §5.4)")
    func cookies() async throws {
        try await serve({ try await $0.reply(200) }) { server in
            var request = Request.get(server.url())
            request.head.headerFields[.cookie] = "a=1; b=2"
            request.head.headerFields.append(HTTPField(name: .cookie, value: "c=3"))
            _ = try await AsyncHTTPClientTransport().send(request).body.collect()
            #expect(server.records.first?.request.values("Cookie") == ["a=1; b=2; c=3"])
        }
    }

    @Test("A stream that is longer than declared fails before the server has all that is declared", arguments: [0, 5])
    func longStream(declared: Int64) async throws {
        let completed = Counter()
        try await serve({ exchange in
            try await exchange.readBody()
            completed.add()
            try await exchange.reply(200)
        }) { server in
            for limits in [nil, TransferLimits(connect: .seconds(60), response: .seconds(60))] {
                let chunks = declared == 0 ? ["GET / HTTP/1.1"] : ["ab", "cde", "GET / HTTP/1.1"]
                var request = Request.post(server.url(), body: .chunks(chunks, length: declared))
                request.options[TransferLimitsNote.self] = limits
                let longer = request
                let error = await #expect(throws: BodyError.self) {
                    try await AsyncHTTPClientTransport().send(longer)
                }
                #expect(error?.problem == .longerThanDeclared(declared: declared))
            }
            #expect(declared == 5 || server.records.isEmpty)
        }
        #expect(completed.value == 0)
    }

    @Test("A stream that is declared as empty, and is, is sent as such")
    func emptyStream() async throws {
        try await serve({ try await $0.reply(200) }) { server in
            for limits in [nil, TransferLimits(connect: .seconds(60), write: .seconds(60), response: .seconds(60))] {
                var request = Request.post(server.url(), body: .chunks([String](), length: 0))
                request.options[TransferLimitsNote.self] = limits
                let response = try await AsyncHTTPClientTransport().send(request)
                #expect(response.status == .ok)
            }
            #expect(server.records.map { $0.request.values("Content-Length") } == [["0"], ["0"]])
        }
    }

    @Test("All transports made without a client share one, and its connections")
    func sharedClient() async throws {
        try await serve({ try await $0.reply(200) }) { server in
            for _ in 1...3 { _ = try await AsyncHTTPClientTransport().send(.get(server.url())).body.collect() }
            #expect(server.connectionCount == 1)
        }
    }

    @Test("After shutdown a request is a TransportError that says so, and so is a second shutdown")
    func shutdown() async throws {
        try await serve({ try await $0.reply(200) }) { server in
            let transport = AsyncHTTPClientTransport(configuration: AsyncHTTPClientTransport.standardConfiguration)
            #expect(try await transport.send(.get(server.url())).status == .ok)
            try await transport.shutdown()
            let error = try await #require(throws: TransportError.self) {
                _ = try await transport.send(.get(server.url()))
            }
            #expect(error.kind == .shutDown)
            #expect(error.sent == .nothing)
            await #expect(throws: TransportError.self) { try await transport.shutdown() }
        }
    }

    @Test("A transport that is dropped without a shutdown closes its connections")
    func droppedTransport() async throws {
        let ended = Rendezvous()
        let script: LoopbackServer.Script = { exchange in
            try await exchange.writeHead(200, [("Content-Length", "2")])
            try await exchange.write("ok")
            try await exchange.waitForPeerToClose()
            ended.reach()
        }
        try await serve(script) { server in
            let text = try await {
                let configuration = AsyncHTTPClientTransport.standardConfiguration
                let transport = AsyncHTTPClientTransport(configuration: configuration)
                return try await transport.send(.get(server.url())).body.text()
            }()
            #expect(text == "ok")
            try await ended.wait()
        }
    }

    @Test("A response is read to its end although the last copy of its transport is gone")
    func responseKeepsClient() async throws {
        let isDropped = Rendezvous()
        let script: LoopbackServer.Script = { exchange in
            try await exchange.writeHead(200, [("Content-Length", "4")])
            try await exchange.write("ab")
            try await isDropped.wait()
            try await exchange.write("cd")
        }
        try await serve(script) { server in
            let response = try await {
                let configuration = AsyncHTTPClientTransport.standardConfiguration
                let transport = AsyncHTTPClientTransport(configuration: configuration)
                return try await transport.send(.get(server.url()))
            }()
            isDropped.reach()
            #expect(try await response.body.text() == "abcd")
        }
    }

    @Test("OPTIONS for the server as a whole is refused, which the client cannot send")
    func wholeServer() async throws {
        var request = Request.options("http://127.0.0.1:9/")
        request.head.path = "*"
        let error = await #expect(throws: InvalidRequestError.self) {
            try await AsyncHTTPClientTransport().send(request)
        }
        #expect(error?.reason.contains("\"http://127.0.0.1:9\" is invalid: AsyncHTTPClient cannot send") == true)
    }

    @Test("The client's own tracing is switched off on request")
    func clientTracing() {
        let configuration = AsyncHTTPClientTransport.standardConfiguration
        let off = AsyncHTTPClientTransport.prepared(configuration, clientTracing: .disabled)
        #expect(off.tracing.tracer == nil)
    }

    @Test("A request that a stage traces goes over a client without a tracer, others over the one as configured")
    func tracedByStage() async throws {
        let configuration = AsyncHTTPClientTransport.standardConfiguration
        #expect(configuration.tracing.tracer != nil, "the client has one by default")
        let clients = ClientHandle(configuration)
        var traced = Request.get("https://example.com/")
        traced.options[TracedByStageNote.self] = true
        let plain = try clients.client(for: Request.get("https://example.com/").forWire())
        let untraced = try clients.client(for: traced.forWire())
        #expect(plain.tracer != nil)
        #expect(untraced.tracer == nil)
        #expect(try clients.client(for: traced.forWire()) === untraced, "there is one of them")
        try await clients.shutdown()
        let late = try clients.client(for: traced.forWire())
        #expect(late === plain || late === untraced, "none is made once all are shut down")
    }

    @Test("Pinned hosts have a client without a tracer of their own")
    func tracedByStageOfPinnedHost() async throws {
        let key = "sha256/AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA="
        let trust = try ServerTrust.system.pinning("pinned.example", [key])
        let clients = ClientHandle(AsyncHTTPClientTransport.standardConfiguration, pinning: trust.pinned)
        func client(_ url: String, isTraced: Bool) throws -> HTTPClient {
            var request = Request.get(url)
            request.options[TracedByStageNote.self] = isTraced
            return try clients.client(for: request.forWire())
        }
        let all = try [
            client("https://pinned.example/", isTraced: false), client("https://pinned.example/", isTraced: true),
            client("https://other.example/", isTraced: false), client("https://other.example/", isTraced: true),
        ]
        #expect(all.map { $0.tracer == nil } == [false, true, false, true])
        #expect(Set(all.map { ObjectIdentifier($0) }).count == 4)
        try await clients.shutdown()
    }

    @Test("Requests with and without a stage's trace arrive alike, until the transport is shut down")
    func tracedByStageArrives() async throws {
        try await serve({ try await $0.reply(200, body: Data("hi".utf8)) }) { server in
            let transport = AsyncHTTPClientTransport(configuration: AsyncHTTPClientTransport.standardConfiguration)
            var request = Request.get(server.url("/"))
            for isTraced in [true, false, true] {
                request.options[TracedByStageNote.self] = isTraced
                #expect(try await transport.send(request).body.text() == "hi")
            }
            try await transport.shutdown()
            for isTraced in [true, false] {
                request.options[TracedByStageNote.self] = isTraced
                let late = request
                let error = await #expect(throws: TransportError.self) { try await transport.send(late) }
                #expect(error?.kind == .shutDown)
            }
        }
    }

    @Test("Errors redact what the chain's own redaction names, in URL, fields and answer")
    func ownRedaction() async throws {
        try await checkOwnRedaction(of: AsyncHTTPClientTransport())
    }

    @Test("Shutting the transport down leaves a client alone that is the caller's")
    func foreignClient() async throws {
        try await serve({ try await $0.reply(200) }) { server in
            let client = HTTPClient(configuration: AsyncHTTPClientTransport.standardConfiguration)
            let transport = AsyncHTTPClientTransport(client: client)
            try await transport.shutdown()
            #expect(try await transport.send(.get(server.url())).status == .ok)
            try await client.shutdown()
        }
    }

    @Test("Redirects and decompression of a configuration are switched off")
    func configuration() async throws {
        var configuration = AsyncHTTPClientTransport.standardConfiguration
        configuration.redirectConfiguration = .follow(max: 5, allowCycles: false)
        configuration.decompression = HTTPClient.Configuration.singletonConfiguration.decompression
        let transport = AsyncHTTPClientTransport(configuration: configuration)
        let script: LoopbackServer.Script = { exchange in
            let fields = [("Location", "/elsewhere"), ("Content-Encoding", "gzip")]
            try await exchange.reply(302, fields: fields, body: Data("as it is".utf8))
        }
        try await serve(script) { server in
            let response = try await transport.send(.get(server.url()))
            #expect(response.status.code == 302)
            #expect(try await response.body.text() == "as it is")
            #expect(server.records.count == 1)
        }
        try await transport.shutdown()
    }

    @Test("An answer that is whole before the end of the upload is written is delivered, and its connection closed")
    func answerBeforeEndOfUpload() async throws {
        for _ in 1...10 {
            let ended = Rendezvous()
            try await serve({ exchange in
                // The end is read before the piece is handed on, which is when its first bytes come.
                try await ended.wait()
                _ = try await exchange.readChunk()
                try await exchange.writeHead(413, [("Content-Length", "9"), ("Connection", "close")])
                try await exchange.write("too large")
                try await exchange.waitForPeerToClose()
            }) { server in
                // One piece that no socket takes at once: its end waits behind it.
                let body = HTTPBody.replayable(length: 16 << 20) {
                    OnePieceReader(rest: Data(count: 16 << 20), ended: ended)
                }
                let response = try await AsyncHTTPClientTransport().send(.post(server.url(), body: body))
                #expect(response.status == .contentTooLarge)
                #expect(try await response.body.text() == "too large")
            }
        }
    }

    @Test("A reader of the request body is released when the server answers first and the answer is dropped")
    func earlyAnswerLetsTheUploadGo() async throws {
        let (waiting, gone) = (Rendezvous(), Rendezvous())
        struct WaitingReader: BodyReader {
            var chunks: [Data]
            let waiting: Rendezvous
            let gone: Rendezvous

            nonisolated(nonsending) mutating func read() async throws -> Data? {
                if let chunk = chunks.popLast() { return chunk }
                waiting.reach()
                defer { gone.reach() }
                try await Rendezvous().wait()
                return nil
            }
        }
        let script: LoopbackServer.Script = { exchange in
            try await waiting.wait()
            try await exchange.beginChunks(413)
            try await exchange.writeChunk(Data("no".utf8))
            try await exchange.waitForPeerToClose()
        }
        try await serve(script) { server in
            let body = HTTPBody.once { WaitingReader(chunks: [Data("hello".utf8)], waiting: waiting, gone: gone) }
            let status = try await AsyncHTTPClientTransport().send(.post(server.url(), body: body)).status
            #expect(status.code == 413)
            try await gone.wait()
        }
    }

    @Test("An error names the request and shows none of its secrets")
    func redaction() async throws {
        try await serve({ await $0.close() }) { server in
            let request = Request.get(
                server.url("/users?token=hunter2&page=1"),
                headers: [.authorization: "Bearer hunter2"]
            )
            let error = try await #require(throws: TransportError.self) {
                _ = try await AsyncHTTPClientTransport().send(request)
            }
            #expect(error.stage == "AsyncHTTPClientTransport")
            #expect(error.description.contains("page=1"))
            #expect(!error.description.contains("hunter2"))
        }
    }

    @Test("A server that stops in the middle of a body is a timeout, and had answered")
    func stalledBody() async throws {
        var configuration = AsyncHTTPClientTransport.standardConfiguration
        // The head must be here in time even on a busy machine.
        configuration.timeout.read = .seconds(3)
        let transport = AsyncHTTPClientTransport(configuration: configuration)
        let script: LoopbackServer.Script = { exchange in
            try await exchange.writeHead(200, [("Content-Length", "100")])
            try await exchange.write("begun")
            try await exchange.waitForPeerToClose()
        }
        try await serve(script) { server in
            let response = try await transport.send(.get(server.url()))
            let error = try await #require(throws: TransportError.self) { _ = try await response.body.collect() }
            #expect(error.kind == .timedOut)
            #expect(error.sent == .answered)
        }
        try await transport.shutdown()
    }

    @Test("A TLS handshake with a server that speaks plain HTTP fails as such, with nothing sent")
    func tlsAgainstPlainServer() async throws {
        var configuration = AsyncHTTPClientTransport.standardConfiguration
        configuration.timeout.connect = .milliseconds(300)
        let transport = AsyncHTTPClientTransport(configuration: configuration)
        try await serve({ try await $0.reply(200) }) { server in
            let error = try await #require(throws: TransportError.self) {
                _ = try await transport.send(.get("https://127.0.0.1:\(server.port)/"))
            }
            #expect([.timedOut, .secureConnectionFailed].contains(error.kind), "\(error)")
            #expect(error.sent == .nothing)
            #expect(server.records.isEmpty)
        }
        try await transport.shutdown()
    }

    @Test("No connection free in time is a timeout with nothing sent")
    func crowdedPool() async throws {
        var configuration = AsyncHTTPClientTransport.standardConfiguration
        configuration.connectionPool.concurrentHTTP1ConnectionsPerHostSoftLimit = 1
        configuration.timeout.connect = .seconds(3)
        let transport = AsyncHTTPClientTransport(configuration: configuration)
        let script: LoopbackServer.Script = { exchange in
            try await exchange.beginChunks()
            try await exchange.writeChunk(Data("more to come".utf8))
            try await exchange.waitForPeerToClose()
        }
        try await serve(script) { server in
            let first = try await transport.send(.get(server.url()))
            let error = try await #require(throws: TransportError.self) {
                _ = try await transport.send(.get(server.url()))
            }
            #expect(error.kind == .timedOut)
            #expect(error.sent == .nothing)
            #expect(!first.body.isReplayable)
        }
        try await transport.shutdown()
    }
}

/// Reads one piece, and tells that there is no more.
private struct OnePieceReader: BodyReader {
    var rest: Data?
    let ended: Rendezvous

    nonisolated(nonsending) mutating func read() async throws -> Data? {
        defer { rest = nil }
        if rest == nil { ended.reach() }
        return rest
    }
}
#endif
