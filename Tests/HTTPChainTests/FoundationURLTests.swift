import Foundation
import HTTPChain
import HTTPChainInMemory
import Testing

@Suite("URLs of Foundation's")
struct FoundationURLTests {
    @Test("URLs of Foundation are taken for targets, bases and endpoints")
    func everywhere() async throws {
        let transport = InMemoryTransport { request in Response(.ok, body: HTTPBody(request.url)) }
        let base = try #require(URL(string: "https://api.example.com/v2"))
        let chain = try Chain(transport: transport) { URLBuilderMiddleware(base: base) }
        #expect(try await chain.send(.get("plants")).body.text() == "https://api.example.com/v2/plants")
        let absolute = try #require(URL(string: "https://api.example.com/plants"))
        let requests: [Request] = [
            .get(absolute), .delete(absolute), .post(absolute), .put(absolute), .patch(absolute),
            Request(.head, absolute),
        ]
        for request in requests {
            let response: Response = try await chain.send(request.url(query: ["a": 1]))
            #expect(response.url == "https://api.example.com/plants?a=1")
            #expect(response.request?.method == request.method)
        }
    }

    @Test("URLs of Foundation name origins of credentials")
    func origins() async throws {
        let url = try #require(URL(string: "https://api.example.com/v2"))
        let transport = InMemoryTransport { request in Response(.ok, body: HTTPBody("\(request.headers)")) }
        let chain = try Chain([BearerAuthMiddleware(token: "hunter2", for: [url])], transport: transport)
        let own = try await chain.send(.get("https://api.example.com/a"))
        #expect(own.request?.headerFields.map(\.name.canonicalName) == ["authorization"])
        let other = try await chain.send(.get("https://other.example/a"))
        #expect(other.request?.headerFields.isEmpty == true)
    }
}
