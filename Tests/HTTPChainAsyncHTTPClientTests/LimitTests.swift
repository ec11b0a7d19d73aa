#if AllTests && AsyncHTTPClient
import AsyncHTTPClient
import Foundation
import HTTPChainCore
import HTTPChainTesting
import HTTPTypes
import NIOCore
import NIOHTTP1
import TestSupport
import Testing

@testable import HTTPChainAsyncHTTPClient

/// The limits of an exchange, against peers that don't keep them.
@Suite(.heavy, .timeLimit(.minutes(10)))
struct LimitTests {
    private let transport = AsyncHTTPClientTransport(configuration: AsyncHTTPClientTransport.standardConfiguration)
    private let others = TransferLimits(
        connect: .seconds(60),
        write: .seconds(60),
        response: .seconds(60),
        read: .seconds(60)
    )

    @Test(
        "Each limit ends the step that it is for, however long the others are",
        arguments: StalledPeer.allCases,
        [Duration.milliseconds(300), .seconds(1)]
    )
    func eachLimit(peer: StalledPeer, limit: Duration) async throws {
        let (error, elapsed) = try await peer.exceed(limit, others: others, over: transport)
        #expect(error.scope.name == peer.rawValue)
        #expect(error.sent == (peer == .connect ? .nothing : [.call, .read].contains(peer) ? .answered : .maybe))
        #expect(StalledPeer.meets(limit, elapsed), "\(elapsed)")
    }

    @Test("A hundred calls at once to a host that accepts no connection end at the limit to connect")
    func manyCalls() async throws {
        let host = try FullHost()
        defer { host.close() }
        let limits = TransferLimits(connect: .milliseconds(500), response: .seconds(60))
        let start = ContinuousClock.now
        try await withThrowingTaskGroup(of: TimeoutScope?.self) { group in
            for _ in 1...100 {
                group.addTask { [transport] in
                    var request = Request.get(host.url)
                    request.options[TransferLimitsNote.self] = limits
                    let late = request
                    return await #expect(throws: TimeoutError.self) { try await transport.send(late) }?.scope
                }
            }
            for try await scope in group { #expect(scope == .connect) }
        }
        // Far below the other limit, on a machine that has other work, too.
        #expect(start.duration(to: .now) < .seconds(10))
    }

    @Test("The limit to connect covers a TLS handshake that the server doesn't answer")
    func handshake() async throws {
        let server = try await LoopbackServer.start { try await $0.reply(200) }
        var request = Request.post("https://127.0.0.1:\(server.port)/", body: "content")
        request.options[TransferLimitsNote.self] = TransferLimits(connect: .milliseconds(300), response: .seconds(60))
        let late = request
        let start = ContinuousClock.now
        let error = await #expect(throws: TimeoutError.self) { try await transport.send(late) }
        #expect(error?.scope == .connect && error?.sent == .nothing)
        #expect(StalledPeer.meets(.milliseconds(300), start.duration(to: .now)))
        await server.stop()
    }

    @Test("Over a client of the caller's, the time to connect counts toward the response, whose limit is longer by it")
    func foreignClient() async throws {
        let client = HTTPClient(configuration: AsyncHTTPClientTransport.standardConfiguration)
        let (error, elapsed) = try await StalledPeer.connect.exceed(
            .milliseconds(300),
            others: TransferLimits(response: .milliseconds(400)),
            over: AsyncHTTPClientTransport(client: client)
        )
        #expect(error.scope == .response && error.sent == .maybe)
        #expect(StalledPeer.meets(.milliseconds(700), elapsed), "\(elapsed)")
        try await client.shutdown()
    }

    @Test("A call that waits for a connection in use ends at the limit for connecting, with nothing sent")
    func crowdedPool() async throws {
        var configuration = AsyncHTTPClientTransport.standardConfiguration
        configuration.connectionPool.concurrentHTTP1ConnectionsPerHostSoftLimit = 1
        let transport = AsyncHTTPClientTransport(configuration: configuration)
        let server = try await LoopbackServer.start { exchange in
            try await exchange.beginChunks()
            try await Rendezvous().wait()
        }
        let first = try await transport.send(.get(server.url()))
        let limits = TransferLimits(connect: .milliseconds(300), response: .seconds(60))
        let error = await #expect(throws: TimeoutError.self) {
            var second = Request.post(server.url(), body: "content")
            second.options[TransferLimitsNote.self] = limits
            return try await transport.send(second)
        }
        #expect(error?.scope == .connect && error?.sent == .nothing)
        #expect(server.records.count == 1 && !first.body.isReplayable)
        await server.stop()
    }

