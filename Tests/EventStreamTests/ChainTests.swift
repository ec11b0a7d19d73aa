#if AllTests
import Foundation
import HTTPChainCore
import HTTPChainEventStream
import HTTPChainGzip
import HTTPChainInMemory
import HTTPChainRedirect
import HTTPChainRetry
import HTTPChainStatusValidation
import HTTPChainTesting
import HTTPChainTimeout
import HTTPTypes
import TestSupport
import Testing

private let target = "https://api.example.com/events"

@Suite("Streams through the stages of a chain", .timeLimit(.minutes(10)))
struct StreamChainTests {
    /// A day of heartbeats, and an event.
    private static let healthy = EventScript {
        for _ in 0..<(24 * 60) {
            $0.wait(.seconds(60))
            $0.comment()
        }
        $0.event("at last", id: "1")
        $0.end()
    }

    @Test(
        "The limits of calls and attempts do not cut a stream that is healthy, over either kind of transport",
        arguments: [true, false]
    )
    func timeouts(keepsDeadlines: Bool) async throws {
        let server = EventServer { $0.number == 1 ? .stream(Self.healthy) : .noMore }
        let clock = VirtualClock.automatic()
        let transport: any Transport = keepsDeadlines ? try Keeping(server) : server
        let chain = try Chain(transport: transport, environment: .virtual(clock)) {
            TimeoutMiddleware(.seconds(30))
            AttemptTimeoutMiddleware(.seconds(20), covering: .response, response: .seconds(10), read: .seconds(10))
        }
        let (events, error) = await chain.events(.get(target)).outcome()
        #expect(error == nil)
        #expect(events.map(\.data) == ["at last"])
        #expect(server.requests.count == 2)
    }

    @Test("A head that does not come in time is a failure that is asked for again")
    func headTimeout() async throws {
        let clock = VirtualClock.automatic()
        let server = EventServer { connection in
            if connection.number == 1 { try await clock.sleep(for: .seconds(100)) }
            return .noMore
        }
        let chain = try Chain(transport: server, environment: .virtual(clock)) { TimeoutMiddleware(.seconds(30)) }
        let stream = chain.events(.get(target))
        let states = stream.states
        #expect(await stream.outcome().error == nil)
        var failures: [any Error] = []
        for await case .waiting(_, let error) in states { failures.append(error) }
        #expect(failures.count == 1)
        #expect((failures.first as? TimeoutError)?.scope == .call)
    }

    @Test(
        "Each connection gets a fresh token, is redirected anew, and keeps its id (request-redirect)",
        arguments: [301, 302, 303, 307, 308]
    )
    func redirectAndToken(code: Int) async throws {
        let server = EventServer { connection in
            if connection.request.path == "/events" {
                return .status(.init(code: code), headers: [.location: "/moved"])
            }
            guard connection.number < 5 else { return .noMore }
            return .stream {
                $0.event(connection.request.headerFields[.authorization] ?? "", id: "\(connection.number)")
                $0.end()
            }
        }
        let tokens = Counter()
        let provider = TokenSource { "token-\(tokens.add())" }
        let chain = try Chain(transport: server, environment: .virtual(.automatic())) {
            RedirectMiddleware()
            provider
        }
        let events = await chain.events(.get(target)).outcome().elements
        #expect(events.count == 2)
        #expect(Set(events.map(\.data)).count == 2)
        #expect(server.requests.map(\.path) == ["/events", "/moved", "/events", "/moved", "/events", "/moved"])
        #expect(server.requests.map(\.lastEventID) == [nil, nil, "2", "2", "4", "4"])
    }

    @Test("A status that a validation stage throws is judged as a status, 204 among them")
    func validated() async throws {
        let server = EventServer([
            .status(.serviceUnavailable, headers: [.retryAfter: "7"]),
            .stream {
                $0.event("1"); $0.end()
            }, .status(.notFound),
        ])
        let clock = VirtualClock.automatic()
        let chain = try Chain(transport: server, environment: .virtual(clock)) { StatusValidationMiddleware() }
        let options = EventStreamOptions(reconnection: ReconnectionPolicy(jitter: 0))
        let (events, error) = await chain.events(.get(target), options: options).outcome()
        #expect(events.map(\.data) == ["1"])
        #expect((error as? any ResponseError)?.response.head.status == .notFound)
        #expect(clock.sleeps == [.seconds(7), .seconds(1)])
    }

