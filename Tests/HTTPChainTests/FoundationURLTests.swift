import Foundation
import HTTPChain
import HTTPChainInMemory
import Testing

@Suite("URLs of Foundation's")
struct FoundationURLTests {
    @Test("are taken wherever a URL is taken as text")
    func everywhere() async throws {
        let transport = InMemoryTransport { request in Response(.ok, body: HTTPBody(request.url)) }
        let base = try #require(URL(string: "https://api.example.com/v2"))
        let chain = try Chain(transport: transport) { URLBuilderMiddleware(base: base) }
        #expect(try await chain.send(.get("plants")).body.text() == "https://api.example.com/v2/plants")
        let absolute = try #require(URL(string: "https://api.example.com/plants"))
        let requests: [Request] = [
            .get(absolute, query: ["a": 1]), .head(absolute, query: ["a": 1]), .delete(absolute, query: ["a": 1]),
            .options(absolute, query: ["a": 1]), .post(absolute, query: ["a": 1]), .put(absolute, query: ["a": 1]),
            .patch(absolute, query: ["a": 1]),
        ]
        for request in requests {
            let response: Response = try await chain.send(request)
            #expect(response.url == "https://api.example.com/plants?a=1")
            #expect(response.request?.method == request.method)
        }
        let endpoint = TokenEndpoint(absolute, client: OAuthClient(id: "garden", secret: "hunter2"))
        #expect(
            "\(BearerAuthMiddleware(.clientCredentials(at: endpoint), for: [absolute.absoluteString]).summary)"
                .contains(absolute.absoluteString)
        )
    }
}