    @Test("A limit of zero ends a call before anything is sent, whichever step it is for")
    func zero() async throws {
        let server = try await LoopbackServer.start { exchange in
            try await exchange.readBody()
            try await exchange.reply(200)
        }
        for limits in [
            TransferLimits(connect: .zero), .init(write: .zero), .init(response: .zero), .init(read: .zero),
            .init(connect: .seconds(60), response: .zero),
        ] {
            for body in [HTTPBody("a"), .chunks(["a", "b"])] where limits.write == nil || body.length == nil {
                var request = Request.post(server.url(), body: body)
                request.options[TransferLimitsNote.self] = limits
                let late = request
                let error = await #expect(throws: TimeoutError.self) { try await transport.send(late) }
                #expect(error?.sent == .nothing)
            }
        }
        #expect(server.records.isEmpty)
        await server.stop()
    }

    @Test("The number of an exchange stays between the transport and its connections")
    func number() async throws {
        let server = try await LoopbackServer.start { exchange in
            try await exchange.readBody()
            try await exchange.reply(200)
        }
        let stream = HTTPBody.chunks(["a", "b"], replayable: true)
        for body in [.empty, HTTPBody("a"), stream] {
            for limits in [nil, others] {
                var request = Request.post(server.url(), body: body)
                request.options[TransferLimitsNote.self] = limits
                request.headers[ExchangeBoard.field] = "1"
                #expect(try await transport.send(request).status == .ok)
            }
        }
        #expect(server.records.count == 6)
        #expect(server.records.allSatisfy { $0.request.values(ExchangeBoard.field.rawName).isEmpty })
        await server.stop()
    }

    @Test("A request whose exchange has ended is not sent when its connection comes")
    func ended() async throws {
        let server = try await LoopbackServer.start { try await $0.reply(200) }
        let clients = ClientHandle(AsyncHTTPClientTransport.standardConfiguration)
        let client = try clients.client(for: Request.get(server.url()).forWire())
        for body in [nil, HTTPClientRequest.Body.bytes(Data("content".utf8))] {
            var request = HTTPClientRequest(url: server.url())
            request.method = .POST
            request.headers.add(name: ExchangeBoard.field.rawName, value: "0")
            request.body = body
            let late = request
            await #expect(throws: (any Error).self) { try await client.execute(late, deadline: .distantFuture) }
        }
        #expect(server.records.isEmpty)
        try await clients.shutdown()
        await server.stop()
    }

    @Test("The client gets the next part of an upload once the connection has written most of the previous ones")
    func uploadWindow() async throws {
        let part = Data(count: HTTPBody.chunkSize)
        let body = HTTPBody.chunks([part, part, part, part])
        let upload = try #require(Upload(try Request.post("https://example.com/", body: body).forWire(), progress: nil))
        let received = Counter()
        @Sendable func next() async throws -> Data? {
            let part = try await upload.next()
            received.add()
            return part
        }
        upload.isReported()
        for _ in 1...2 { _ = try await next() }
        let third = Task { try await next() }
        for _ in 1...100 { await Task.yield() }
        #expect(received.value == 2)
        upload.wrote(part.count)
        #expect(try await third.value == part)
        let fourth = Task { try await next() }
        upload.cancel()
        await #expect(throws: CancellationError.self) { try await fourth.value }
        #expect(received.value == 3)
    }

    @Test("The end of an upload is read although its last part waits to be written")
    func uploadEnd() async throws {
        let body = HTTPBody.chunks([Data(count: 1 << 20)])
        let upload = try #require(Upload(try Request.post("https://example.com/", body: body).forWire(), progress: nil))
        upload.isReported()
        #expect(try await upload.next()?.count == 1 << 20)
        #expect(try await upload.next() == nil)
    }
}
#endif
