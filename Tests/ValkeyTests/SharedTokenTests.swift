#if AllTests && Valkey
import Foundation
import HTTPChainAuth
import HTTPChainAuthValkey
import HTTPChainCore
import HTTPChainInMemory
import HTTPChainSupport
import HTTPChainTesting
import HTTPChainValkey
import HTTPTypes
import TestSupport
import Testing
import ValkeyServer

private let key = EncryptionKey.random()

/// A source of tokens "access-2", "access-3", … for all chains of a test.
private final class Source: Sendable {
    private let count = Counter()
    private let olds = Locked<[Secret?]>([])
    private let around: @Sendable (Int) async throws -> Void

    init(_ around: @escaping @Sendable (_ number: Int) async throws -> Void = { _ in }) {
        self.around = around
    }

    var refreshes: Int { count.value }
    var refreshTokens: [Secret?] { olds.withLock { $0 } }

    func token(replacing old: AccessToken?) async throws -> AccessToken {
        olds.withLock { $0.append(old?.refreshToken) }
        let number = count.add() + 1
        try await around(number)
        return AccessToken("access-\(number)", refreshToken: "refresh-\(number)")
    }

    func chain(_ store: ValkeyTokenStore, _ token: AccessToken?, accepting isGood: @escaping @Sendable (String) -> Bool)
        throws -> Chain
    {
        let stage = BearerAuthMiddleware(
            .asking { [self] old, _ in try await self.token(replacing: old) },
            for: "https://api.example.com",
            token: token,
            saving: store
        )
        return try Chain(
            [stage],
            transport: ClosureTransport { request in
                let text = request.head.headerFields[.authorization]?.split(separator: " ").last.map(String.init)
                return isGood(text ?? "")
                    ? Response(.ok, body: HTTPBody(text ?? ""))
                    : Response(.unauthorized, headers: [.wwwAuthenticate: "Bearer error=\"invalid_token\""])
            }
        )
    }
}

private let first = AccessToken("access-1", refreshToken: "refresh-1")

extension Chain {
    fileprivate func token() async throws -> String { try await send(.get("https://api.example.com/")).body.text() }
}

@Suite(
    "A token in Valkey that machines share",
    .timeLimit(.minutes(10)),
    .heavy,
    .enabled(if: Server.program != nil || Programs.areRequired, "there is neither valkey-server nor redis-server")
)
struct SharedTokenTests {
    private func store(
        _ server: Server,
        named name: String = "garden",
        key: EncryptionKey = key,
        lease: Duration = .seconds(60),
        observer: (@Sendable (any Error) -> Void)? = nil
    ) -> ValkeyTokenStore {
        ValkeyTokenStore(ValkeyClient(server.settings), named: name, key: key, lease: lease, observer: observer)
    }

    /// The names and values of all that a server has.
    private func content(of server: Server) async throws -> [(name: [UInt8], value: [UInt8])] {
        let client = ValkeyClient(server.settings)
        guard case .list(let names) = try await client.send(ValkeyCommand(["KEYS", "*"])) else { return [] }
        var content: [(name: [UInt8], value: [UInt8])] = []
        for name in names.compactMap(\.data) {
            let value = try await client.send(ValkeyCommand([Array("GET".utf8), name])).data
            content.append((name, value ?? []))
        }
        return content
    }

    @Test("A token comes back as it was stored, for the same name and key alone, until it is removed")
    func stored() async throws {
        let server = try await Server.started()
        let token = AccessToken(
            "sesame",
            expiresAt: Date(timeIntervalSince1970: 784_111_777.25),
            refreshToken: "open-again",
            scope: ["read", "write"]
        )
        #expect(try await store(server).token() == nil)
        try await store(server).save(token)
        #expect(try await store(server).token() == token)
        #expect(try await store(server, named: "other").token() == nil)
        #expect(try await store(server, key: .random()).token() == nil)
        try await store(server).removeToken()
        #expect(try await store(server).token() == nil)
    }

    @Test("Nothing in the store can be read, neither the token nor its name")
    func encrypted() async throws {
        let server = try await Server.started()
        let source = Source()
        try await store(server).save(first)
        #expect(try await source.chain(store(server), first) { $0 == "access-2" }.token() == "access-2")
        let content = try await content(of: server)
        #expect(content.count == 1)
        for (name, value) in content {
            for word in ["access", "refresh", "garden", "token\":", "expires"] {
                #expect(!String(decoding: value, as: UTF8.self).contains(word))
            }
            #expect(!String(decoding: name, as: UTF8.self).contains("garden"))
            #expect(name.starts(with: Array("token:{".utf8)))
        }
    }

