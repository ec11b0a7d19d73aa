#if AllTests
import Foundation
import HTTPChainCore
import HTTPChainTesting
import HTTPChainURLSession
import HTTPTypes
import TestSupport
import Testing

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

@Suite("The configuration of a transport over URLSession", .heavy, .timeLimit(.minutes(10)))
struct ConfigurationTests {
    private func use(
        _ configuration: URLSessionTransport.Configuration,
        _ script: @escaping LoopbackServer.Script,
        _ body: (URLSessionTransport, LoopbackServer) async throws -> Void
    ) async throws {
        let server = try await LoopbackServer.start(script: script)
        let transport = URLSessionTransport(configuration: configuration)
        let result: Result<Void, any Error>
        do {
            result = .success(try await body(transport, server))
        } catch {
            result = .failure(error)
        }
        await transport.shutdown()
        await server.stop()
        try result.get()
    }

    @Test("No more connections to one host are open at once than it allows")
    func maximumConnectionsPerHost() async throws {
        let arrived = Counter()
        try await use(.init(maximumConnectionsPerHost: 2)) { exchange in
            arrived.add()
            // Nobody is answered before two have come, each on a connection of its own.
            try await arrived.wait(until: 2)
            try await exchange.reply(200, body: Data("ok".utf8))
        } _: { transport, server in
            try await withThrowingTaskGroup(of: String.self) { group in
                for _ in 0..<12 {
                    group.addTask { try await transport.send(.get(server.url())).body.text() }
                }
                for try await text in group { #expect(text == "ok") }
            }
            #expect(server.records.count == 12)
            #expect(Set(server.records.map(\.connection)).count == 2)
        }
    }

    @Test("The longest timeouts that can be written are accepted")
    func longestTimeouts() async throws {
        let longest = Duration.seconds(Int64.max)
        try await use(.init(requestTimeout: longest, resourceTimeout: longest)) { exchange in
            try await exchange.reply(200, body: Data("ok".utf8))
        } _: { transport, server in
            let text = try await transport.send(.get(server.url())).body.text()
            #expect(text == "ok")
        }
    }

    @Test("What it changes of the platform's configuration counts, beside what belongs to the transport")
    func customize() async throws {
        let customized = Counter()
        let configuration = URLSessionTransport.Configuration(customize: { platform in
            customized.add()
            platform.httpAdditionalHeaders = ["X-Edition": "garden"]
            platform.httpShouldSetCookies = true
            platform.httpCookieAcceptPolicy = .always
            platform.httpCookieStorage = .shared
        })
        try await use(configuration) { exchange in
            try await exchange.reply(200, fields: [("Set-Cookie", "a=1; Path=/")])
        } _: { transport, server in
            for _ in 1...2 { _ = try await transport.send(.get(server.url())).body.collect() }
            #expect(server.records.map { $0.request.values("X-Edition") } == [["garden"], ["garden"]])
            #expect(server.records.allSatisfy { $0.request.values("Cookie").isEmpty }, "cookies are a stage's")
            #expect(customized.value >= 1)
        }
    }
}
#endif
