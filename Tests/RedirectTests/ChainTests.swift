import Foundation
import HTTPChainCore
import HTTPChainInMemory
import HTTPChainRedirect
import HTTPChainTesting
import HTTPTypes
import TestSupport
import Testing

@Suite("Redirects in a chain", .timeLimit(.minutes(10)))
struct ChainTests {
    @Test("The stage keeps the rules of every stage", arguments: StageConformance.Check.allCases)
    func conforms(check: StageConformance.Check) async throws {
        try await StageConformance(calls: .any) { RedirectMiddleware() }.verify(check)
        try await StageConformance(calls: .exactlyOnce) { RedirectMiddleware(.never) }.verify(check)
    }

    @Test("Each hop passes the stages inside, which decide about it anew")
    func freshPass() async throws {
        let transport = InMemoryTransport()
        transport.on(.get, "https://a.example/a", reply: .redirect(to: "https://b.example/b"))
        transport.on(.get, "https://b.example/b", reply: .redirect(to: "https://a.example/c"))
        transport.on(.get, "https://a.example/c", reply: .text("here"))
        let chain = try Chain(transport: transport) {
            RedirectMiddleware()
            ClosureMiddleware("Auth", phase: .authenticate) { request, next in
                if request.origin?.host == "a.example" { request.head.headerFields[.authorization] = "Bearer a" }
                return try await next(request)
            }
        }
        let response = try await chain.send(.get("https://a.example/a"))
        #expect(try await response.body.text() == "here")
        #expect(response.hops.map(\.to) == ["https://b.example/b", "https://a.example/c"])
        #expect(transport.requests.map { $0.headers[.authorization] } == ["Bearer a", nil, "Bearer a"])
    }

    @Test("A location with spaces and letters outside ASCII reaches the transport as a sound URL")
    func encodedLocation() async throws {
        let transport = InMemoryTransport()
        transport.on(.get, "/a", reply: .redirect(to: "/grüße an alle?q={x}|100%#teil 2"))
        transport.on(.get, "/*", reply: .text("here"))
        transport.on(.get, "/a", times: 1, reply: .redirect(to: "/grüße an alle?q={x}|100%#teil 2"))
        let chain = try Chain(transport: transport) { RedirectMiddleware() }
        let response = try await chain.send(.get("https://a.example/a"))
        #expect(transport.requests.last?.url == "https://a.example/gr%C3%BC%C3%9Fe%20an%20alle?q=%7Bx%7D%7C100%25")
        #expect(response.hops.last?.to.hasSuffix("#teil%202") == true)
    }

    @Test("Of a redirect's body 64 KiB are read at most, and a broken one does no harm")
    func draining() async throws {
        for (size, state) in [
            (1000, RecordedRequest.ResponseBodyState.complete), (1_000_000, .dropped),
        ] {
            let transport = InMemoryTransport()
            let body = HTTPBody.pieces(Data(count: size), of: 1000, replayable: true)
            transport.enqueue(ScriptedReply(.found, headers: [.location: "/b"], body: body))
            transport.enqueue(.text("here"))
            let chain = try Chain(transport: transport) { RedirectMiddleware() }
            #expect(try await chain.send(.get("https://a.example/a")).body.text() == "here")
            let first = try #require(transport.requests.first)
            #expect(first.responseBody == state)
            #expect(first.responseBytesRead <= 70_000)
        }
        let transport = InMemoryTransport()
        transport.enqueue(
            ScriptedReply(.found, headers: [.location: "/b"], body: "moved").failing(.atByte(2))
        )
        transport.enqueue(.text("here"))
        let chain = try Chain(transport: transport) { RedirectMiddleware() }
        #expect(try await chain.send(.get("https://a.example/a")).body.text() == "here")
    }

    @Test("A redirect's body that stalls is dropped after a second of the call's clock")
    func stalledBody() async throws {
        let clock = VirtualClock()
        let transport = InMemoryTransport()
        transport.enqueue(ScriptedReply(.found, headers: [.location: "/b"], body: .once { StalledReader() }))
        transport.enqueue(.text("here"))
        let chain = try Chain(transport: transport, environment: ChainEnvironment(time: clock)) { RedirectMiddleware() }
        let call = Task { try await chain.send(.get("https://a.example/a")).body.text() }
        try await clock.waitForDeadline(.seconds(1))
        #expect(transport.requests.count == 1)
        clock.advance(by: .seconds(1))
        #expect(try await call.value == "here")
    }

    @Test("A second stage, or a transport that follows by itself, is refused when the chain is built")
    func order() {
        #expect(throws: ChainOrderError.self) {
            try Chain(transport: InMemoryTransport()) {
                RedirectMiddleware()
                RedirectMiddleware()
            }
        }
        #expect(throws: ChainOrderError.self) {
            try Chain(transport: InMemoryTransport(capabilities: .followsRedirects)) { RedirectMiddleware() }
        }
    }

    @Test("The summary of the stage names the policy")
    func summary() {
        let summary = RedirectMiddleware(.limited(10).and(.httpsOnly)).summary
        #expect(summary.settings.map(\.value) == ["(limited(10) and httpsOnly)"])
        #expect(RedirectMiddleware().phase == .redirect)
    }

    @Test("Calls at the same time keep their hops apart")
    func concurrency() async throws {
        let transport = ClosureTransport { request in
            await Task.yield()
            let path = request.head.path ?? ""
            return path.hasSuffix("/end") ? Response(.ok) : Response(.found, headers: [.location: path + "/end"])
        }
        let chain = try Chain(transport: transport) { RedirectMiddleware() }
        try await withThrowingTaskGroup(of: Void.self) { group in
            for number in 0..<100 {
                group.addTask {
                    let response = try await chain.send(.get("https://a.example/\(number)"))
                    #expect(response.hops.map(\.to) == ["https://a.example/\(number)/end"])
                }
            }
            try await group.waitForAll()
        }
    }
}

private struct StalledReader: BodyReader {
    nonisolated(nonsending) mutating func read() async throws -> Data? {
        try await Task.sleep(for: .seconds(86_400))
        return nil
    }
}
