import HTTPChainClient
import HTTPChainCore
import HTTPChainTimeout
import HTTPChainURLBuilder

// What @Service makes of a declaration, as a source, so that the figures need no plug-in of the compiler:
// ExpansionTests compares both.
//
//     @Service(base: "https://api.example.com")
//     protocol UserService {
//         @GET("users/{id}") @Query("page") @Timeout(.seconds(3))
//         func user(id: Int, page: Int) async throws
//     }

protocol UserService {
    func user(id: Int, page: Int) async throws
}

/// Sends the calls of ``UserService``.
struct UserServiceClient: UserService, Sendable {
    /// The client that sends the calls.
    let client: Client

    /// Sends the calls with a client.
    init(_ client: Client) {
        self.client = client
    }

    /// Sends the calls through a chain.
    init(chain: some Transport) {
        client = Client(over: chain)
    }

    /// The calls, not sent yet.
    var calls: Calls { Calls(client: client) }

    func user(id: Int, page: Int) async throws {
        try await self.client.call(UserRequest(id: id, page: page))
    }

    /// Makes calls that are sent when their result is asked for.
    struct Calls: Sendable {
        fileprivate let client: Client

        func user(id: Int, page: Int) -> Call<UserRequest> {
            self.client.makeCall(UserRequest(id: id, page: page))
        }
    }

    /// The request of ``user(id:page:)``.
    struct UserRequest: TypedRequest {
        typealias Output = Void
        var id: Int
        var page: Int

        init(id: Int, page: Int) {
            self.id = id
            self.page = page
        }

        var path: String { "https://api.example.com/users/{id}" }
        var pathParameters: URLParameters { ["id": id] }
        var query: URLQuery { ["page": page] }

        func configure(_ request: inout Request) throws {
            request = request.timeout(.seconds(3))
        }
    }
}
