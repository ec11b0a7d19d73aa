#if AllTests && Valkey
import Foundation
import HTTPChainCore
import HTTPChainInMemory
import HTTPChainRateLimit
import HTTPChainRateLimitValkey
import HTTPChainSupport
import HTTPChainTesting
import HTTPChainValkey
import HTTPTypes
import TestSupport
import Testing
import ValkeyServer

@Suite(
    "A limit in Valkey that machines share",
    .timeLimit(.minutes(10)),
    .heavy,
    .enabled(if: Server.program != nil || Programs.areRequired, "there is neither valkey-server nor redis-server")
)
struct SharedLimitTests {
    private let hourly = RateLimit(10, per: .seconds(3600))

    private func take(
        _ store: ValkeyRateLimitStore,
        _ tokens: Int = 1,
        of key: String = "k",
        _ limits: [RateLimit]? = nil,
        at now: Duration = .zero
    ) async throws -> RateLimitAnswer {
        try await store.take(tokens, of: key, limits: limits ?? [hourly], at: now)
    }

    @Test("Two clients whose clocks are years apart take from one bucket, a thousand calls at once")
    func shared() async throws {
        let server = try await Server.started()
        let limit = RateLimit(100, per: .seconds(36_000))
        let stores = (0..<2).map { _ in ValkeyRateLimitStore(ValkeyClient(server.settings), whenAway: .fail) }
        let taken = try await withThrowingTaskGroup(of: Bool.self) { group in
            for index in 0..<1000 {
                group.addTask {
                    let now = Duration.seconds(index % 2 == 0 ? 0 : 100_000_000 + index)
                    return try await stores[index % 2].take(1, of: "k", limits: [limit], at: now) == .taken
                }
            }
            return try await group.reduce(0) { $0 + ($1 ? 1 : 0) }
        }
        #expect(taken == 100)
        guard case .wait(let time) = try await take(stores[0], 1, [limit]) else {
            Issue.record("there was a token too many")
            return
        }
        #expect(time > .seconds(1) && time <= .seconds(360))
    }