    @Test("A retry stage repeats what opens a stream, and leaves a stream that breaks alone")
    func retried() async throws {
        let server = EventServer([
            .status(.serviceUnavailable),
            .response(
                Response(
                    .ok,
                    headers: [
                        .contentType: "text/event-stream", .eTag: "\"strong\"", .contentLength: "100",
                        .acceptRanges: "bytes",
                    ],
                    body: .chunks(
                        ["id:1\ndata:x\n\n"],
                        failing: TransportError(.connectionLost, sent: .answered, stage: "test")
                    )
                )
            ),
            .noMore,
        ])
        let chain = try Chain(transport: server, environment: .virtual(.automatic())) { RetryMiddleware() }
        let stream = chain.events(.get(target))
        let (events, error) = await stream.outcome()
        #expect(error == nil)
        #expect(events.map(\.data) == ["x"])
        #expect(server.requests.count == 3)
        #expect(server.requests.allSatisfy { $0.headerFields[.range] == nil })
    }

    @Test("A compressed stream gives each event as it arrives")
    func compressed() async throws {
        let feed = ChunkFeed()
        let transport = InMemoryTransport()
        transport.enqueue(
            ScriptedReply(headers: [.contentType: "text/event-stream", .contentEncoding: "gzip"], feed: feed)
        )
        let chain = try Chain(transport: transport) { GzipMiddleware() }
        var iterator = chain.events(.get(target)).makeAsyncIterator()
        // Two members, each flushed at its end (RFC 1952 §2.2), as servers flush after each event.
        for text in ["data:1\n\n", "data:2\n\n"] {
            feed.send(try Self.stored(text))
            #expect(try await iterator.next()?.data == text.dropFirst(5).prefix(1).description)
        }
    }

    /// A gzip member of one stored block, RFC 1951 §3.2.4.
    private static func stored(_ text: String) throws -> Data {
        let bytes = Data(text.utf8)
        let count = UInt16(bytes.count)
        var data = Data([0x1F, 0x8B, 8, 0, 0, 0, 0, 0, 0, 0xFF, 1])
        withUnsafeBytes(of: count.littleEndian) { data.append(contentsOf: $0) }
        withUnsafeBytes(of: (~count).littleEndian) { data.append(contentsOf: $0) }
        data += bytes
        var crc: UInt32 = ~0
        for byte in bytes {
            crc ^= UInt32(byte)
            for _ in 0..<8 { crc = crc & 1 == 1 ? (crc >> 1) ^ 0xEDB8_8320 : crc >> 1 }
        }
        withUnsafeBytes(of: (~crc).littleEndian) { data.append(contentsOf: $0) }
        withUnsafeBytes(of: UInt32(bytes.count).littleEndian) { data.append(contentsOf: $0) }
        return data
    }
}

/// Puts another token on each request.
private struct TokenSource: Middleware {
    let make: @Sendable () -> String
    var phase: Phase { .authenticate }

    init(_ make: @escaping @Sendable () -> String) {
        self.make = make
    }

    func intercept(_ request: consuming Request, next: Next) async throws -> Response {
        request.head.headerFields[.authorization] = make()
        return try await next(request)
    }
}

/// A transport that keeps deadlines, as those of this package do.
private struct Keeping: Transport {
    let inner: EventServer
    let name = "Keeping"
    var capabilities: TransportCapabilities { [.keepsDeadlines] }

    init(_ inner: EventServer) throws { self.inner = inner }

    func send(_ request: consuming Request) async throws -> Response {
        guard let timer = TransferTimer(request) else { return try await inner.send(request) }
        let passed = request
        var response = try await timer.run { [inner] in try await inner.send(passed) }
        timer.answered(response.head)
        response.body = timer.keep(response.body)
        return response
    }
}
#endif
