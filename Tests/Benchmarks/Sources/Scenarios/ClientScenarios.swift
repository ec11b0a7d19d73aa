import HTTPChainClient
import HTTPChainCore
import HTTPTypes

/// A typed call, and the chain below it: with a request that is made already, and with one made each time.
public enum ClientScenarios {
    private struct GetUser: TypedRequest, Hashable {
        typealias Output = Void
        var id: Int
        var path: String { "https://api.example.com/users/42" }
        var headers: HTTPFields { [.accept: "application/json"] }
    }

    /// Every client scenario, by the name of its figure.
    public static func all() throws -> [Scenario] {
        let chain = try Chain(Array(repeating: PassThroughStage(), count: 12), transport: CannedTransport())
        let client = Client(over: chain)
        // Apart, because a client that has excluded duplicates once keeps an index of its calls from then on.
        let excluding = Client(over: chain)
        let endpoints = Client(endpoints: [
            Endpoint("none", over: chain) { _ in false },
            Endpoint.mock(GetUser.self, where: { _ in false }) { _ in },
            Endpoint("all", over: chain),
        ])
        let template = ChainScenarios.request()
        let request = GetUser(id: 42)
        return [
            Scenario(name: "client.chain") { count in
                for _ in 0..<count { _ = try await chain.send(template) }
            },
            Scenario(name: "client.request") { count in
                for _ in 0..<count { _ = try await chain.send(try request.makeRequest()) }
            },
            Scenario(name: "client.call") { count in
                for _ in 0..<count { try await client.call(request) }
            },
            Scenario(name: "client.call.key") { count in
                for _ in 0..<count {
                    try await excluding.call(request).key("user").tags("page").duplicates(false).value
                }
            },
            Scenario(name: "client.call.endpoints") { count in
                for _ in 0..<count { try await endpoints.call(request) }
            },
        ]
    }
}
