import Foundation
import HTTPChainCore
import HTTPChainInMemory
import HTTPChainTesting
import HTTPChainTimeout
import HTTPTypes
import TestSupport
import Testing

/// Over a transport that keeps deadlines, on a network that takes virtual time.
@Suite("The limits on a slow network", .timeLimit(.minutes(10)))
struct NetworkTests {
    private let clock = VirtualClock.automatic()
    private let body = HTTPBody(Data(repeating: 7, count: 6_000_000))

    private func transport(_ network: SimulatedNetwork, _ reply: ScriptedReply = .ok) -> InMemoryTransport {
        let transport = InMemoryTransport(network: network)
        transport.enqueue(reply)
        return transport
    }

    @Test("An upload at 50 KB/s for two minutes survives the defaults, and a response a minute later")
    func slowUpload() async throws {
        let network = SimulatedNetwork(connecting: .seconds(20), uploadPerSecond: .kilobytes(50))
        let chain = try makeChain(
            [AttemptTimeoutMiddleware()],
            transport(network, .ok.delayed(by: .seconds(59)))
        )
        let response = try await chain.send(.post(url, body: body).on(clock))
        #expect(response.status == .ok)
        #expect(clock.elapsed > .seconds(198) && clock.elapsed < .seconds(200))
    }

    @Test("A download at 50 KB/s for two minutes survives the defaults")
    func slowDownload() async throws {
        let chunks = [Data](repeating: Data(repeating: 7, count: 600_000), count: 10)
        let chain = try makeChain(
            [AttemptTimeoutMiddleware()],
            transport(SimulatedNetwork(downloadPerSecond: .kilobytes(50)), ScriptedReply(chunks: chunks))
        )
        let response = try await chain.send(.get(url).on(clock))
        #expect(clock.elapsed == .zero)
        #expect(try await response.body.collect().count == 6_000_000)
        #expect(clock.elapsed > .seconds(119) && clock.elapsed < .seconds(121))
    }

    @Test("The limit for the response begins when the upload has ended, and the error tells what was sent")
    func response() async throws {
        let network = SimulatedNetwork(uploadPerSecond: .kilobytes(50))
        let chain = try makeChain(
            [AttemptTimeoutMiddleware(response: .seconds(30))],
            transport(network, .ok.delayed(by: .seconds(31)))
        )
        let error = try await timeout { try await chain.send(.post(url, body: body).on(clock)) }
        #expect(error.scope == .response)
        #expect(error.elapsed == .seconds(30))
        #expect(error.progress == .waitingForHead)
        #expect(error.reason.contains("after sending 6000000 of 6000000 bytes"))
        #expect(clock.elapsed > .seconds(149) && clock.elapsed < .seconds(151))
    }

    @Test("An upload that stalls is ended, and the error tells how far it had come")
    func stalled() async throws {
        let chain = try makeChain(
            [AttemptTimeoutMiddleware(write: .seconds(30))],
            transport(SimulatedNetwork())
        )
        let (first, time) = (Data(repeating: 1, count: 1000), clock)
        let stalling = HTTPBody.once(length: 5000) {
            PausingReader(chunks: [first, first, first], pause: .seconds(40), time: time)
        }
        let error = try await timeout { try await chain.send(.post(url, body: stalling).on(clock)) }
        #expect(error.scope == .write)
        #expect(error.sentBytes == 1000 && error.bodyLength == 5000)
        #expect(error.reason.contains("after sending 1000 of 5000 bytes"))
        #expect(error.elapsed == .seconds(30))
        #expect(error.sent == .maybe)
    }

    @Test("A connection that does not come is ended, and nothing was sent")
    func connect() async throws {
        let chain = try makeChain(
            [AttemptTimeoutMiddleware(connect: .seconds(10))],
            transport(SimulatedNetwork(connecting: .seconds(11)))
        )
        let error = try await timeout { try await chain.send(.post(url, body: "a").on(clock)) }
        #expect(error.scope == .connect)
        #expect(error.progress == .connecting)
        #expect(error.sent == .nothing)
        #expect(clock.elapsed == .seconds(10))
    }