    @Test("A value that was forged, changed, or moved from another name is an error, and replaced by the next refresh")
    func forged() async throws {
        let server = try await Server.started()
        let client = ValkeyClient(server.settings)
        try await store(server, named: "other").save(first)
        let moved = try #require(try await content(of: server).first).value
        try await store(server).save(first)
        let name = try #require(try await content(of: server).first { $0.value != moved }).name
        let sealed = try #require(try await content(of: server).first { $0.value != moved }).value
        var changed = sealed
        changed[sealed.count / 2] ^= 1
        for value in [moved, changed, Array(sealed.dropLast()), [0], Array(#"{"access_token":"x"}"#.utf8)] {
            _ = try await client.send(ValkeyCommand([Array("SET".utf8), name, value]))
            let error = await #expect(throws: ValkeyTokenStoreError.self) { try await store(server).token() }
            #expect(error?.problem == .unreadable)
            let problems = Locked<[String]>([])
            let observed = store(server) { error in problems.withLock { $0.append("\(error)") } }
            let source = Source()
            #expect(try await source.chain(observed, first) { $0 == "access-2" }.token() == "access-2")
            #expect(problems.withLock { $0.count } == 1)
            #expect(source.refreshTokens == ["refresh-1"])
            #expect(try await store(server).token()?.value == "access-2")
        }
        // A value of another type is an error of the server.
        _ = try await client.send(ValkeyCommand([Array("DEL".utf8), name]))
        _ = try await client.send(ValkeyCommand([Array("LPUSH".utf8), name, [1]]))
        await #expect(throws: ValkeyError.self) { try await store(server).token() }
    }

    @Test("Of machines that are rejected at the same time one refreshes, the others wait for its token")
    func oneRefresh() async throws {
        let server = try await Server.started()
        let goesOn = Rendezvous()
        let source = Source { _ in try await goesOn.wait() }
        try await store(server).save(first)
        // Calls that a machine makes while it waits for a token wait too, and are not sent.
        let rejected = (0..<4).map { _ in Counter() }
        let chains = try rejected.map { counter in
            try source.chain(store(server), first) { token in
                if token != "access-2" { counter.add() }
                return token == "access-2"
            }
        }
        try await withThrowingTaskGroup(of: String.self) { group in
            for number in 0..<400 { group.addTask { try await chains[number % 4].token() } }
            try await until("each machine to be rejected") {
                rejected.allSatisfy { $0.value > 0 } && source.refreshes == 1
            }
            goesOn.reach()
            for try await token in group { #expect(token == "access-2") }
        }
        #expect(source.refreshes == 1)
        #expect(try await store(server).token()?.refreshToken == "refresh-2")
    }

    @Test("A machine that starts without a token, or with an old one, uses the stored one")
    func found() async throws {
        let server = try await Server.started()
        let source = Source()
        try await store(server).save(AccessToken("access-9", refreshToken: "refresh-9"))
        for token in [nil, first] {
            #expect(try await source.chain(store(server), token) { $0 == "access-9" }.token() == "access-9")
        }
        #expect(source.refreshes == 0)
        // One that the server has prolonged has the same text.
        let date = Date(timeIntervalSince1970: 4_000_000_000.123)
        try await store(server).save(AccessToken("access-9", expiration: date))
        let same = try await store(server).refresh(replacing: AccessToken("access-9", expiration: date), in: .live) {
            _ in
            AccessToken("access-10", expiration: date)
        }
        #expect(same?.token.value == "access-10")
        let prolonged = try await store(server).refresh(
            replacing: AccessToken("access-10", expiration: date - 3600),
            in: .live
        ) { _ in first }
        #expect(prolonged?.token.value == "access-10" && prolonged?.isSaved == true)
        // Of one that has expired the refresh token is used, which is newer than the machine's.
        try await store(server).save(
            AccessToken("access-9", expiration: Date(timeIntervalSince1970: 0), refreshToken: "refresh-9")
        )
        #expect(try await source.chain(store(server), first) { $0 == "access-2" }.token() == "access-2")
        #expect(source.refreshTokens == ["refresh-9"])
    }

    @Test("The lock of a machine that died ends with its lease, and no wait is longer than two leases")
    func died() async throws {
        let server = try await Server.started()
        let client = ValkeyClient(server.settings)
        try await store(server).save(first)
        let name = String(decoding: try #require(try await content(of: server).first).name, as: UTF8.self)
        let lock = name + ":lock"
        _ = try await client.send(ValkeyCommand(["SET", lock, "dead", "PX", "300"]))
        let source = Source()
        #expect(try await source.chain(store(server), first) { $0 == "access-2" }.token() == "access-2")
        #expect(source.refreshes == 1)
        #expect(try await client.send(ValkeyCommand(["EXISTS", lock])) == .number(0))
        // One that is renewed forever.
        _ = try await client.send(ValkeyCommand(["SET", lock, "alive"]))
        let clock = VirtualClock(isAutomatic: true)
        let error = await #expect(throws: ValkeyTokenStoreError.self) {
            _ = try await store(server).refresh(
                replacing: AccessToken("access-2"),
                in: ChainEnvironment(time: clock)
            ) { _ in first }
        }
        guard case .refreshedElsewhere(let time) = error?.problem else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(time >= .seconds(120) && time < .seconds(121))
        #expect(clock.sleeps.allSatisfy { $0 >= .milliseconds(20) && $0 <= .milliseconds(320) })
    }

    @Test("A refresh that fails or is cancelled frees the lock at once")
    func freed() async throws {
        let server = try await Server.started()
        try await store(server).save(first)
        let (began, never) = (Rendezvous(), Rendezvous())
        let failing = Source { _ in throw OAuthError(.refused("invalid_grant", detail: nil)) }
        let error = await #expect(throws: AuthenticationError.self) {
            try await failing.chain(store(server), first) { _ in false }.token()
        }
        #expect(error?.problem == .signInNeeded)
        let hanging = Source { _ in
            began.reach()
            try await never.wait()
        }
        let chain = try hanging.chain(store(server), first) { _ in false }
        let call = Task { try await chain.token() }
        try await began.wait()
        call.cancel()
        await #expect(throws: CancellationError.self) { try await call.value }
        let source = Source()
        #expect(try await source.chain(store(server), first) { $0 == "access-2" }.token() == "access-2")
    }

    @Test("A sign-out during a refresh ends it, and a sign-in during a refresh is what all use")
    func signedOut() async throws {
        let server = try await Server.started()
        try await store(server).save(first)
        let out = Source { _ in try await store(server).removeToken() }
        let error = await #expect(throws: AuthenticationError.self) {
            try await out.chain(store(server), first) { $0 == "access-2" }.token()
        }
        #expect(error?.problem == .signedOut)
        #expect(try await store(server).token() == nil)
        try await store(server).save(first)
        let signIn = Source { _ in try await store(server).save(AccessToken("ben")) }
        #expect(try await signIn.chain(store(server), first) { $0 == "ben" }.token() == "ben")
        #expect(try await store(server).token()?.value == "ben")
    }

