#if AllTests
#if AsyncHTTPClient
import AsyncHTTPClient
import Foundation
import HTTPChain
import HTTPChainAsyncHTTPClient
import HTTPChainTesting
import NIOCore
import TestSupport
import Testing

/// Thousands of calls through retry, timeout and redirect to servers that do everything wrong at random.
///
/// Over AsyncHTTPClient, because on Linux an answer that is cut inside its head ends a process that uses URLSession.
@Suite("Chaos on loopback", .heavy, .serialized, .timeLimit(.minutes(10)))
struct ChaosTests {
    /// As many as leave other tests their turn; `HTTPCHAIN_CHAOS_CALLS` in the environment sets another number, and CI
    /// sends 10,000.
    private static let calls = ProcessInfo.processInfo.environment["HTTPCHAIN_CHAOS_CALLS"].flatMap { Int($0) } ?? 1000
    /// Few enough that other tests get their turn.
    private static let atOnce = 48
    private static let callTimeout = Duration.seconds(15)
    /// What a busy machine may add to a deadline, before a call counts as hanging.
    private static let patience = Duration.seconds(300)
    private static let maximumAttempts = 4

    /// How one call ended.
    private enum Ending: Sendable {
        case success
        case failure(stage: String)
        case wrong(String)
    }

    @Test("Every call ends in the whole content or one typed error, in time, and leaves nothing behind", .seeded)
    func thousandsOfCalls() async throws {
        let census = Census()
        let server = try await ChaosServer.start(seed: Seed.current)
        let budget = RetryBudget(share: 0.5, minimumPerSecond: 0, capacity: 100)
        let transport = AsyncHTTPClientTransport(configuration: AsyncHTTPClientTransport.standardConfiguration)
        let chain = try Chain(transport: transport) {
            TimeoutMiddleware(Self.callTimeout)
            StatusValidationMiddleware()
            RedirectMiddleware(.limited(6))
            RetryMiddleware(
                RetryPolicy(
                    maximumAttempts: Self.maximumAttempts,
                    backoff: Backoff(base: .milliseconds(1), cap: .milliseconds(20))
                ),
                budget: budget
            )
            AttemptTimeoutMiddleware(.seconds(1), write: .seconds(1), response: .seconds(1), read: .seconds(1))
            census.stage
        }

        let endings = await Self.endings(through: chain, of: server, census: census)

        var successes = 0
        var failures: [String: Int] = [:]
        var wrong: [String] = []
        for ending in endings {
            switch ending {
            case .success: successes += 1
            case .failure(let stage): failures[stage, default: 0] += 1
            case .wrong(let what): wrong.append(what)
            }
        }
        #expect(wrong.isEmpty, "\(wrong.count) calls went wrong, such as \(wrong.prefix(5))")
        #expect(endings.count == Self.calls)
        #expect(successes > Self.calls / 4, "a good part of the calls succeed in the end, and not \(successes)")
        #expect(failures.values.reduce(0, +) > 0, "some calls are beyond saving")
        for behaviour in Behaviour.allCases {
            #expect(server.seen[behaviour, default: 0] > 0, "\(behaviour) was never shown")
        }
        #expect(server.leaked.isEmpty, "credentials left for another origin: \(server.leaked.prefix(5))")
        #expect(server.failures.isEmpty, "the server met what it cannot be sent: \(server.failures.prefix(3))")

        // What the calls themselves, their redirects and the budget allow for.
        let redirects = server.redirects
        let retries = server.requests - Self.calls - redirects
        let allowed = 100 + (Self.calls + redirects) / 2
        #expect(retries > 0)
        #expect(retries <= allowed, "\(retries) retries are more than the budget's \(allowed)")
        print(
            "chaos: \(successes) successes, failures \(failures.sorted { $0.key < $1.key }),",
            "\(server.requests) requests, \(redirects) redirects, \(retries) retries of at most \(allowed)"
        )

        try await transport.shutdown()
        await server.stop()
        #expect(census.bodiesEver >= Self.calls / 2)
        let left = try await Self.settled {
            (bodies: census.bodies, sleepers: census.sleepers, sockets: try Self.openSockets(to: server.ports))
        } until: {
            $0.bodies == 0 && $0.sleepers == 0 && $0.sockets == 0
        }
        #expect(left.bodies == 0, "response bodies are still held")
        #expect(left.sleepers == 0, "tasks still wait on the clock")
        #expect(left.sockets == 0, "connections are still open")
    }

    private static func endings(through chain: Chain, of server: ChaosServer, census: Census) async -> [Ending] {
        await withTaskGroup(of: Ending.self) { group in
            var endings: [Ending] = []
            for call in 0..<calls {
                if call >= atOnce, let ending = await group.next() { endings.append(ending) }
                group.addTask { await ending(of: call, through: chain, of: server, census: census) }
            }
            for await ending in group { endings.append(ending) }
            return endings
        }
    }

    private static func ending(of call: Int, through chain: Chain, of server: ChaosServer, census: Census) async
        -> Ending
    {
        var request = Request.get(
            server.url(of: call),
            headers: [.authorization: "Bearer secret-\(call)", .cookie: "session=secret-\(call)"]
        )
        if call % 5 == 1 {
            request.head.method = .put
            request.body = HTTPBody("content of call \(call)")
        }
        request.environment.time = census.time
        let began = ContinuousClock.now
        var ending: Ending
        do {
            let response = try await chain.send(request)
            switch call % 10 {
            case 8:
                // Dropped unread.
                ending = .success
            case 9:
                var reader = try await response.body.makeReader()
                _ = try await reader.read()
                ending = .success
            default:
                let content = try await response.body.collect()
                ending =
                    content == ChaosServer.content(of: call)
                    ? .success : .wrong("call \(call) got \(content.count) bytes that are not its content")
            }
        } catch let error as any HTTPChainError {
            ending = "\(error)".contains("secret-") ? .wrong("the error shows a secret") : .failure(stage: error.stage)
        } catch {
            ending = .wrong("call \(call) ended with \(type(of: error)): \(error)")
        }
        let took = ContinuousClock.now - began
        return took < callTimeout + patience ? ending : .wrong("call \(call) took \(took)")
    }

    /// Looks again and again, for at most a minute, until all is as it should be.
    private static func settled<Value>(_ look: () throws -> Value, until isRight: (Value) -> Bool) async throws -> Value
    {
        var value = try look()
        do {
            try await until("all to be let go") {
                value = try look()
                return isRight(value)
            }
        } catch is WaitedInVain {
            // The time limit of the test has passed: the caller tells what is left.
        }
        return value
    }

    /// How many sockets this machine holds open on either end of connections to some ports; 0 where the system does not
    /// tell.
    private static func openSockets(to ports: [UInt16]) throws -> Int {
        #if os(Linux)
        let ends = ports.map { ":" + String(format: "%04X", Int($0)) }
        return try String(contentsOfFile: "/proc/net/tcp", encoding: .utf8).split(separator: "\n").count { line in
            let columns = line.split(separator: " ")
            // The kernel goes on with the end of a connection whose descriptor is closed; such a socket has no inode.
            return columns.count > 9 && columns[9] != "0"
                && ends.contains { end in
                    columns[1].hasSuffix(end) || columns[2].hasSuffix(end)
                }
        }
        #else
        return 0
        #endif
    }
}
#else
import TestSupport
import Testing

@Test("LOUD NOTE: chaos is NOT tested here; run `swift test --enable-all-traits` to test it")
func chaosNeedsAsyncHTTPClient() {
    print("note: the chaos tests need `swift test --enable-all-traits`")
}
#endif
#endif