    @Test("A call takes from all limits or from none, its weight, at most what a bucket holds; and gives back")
    func rules() async throws {
        let server = try await Server.started()
        let store = ValkeyRateLimitStore(ValkeyClient(server.settings), whenAway: .fail)
        let limits = [RateLimit(5, per: .seconds(3600)), RateLimit(8, per: .seconds(3600))]
        #expect(try await take(store, 3, limits) == .taken)
        for _ in 0..<3 { #expect(try await take(store, 3, limits) != .taken) }
        // Of the larger bucket nothing was taken by what the smaller one refused: five are left there, two here.
        #expect(try await take(store, 2, limits) == .taken)
        #expect(try await take(store, 3, [limits[1]]) == .taken)
        #expect(try await take(store, 1, [limits[1]]) != .taken)
        try await store.giveBack(4, of: "k", limits: limits, at: .zero)
        #expect(try await take(store, 4, limits) == .taken)
        #expect(try await take(store, 1, limits) != .taken)
        // Whatever is given back, a bucket holds no more than it holds, and one that is full is forgotten.
        try await store.giveBack(1_000_000, of: "k", limits: limits, at: .zero)
        let client = ValkeyClient(server.settings)
        #expect(try await client.send(ValkeyCommand(["EXISTS", "rate:k"])) == .number(0))
        #expect(try await take(store, .max, limits) == .taken)
        #expect(try await take(store, 1, limits) != .taken)
        #expect(try await take(store, 0, limits) == .taken)
        guard case .number(let left) = try await client.send(ValkeyCommand(["PTTL", "rate:k"])) else { return }
        #expect(left > 3_500_000 && left <= 3_600_001)
        // What somebody else wrote there is no debt.
        _ = try await client.send(ValkeyCommand(["DEL", "rate:k"]))
        _ = try await client.send(ValkeyCommand(["HSET", "rate:k", "5/3600000000.0/5", "nonsense"]))
        #expect(try await take(store, 5, limits) == .taken)
    }

    @Test("Tokens come at the rate, by the server's clock")
    func rate() async throws {
        let server = try await Server.started()
        let store = ValkeyRateLimitStore(ValkeyClient(server.settings), whenAway: .fail)
        let limit = RateLimit(20, per: .seconds(1), burst: 1)
        let clock = ContinuousClock()
        let start = clock.now
        var taken = 0
        while taken < 11 {
            switch try await take(store, 1, [limit]) {
            case .taken: taken += 1
            case .wait(let time):
                #expect(time <= .milliseconds(50))
                try await clock.sleep(for: time)
            }
        }
        // Ten tokens had to come, at fifty milliseconds each.
        #expect(clock.now - start >= .milliseconds(499))
    }

    @Test(
        "A server that is killed while calls are in flight is replaced by limits of the process, and found again empty"
    )
    func killed() async throws {
        let server = try await Server.started()
        let failures = Counter()
        let store = ValkeyRateLimitStore(ValkeyClient(server.settings)) { _ in failures.add() }
        let passing = ValkeyRateLimitStore(ValkeyClient(server.settings), whenAway: .pass)
        let failing = ValkeyRateLimitStore(ValkeyClient(server.settings), whenAway: .fail)
        let taken = Counter()
        let limit = RateLimit(50, per: .seconds(36_000))
        try await withThrowingTaskGroup(of: Void.self) { group in
            for index in 0..<400 {
                group.addTask {
                    if try await store.take(1, of: "k", limits: [limit], at: .zero) == .taken { taken.add() }
                }
                if index == 200 { try await offThePool { server.kill() } }
            }
            try await group.waitForAll()
        }
        // Those of the server, then those of the process; some may have been taken at the server with their answers lost.
        #expect(taken.value >= 50 && taken.value <= 100)
        #expect(failures.value > 0)
        #expect(try await take(store, 1, [limit]) != .taken)
        for _ in 0..<20 { #expect(try await take(passing) == .taken) }
        let error = await #expect(throws: ValkeyError.self) { _ = try await take(failing) }
        #expect(error.map { "\($0)".contains("127.0.0.1:\(server.port)") } == true)
        try await server.start()
        // The bucket of the server is full again, and the script is given to it anew.
        try await until("the server to be found") {
            (try? await self.take(failing, 10)) != nil
        }
        try await until("the bucket to be the server's") { try await self.take(passing) != .taken }
    }

    @Test("A server that forgets its scripts is given them again")
    func forgotten() async throws {
        let server = try await Server.started()
        let client = ValkeyClient(server.settings)
        let store = ValkeyRateLimitStore(client, whenAway: .fail)
        for _ in 0..<3 {
            #expect(try await take(store, 3) == .taken)
            _ = try await client.send(ValkeyCommand(["SCRIPT", "FLUSH"]))
        }
        #expect(try await take(store, 3) != .taken)
    }

    @Test("A server that hangs keeps no call longer than the time for a command, and is found again")
    func slow() async throws {
        let server = try await Server.started()
        var settings = server.settings
        settings.commandTimeout = .milliseconds(200)
        let kinds = Locked<Set<ValkeyError.Kind>>([])
        let store = ValkeyRateLimitStore(ValkeyClient(settings)) { error in
            if let error = error as? ValkeyError { kinds.withLock { _ = $0.insert(error.kind) } }
        }
        try await until("the first call") {
            _ = try await self.take(store, of: "warm")
            return kinds.withLock { kinds in
                defer { kinds = [] }
                return kinds.isEmpty
            }
        }
        server.freeze()
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<100 { group.addTask { _ = try await self.take(store) } }
            try await group.waitForAll()
        }
        #expect(kinds.withLock { $0.contains(.timeout) })
        server.thaw()
        try await until("an answer of the server") {
            kinds.withLock { $0 = [] }
            _ = try await self.take(store, of: "other")
            return kinds.withLock { $0.isEmpty }
        }
    }

    @Test("A call that is cancelled while it asks ends at once, and what it took is given back")
    func cancelled() async throws {
        let server = try await Server.started()
        let client = ValkeyClient(server.settings)
        let store = ValkeyRateLimitStore(client, whenAway: .fail)
        #expect(try await take(store, 1) == .taken)
        server.freeze()
        let calls = (0..<5).map { _ in Task { try await self.take(store, 1) } }
        try await until("the calls to ask") { client.pendingCommands == 5 }
        for call in calls { call.cancel() }
        for call in calls {
            await #expect(throws: CancellationError.self) { try await call.value }
        }
        server.thaw()
        // Nine are left: the server took five when it went on, and was given them back.
        try await until("the tokens to be back") { try await self.take(store, 9) == .taken }
        #expect(try await take(store, 1) != .taken)
    }

    @Test("A password is asked for and never shown; a wrong one is an error that says so")
    func password() async throws {
        let server = try await Server.started(["--requirepass", "geheim-1"])
        var settings = server.settings
        settings.password = Secret("geheim-1")
        settings.database = 3
        #expect(try await take(ValkeyRateLimitStore(ValkeyClient(settings), whenAway: .fail)) == .taken)
        settings.password = Secret("geheim-2")
        let store = ValkeyRateLimitStore(ValkeyClient(settings), whenAway: .fail)
        let error = await #expect(throws: ValkeyError.self) { _ = try await self.take(store) }
        #expect(error?.kind == .server)
        #expect(error.map { "\($0)".contains("geheim") } == false)
        #expect(!"\(settings)".contains("geheim"))
    }

    @Test("No more commands wait than may")
    func bounded() async throws {
        let server = try await Server.started()
        var settings = server.settings
        settings.maximumPending = 3
        let client = ValkeyClient(settings)
        _ = try await client.send(ValkeyCommand(["PING"]))
        server.freeze()
        let waiting = (0..<3).map { _ in Task { try await client.send(ValkeyCommand(["PING"])) } }
        try await until { client.pendingCommands == 3 }
        let error = await #expect(throws: ValkeyError.self) { _ = try await client.send(ValkeyCommand(["PING"])) }
        #expect(error?.kind == .busy)
        server.thaw()
        for task in waiting { #expect(try await task.value == .text("PONG")) }
        #expect(client.pendingCommands == 0)
    }

    @Test(
        "The limit works over TLS, with a certificate that is trusted and for no other",
        .enabled(if: Programs.find("openssl") != nil || Programs.areRequired, "openssl is not installed")
    )
    func tls() async throws {
        let scratch = try ScratchDirectory.created()
        let (key, certificate) = (scratch.url.appending(path: "key"), scratch.url.appending(path: "certificate"))
        let made = try await runProgram(
            try #require(Programs.find("openssl")),
            [
                "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days", "2",
                "-subj", "/CN=localhost", "-addext", "subjectAltName=DNS:localhost", "-keyout", key.path, "-out",
                certificate.path,
            ]
        )
        try #require(made.status == 0)
        let server = try await Server.started(
            ["--tls-cert-file", certificate.path, "--tls-key-file", key.path],
            trusting: certificate.path
        )
        #expect(try await take(ValkeyRateLimitStore(ValkeyClient(server.settings), whenAway: .fail)) == .taken)
        for tls in [ValkeySettings.TLS.systemRoots, .off] {
            var settings = server.settings
            settings.tls = tls
            let store = ValkeyRateLimitStore(ValkeyClient(settings), whenAway: .fail)
            let error = await #expect(throws: ValkeyError.self) { _ = try await self.take(store) }
            #expect(error.map { [.connectionLost, .unavailable, .malformedReply].contains($0.kind) } == true)
        }
    }

    @Test("Over a chain: calls of two limiters wait for each other's tokens")
    func chain() async throws {
        let server = try await Server.started()
        let limit = RateLimit(2, per: .seconds(3600))
        let chains = try (0..<2).map { _ in
            let store = ValkeyRateLimitStore(ValkeyClient(server.settings), whenAway: .fail)
            return try Chain(
                [RateLimitMiddleware(RateLimiter([limit], excess: .refuse, store: store))],
                transport: ClosureTransport { _ in Response(.ok) }
            )
        }
        for chain in chains { #expect(try await chain.send(.get("https://api.example.com/")).status == .ok) }
        for chain in chains {
            let error = await #expect(throws: RateLimitExceededError.self) {
                try await chain.send(.get("https://api.example.com/"))
            }
            #expect(error?.retryAfter.map { $0 > .seconds(1000) && $0 <= .seconds(1800) } == true)
        }
    }

    @Test("A client that is shut down says so")
    func shutdown() async throws {
        let server = try await Server.started()
        let client = ValkeyClient(server.settings)
        #expect(try await client.send(ValkeyCommand(["PING"])) == .text("PONG"))
        await client.shutdown()
        let error = await #expect(throws: ValkeyError.self) { _ = try await client.send(ValkeyCommand(["PING"])) }
        #expect(error?.kind == .closed)
    }
}
#endif
