import HTTPChainClient
import HTTPChainCore
import HTTPChainTimeout
import HTTPChainURLBuilder
import HTTPTypes

/// A call of a declared client, and the same call with a request type that somebody wrote.
public enum DeclaredScenarios {
    private struct GetUser: TypedRequest {
        typealias Output = Void
        var id: Int
        var page: Int

        var path: String { "https://api.example.com/users/{id}" }
        var pathParameters: URLParameters { ["id": id] }
        var query: URLQuery { ["page": page] }
        func configure(_ request: inout Request) { request = request.timeout(.seconds(3)) }
    }

    /// Both scenarios, by the names of their figures.
    public static func all() throws -> [Scenario] {
        let chain = try Chain(transport: CannedTransport(), options: .unchecked) {
            URLBuilderMiddleware(base: "https://api.example.com")
        }
        let client = Client(over: chain)
        let users = UserServiceClient(client)
        return [
            Scenario(name: "macros.written") { count in
                for _ in 0..<count { try await client.call(GetUser(id: 42, page: 7)) }
            },
            Scenario(name: "macros.declared") { count in
                for _ in 0..<count { try await users.user(id: 42, page: 7) }
            },
        ]
    }
}