    @Test("A response that goes silent is ended, one that trickles is not")
    func read() async throws {
        let chunks = (0..<3).map { Data(repeating: UInt8($0), count: 10) }
        for (pause, fails) in [(Duration.seconds(9), false), (.seconds(11), true)] {
            let chain = try makeChain(
                [AttemptTimeoutMiddleware(read: .seconds(10))],
                transport(SimulatedNetwork(), ScriptedReply(chunks: chunks).delayed(by: .zero, betweenChunks: pause))
            )
            let response = try await chain.send(.get(url).on(clock))
            if fails {
                let error = try await timeout { try await response.body.collect() }
                #expect(error.scope == .read)
                #expect(error.progress == .readingBody(received: 10))
            } else {
                #expect(try await response.body.collect().count == 30)
            }
        }
    }

    @Test("The deadline of the call ends a wait of the transport, and no task is made for it")
    func noTask() async throws {
        struct Keeper: Transport {
            let capabilities: TransportCapabilities = [.keepsDeadlines]
            func send(_ request: consuming Request) async throws -> Response {
                var response = Response(.ok)
                response.headers[.eTag] = withUnsafeCurrentTask { "\($0.hashValue)" }
                return response
            }
        }
        let own = withUnsafeCurrentTask { "\($0.hashValue)" }
        let stages: [any Middleware] = [TimeoutMiddleware(.seconds(30)), AttemptTimeoutMiddleware()]
        let passing = ClosureMiddleware("Unknown") { request, next in try await next(request) }
        let keeping = ClosureMiddleware("Known", keepsDeadlines: true) { request, next in try await next(request) }
        for (inner, isOwn) in [([], true), ([keeping], true), ([passing], false)] as [([any Middleware], Bool)] {
            let response = try await makeChain(stages + inner, Keeper()).send(.get(url).on(clock))
            #expect((response.headers[.eTag] == own) == isOwn)
        }
        let chain = try makeChain(stages, transport(SimulatedNetwork(), .ok.delayed(by: .seconds(40))))
        let error = try await timeout { try await chain.send(.get(url).on(clock)) }
        #expect(error.scope == .call && error.limit == .seconds(30) && error.elapsed == .seconds(30))
        #expect(clock.elapsed == .seconds(30))
        #expect(clock.waits.isEmpty)
    }

    @Test("A stage that nobody knows, and that hangs, is cancelled at the deadline of the call")
    func hangingStage() async throws {
        let stage = ClosureMiddleware("Hangs") { request, next in
            try await request.environment.time.sleep(for: .seconds(600))
            return try await next(request)
        }
        let chain = try makeChain([TimeoutMiddleware(.seconds(30)), stage], transport(SimulatedNetwork()))
        let error = try await timeout { try await chain.send(.get(url).on(clock)) }
        #expect(error.scope == .call)
        #expect(clock.elapsed == .seconds(30))
    }

    @Test("A stage that waits within the deadline needs nobody to cancel it")
    func withinDeadline() async throws {
        let stage = ClosureMiddleware("Waits", keepsDeadlines: true) { request, next in
            let time = request.environment.time
            try await request.withinDeadline { try await time.sleep(for: .seconds(600)) }
            return try await next(request)
        }
        let chain = try makeChain([TimeoutMiddleware(.seconds(30)), stage], transport(SimulatedNetwork()))
        let error = try await timeout { try await chain.send(.get(url).on(clock)) }
        #expect(error.scope == .call)
        #expect(clock.elapsed == .seconds(30))
    }
}

/// Gives chunks, with a pause before each but the first.
private struct PausingReader: BodyReader {
    var chunks: [Data]
    let pause: Duration
    let time: any TimeSource
    var isFirst = true

    init(chunks: [Data], pause: Duration, time: any TimeSource) {
        self.chunks = chunks
        self.pause = pause
        self.time = time
    }

    nonisolated(nonsending) mutating func read() async throws -> Data? {
        if chunks.isEmpty { return nil }
        if !isFirst { try await time.sleep(for: pause) }
        isFirst = false
        return chunks.removeFirst()
    }
}
