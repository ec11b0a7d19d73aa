import DrillSupport
import Foundation
import HTTPChainAuth
import HTTPChainAuthValkey
import HTTPChainCore
import HTTPChainValkey
import HTTPTypes

// One of the machines that share a token in Valkey:
// TokenKillDrill <port> <key> <calls> <uses>
//
// It makes the calls, some at the same time, and ends with 0 if all of them succeeded. The API and the authorization
// server are scripts of the same Valkey server: a token is good for so many uses, and a refresh token for one refresh,
// which has to come after the uses. The machine that begins the third refresh kills itself in the middle of it.

#if Valkey
/// The API and the authorization server of all machines.
struct SharedServers: Transport {
    static let use = """
        if ARGV[1] ~= 'access-' .. redis.call('GET', 'drill:generation') then return 0 end
        if redis.call('INCR', 'drill:uses') > tonumber(ARGV[2]) then return 0 end
        return 1
        """
    static let refresh = """
        local generation = redis.call('GET', 'drill:generation')
        if ARGV[1] ~= 'refresh-' .. generation then return redis.call('INCR', 'drill:reused') * 0 end
        if tonumber(redis.call('GET', 'drill:uses') or 0) < tonumber(ARGV[2]) then redis.call('INCR', 'drill:early') end
        redis.call('SET', 'drill:uses', 0)
        return redis.call('INCR', 'drill:generation')
        """
    static let begin = """
        return redis.call('INCR', 'drill:begun')
        """

    let client: ValkeyClient
    let uses: Int

    var capabilities: TransportCapabilities { [] }

    func send(_ request: consuming Request) async throws -> Response {
        let field = request.head.headerFields[.authorization] ?? ""
        // A token lasts longer than another process takes to find it, as real ones do.
        try await Task.sleep(for: .milliseconds(80))
        let token = field.split(separator: " ").last.map(String.init) ?? ""
        let reply = try await client.run(Self.use, keys: [], arguments: [token, "\(uses)"])
        guard reply == .number(1) else {
            return Response(.unauthorized, headers: [.wwwAuthenticate: "Bearer error=\"invalid_token\""])
        }
        return Response(.ok)
    }

    func token(replacing old: AccessToken?) async throws -> AccessToken {
        if try await client.run(Self.begin, keys: [], arguments: []) == .number(3) { kill(getpid(), SIGKILL) }
        try await Task.sleep(for: .milliseconds(50))
        let arguments = [old?.refreshToken?.revealed ?? "", "\(uses)"]
        guard case .number(let generation) = try await client.run(Self.refresh, keys: [], arguments: arguments),
            generation > 0
        else { throw OAuthError(.refused("invalid_grant", detail: nil)) }
        return AccessToken("access-\(generation)", refreshToken: "refresh-\(generation)")
    }
}

@main
enum Drill {
    static func main() async {
        Parent.endWithIt()
        let arguments = CommandLine.arguments
        guard arguments.count == 5, let port = Int(arguments[1]),
            let key = EncryptionKey(base64: Secret(arguments[2])), let calls = Int(arguments[3]),
            let uses = Int(arguments[4])
        else {
            print("usage: TokenKillDrill <port> <key> <calls> <uses>")
            exit(2)
        }
        var settings = ValkeySettings(port: port)
        // Enough for a machine that is busy.
        settings.commandTimeout = .seconds(60)
        settings.connectTimeout = .seconds(60)
        let client = ValkeyClient(settings)
        let servers = SharedServers(client: client, uses: uses)
        do {
            let store = ValkeyTokenStore(client, named: "drill", key: key, lease: .seconds(10))
            let stage = BearerAuthMiddleware(
                .asking { old, _ in try await servers.token(replacing: old) },
                for: "https://api.example.com",
                token: try await store.token(),
                limit: RefreshLimit(1000, within: .seconds(1)),
                saving: store
            )
            let chain = try Chain([stage], transport: servers)
            try await withThrowingTaskGroup(of: HTTPResponse.Status.self) { group in
                for number in 0..<calls {
                    if number >= 20, let status = try await group.next(), status != .ok { exit(3) }
                    group.addTask { try await chain.send(.get("https://api.example.com/")).status }
                }
                for try await status in group where status != .ok { exit(3) }
            }
            exit(0)
        } catch {
            FileHandle.standardError.write(Data("\(error)\n".utf8))
            exit(4)
        }
    }
}
#else
@main
enum Drill {
    static func main() {}
}
#endif
