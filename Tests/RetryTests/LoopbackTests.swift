import Foundation
import HTTPChainCore
import HTTPChainRetry
import HTTPChainTesting
import HTTPChainURLSession
import HTTPTypes
import TestSupport
import Testing

/// Waits for a server of the test's own as long as a busy machine needs.
private let patientTransport = URLSessionTransport(configuration: .init(requestTimeout: .seconds(600)))

@Suite("Retries over a real transport", .heavy, .timeLimit(.minutes(10)))
struct LoopbackTests {
    private static let content = Data(SeededRandom(seed: 9).bytes(1_000_000))

    private func exchange(script: @escaping LoopbackServer.Script) async throws -> (Response, Data, [LoopbackRequest]) {
        let server = try await LoopbackServer.start(script: script)
        do {
            let chain = try Chain(transport: patientTransport, environment: .virtual(.automatic())) {
                RetryMiddleware()
            }
            let response = try await chain.send(.get(server.url("/file")))
            let content = try await response.body.collect()
            let requests = server.records.map(\.request)
            await server.stop()
            return (response, content, requests)
        } catch {
            await server.stop()
            throw error
        }
    }

    @Test("A connection that breaks inside a download is made up for by another")
    func resume() async throws {
        let (_, content, requests) = try await exchange { exchange in
            guard let range = exchange.request.values("Range").first,
                let first = Int(range.dropFirst("bytes=".count).prefix { $0 != "-" })
            else {
                try await exchange.writeHead(200, [("Content-Length", "1000000"), ("ETag", "\"1\"")])
                try await exchange.write(Self.content.prefix(400_000))
                return await exchange.close()
            }
            let fields = [("Content-Range", "bytes \(first)-999999/1000000"), ("ETag", "\"1\"")]
            try await exchange.reply(206, fields: fields, body: Self.content.dropFirst(first))
        }
        #expect(content == Self.content)
        #expect(requests.count == 2)
        #expect(requests.last?.values("If-Range") == ["\"1\""])
    }

    @Test("A server that is not available for a moment is asked again")
    func unavailable() async throws {
        let isFirst = Locked(true)
        let (response, content, requests) = try await exchange { exchange in
            let isFirst = isFirst.withLock { isFirst in
                defer { isFirst = false }
                return isFirst
            }
            if isFirst {
                try await exchange.reply(503, fields: [("Retry-After", "5")], body: Data("later".utf8))
            } else {
                try await exchange.reply(200, body: Data("now".utf8))
            }
        }
        #expect(content == Data("now".utf8))
        #expect(requests.count == 2)
        #expect(response.retries?.attempts.first?.wait == .seconds(5))
    }
}
