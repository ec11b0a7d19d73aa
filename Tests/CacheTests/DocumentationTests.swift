import Foundation
import HTTPChainCore
import HTTPChainInMemory
import HTTPChainTesting
import HTTPTypes
import Testing

@testable import HTTPChainCache

@Suite("The examples of the documentation", .timeLimit(.minutes(1)))
struct DocumentationTests {
    @Test("The page of the stage")
    func page() async throws {
        let transport = InMemoryTransport { _ in Response(.ok, headers: [.cacheControl: "max-age=60"], body: "plants") }
        func print(_ text: String) { #expect(text.contains("nothing is stored for this URL")) }

        let cache = CacheMiddleware(store: .memory(limit: .megabytes(50)), partition: .shared)
        let chain = try Chain(transport: transport) { cache }
        let response = try await chain.send(.get("https://api.example.com/plants"))
        print(response.cacheStatus?.explanation ?? "")

        let news = Request.get("https://api.example.com/news").caching(CacheSettings(lifetime: .exactly(.seconds(60))))
        #expect(try await chain.send(news).status == .ok)
    }
}