    @Test("A sign-out during the first refresh ends it, also after the lease and another refresh, but no later one")
    func signedOutDuringFirst() async throws {
        let server = try await Server.started()
        let shared = store(server, lease: .milliseconds(10))
        let out = Source { _ in try await shared.removeToken() }
        let error = await #expect(throws: AuthenticationError.self) {
            try await out.chain(shared, nil) { $0 == "access-2" }.token()
        }
        #expect(error?.problem == .signedOut)
        #expect(try await shared.token() == nil)
        // Another machine refreshes after the sign-out, and fails, so that the store is as empty as before.
        let during = Source { _ in
            try await shared.removeToken()
            let failing = Source { _ in throw OAuthError(.refused("invalid_grant", detail: nil)) }
            _ = try? await failing.chain(store(server), nil) { _ in false }.token()
        }
        await #expect(throws: AuthenticationError.self) {
            try await during.chain(shared, nil) { $0 == "access-2" }.token()
        }
        #expect(try await shared.token() == nil)
        #expect(try await Source().chain(shared, nil) { $0 == "access-2" }.token() == "access-2")
        #expect(try await shared.token()?.value == "access-2")
    }

    @Test("A first refresh that takes longer than its lease is kept")
    func longFirst() async throws {
        let server = try await Server.started()
        let client = ValkeyClient(server.settings)
        let shared = store(server, lease: .milliseconds(10))
        let slow = Source { _ in
            // Until the lease has ended.
            while case .list(let names) = try await client.send(ValkeyCommand(["KEYS", "*"])), !names.isEmpty {}
        }
        #expect(try await slow.chain(shared, nil) { $0 == "access-2" }.token() == "access-2")
        #expect(try await shared.token()?.value == "access-2")
    }

    @Test("While the server is away a valid token is sent, nothing is refreshed, and a fetched token is saved later")
    func away() async throws {
        let server = try await Server.started()
        try await store(server).save(first)
        let source = Source { number in
            if number == 2 { try await offThePool { server.kill() } }
        }
        let shared = store(server)
        let chain = try source.chain(shared, first) { $0 == "access-2" }
        let unsaved = await #expect(throws: AuthenticationError.self) { try await chain.token() }
        #expect(unsaved?.problem == .tokenNotSaved)
        #expect(unsaved?.underlyingError is ValkeyError)
        let valid = try source.chain(store(server), first) { $0 == "access-1" }
        #expect(try await valid.token() == "access-1")
        let other = try source.chain(store(server), first) { _ in false }
        let failed = await #expect(throws: AuthenticationError.self) { try await other.token() }
        #expect(failed?.problem == .refreshFailed)
        #expect(source.refreshes == 1)
        try await server.start()
        try await until("the server to be found") { (try? await chain.token()) == "access-2" }
        #expect(source.refreshes == 1)
        #expect(try await store(server).token()?.value == "access-2")
    }

    @Test("Four processes make a thousand calls each with one refresh a lifetime, also when one dies in the middle")
    func killed() async throws {
        let drill = try #require(Programs.beside("TokenKillDrill"), "TokenKillDrill was not built")
        let server = try await Server.started()
        let client = ValkeyClient(server.settings)
        try await store(server, named: "drill").save(first)
        _ = try await client.send(ValkeyCommand(["SET", "drill:generation", "1"]))
        let outcomes = try await withThrowingTaskGroup(of: ProgramOutcome.self) { group in
            for _ in 0..<4 {
                group.addTask { try await runProgram(drill, ["\(server.port)", key.base64.revealed, "1000", "500"]) }
            }
            return try await group.reduce(into: []) { $0.append($1) }
        }
        #expect(outcomes.count { $0.status == 9 } == 1, "one killed itself")
        for outcome in outcomes where outcome.status != 9 {
            #expect(outcome.status == 0, "\(outcome.errorText)")
        }
        for name in ["drill:reused", "drill:early"] {
            #expect(try await client.send(ValkeyCommand(["GET", name])) == .null)
        }
        let refreshes = try await client.send(ValkeyCommand(["GET", "drill:generation"])).string.flatMap { Int($0) }
        #expect(try #require(refreshes) >= 6, "three thousand calls with 500 uses a token")
        for (name, value) in try await content(of: server) where !name.starts(with: Array("drill:".utf8)) {
            #expect(!String(decoding: value, as: UTF8.self).contains("access-"))
        }
        Drill.report("token-kills", 1)
    }
}

@Suite("A Valkey server that sends nonsense instead of a token", .heavy, .timeLimit(.minutes(10)))
struct HostileTokenTests {
    @Test(
        "A reply that no script returns fails the refresh as malformed",
        arguments: [
            RESPValue.null, .number(1), .list([]), .list([.null]), .list([.null, .number(1)]),
            .list([.number(1), .number(1), .null]), .list([.null, .null, .null]),
            .list([.null, .number(1), .number(1)]), .list([.null, .number(1), .null, .null]),
        ]
    )
    func malformed(reply: RESPValue) async throws {
        let server = try await FakeServer.started { command in
            FakeServer.script(command) == nil ? RESPValue.null.encoded : reply.encoded
        }
        let client = ValkeyClient(server.settings)
        let store = ValkeyTokenStore(client, named: "garden", key: key)
        let error = await #expect(throws: ValkeyError.self) {
            _ = try await store.refresh(replacing: nil, in: .live) { _ in first }
        }
        #expect(error?.kind == .malformedReply)
        await client.shutdown()
    }

    @Test(
        "A reply to a new token that isn't one leaves it to be saved again",
        arguments: [RESPValue.number(0), .string("x")]
    )
    func unsaved(reply: RESPValue) async throws {
        let server = try await FakeServer.started { command in
            guard let script = FakeServer.script(command) else { return RESPValue.null.encoded }
            return (script.text.contains("'NX'") ? .list([.null, .number(1), .null]) : reply).encoded
        }
        let client = ValkeyClient(server.settings)
        let store = ValkeyTokenStore(client, named: "garden", key: key)
        let refreshed = try await store.refresh(replacing: nil, in: .live) { _ in first }
        #expect(refreshed == RefreshedToken(first, isSaved: false))
        await client.shutdown()
    }
}
#endif
