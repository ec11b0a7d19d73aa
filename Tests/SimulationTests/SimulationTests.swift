#if AllTests
import Foundation
import HTTPChain
import HTTPChainResumableUpload
import HTTPChainSupport
import HTTPChainTesting
import HTTPTypes
import TestSupport
import Testing

/// Chains of all stages over a world in which everything fails.
@Suite("Whole chains under simulated faults", .heavy, .timeLimit(.minutes(300)))
struct SimulationTests {
    /// `HTTPCHAIN_SIMULATION_CALLS` in the environment sets another number; CI makes 20,000.
    private static let calls =
        ProcessInfo.processInfo.environment["HTTPCHAIN_SIMULATION_CALLS"].flatMap { Int($0) } ?? 2000
    /// The one run that `HTTPCHAIN_SIMULATION_SEED` asks for.
    private static let onlySeed =
        ProcessInfo.processInfo.environment["HTTPCHAIN_SIMULATION_SEED"].flatMap { UInt64($0) }
    private static let callsPerRun = 100

    private static func run(
        _ seed: UInt64,
        log: LogOfSecrets = LogOfSecrets(),
        balance: MetricsBalance = MetricsBalance()
    ) async throws -> SimulationReport {
        var simulation = RandomChain.simulation(seed: seed, log: log, balance: balance)
        simulation.calls = callsPerRun
        return try await simulation.run(seed: seed)
    }

    /// What came of one run.
    private struct Outcome: Sendable {
        let seed: UInt64
        let report: SimulationReport
        let log = LogOfSecrets()
        let balance = MetricsBalance()

        init(of seed: UInt64) async throws {
            self.seed = seed
            report = try await SimulationTests.run(seed, log: log, balance: balance)
        }
    }

    @Test("Whatever fails, no chain of these stages breaks an invariant", .seeded)
    func anyChain() async throws {
        var calls = 0
        var total: [String: Int] = [:]
        func check(_ outcome: Outcome) {
            let (seed, report, log, balance) = (outcome.seed, outcome.report, outcome.log, outcome.balance)
            #expect(log.telling.isEmpty, "HTTPCHAIN_SIMULATION_SEED=\(seed): a secret is logged")
            total["records", default: 0] += log.count
            #expect(balance.inFlight == 0, "HTTPCHAIN_SIMULATION_SEED=\(seed): by its metrics a call has not ended")
            #expect(balance.begun == balance.ended, "HTTPCHAIN_SIMULATION_SEED=\(seed): a call is measured twice")
            total["measured", default: 0] += balance.ended
            #expect(report.violations.isEmpty, "HTTPCHAIN_SIMULATION_SEED=\(seed): \(report)")
            calls += report.calls
            total["successes", default: 0] += report.successes
            total["cancelled", default: 0] += report.cancelled
            total["requests", default: 0] += report.requests
            for (name, count) in report.faults { total[name, default: 0] += count }
        }
        let first = Self.onlySeed ?? Seed.current &* 1_000_000
        let runs = Self.onlySeed == nil ? UInt64((Self.calls + Self.callsPerRun - 1) / Self.callsPerRun) : 1
        // Each run has a thread of its own, and so there are as many at once as there are cores.
        try await withThrowingTaskGroup(of: Outcome.self) { group in
            for seed in first..<first + runs {
                if seed >= first + UInt64(ProcessInfo.processInfo.activeProcessorCount),
                    let outcome = try await group.next()
                {
                    check(outcome)
                }
                group.addTask { try await Outcome(of: seed) }
            }
            while let outcome = try await group.next() { check(outcome) }
        }
        print("simulation: \(calls) calls,", total.sorted { $0.key < $1.key }.map { "\($0.key) \($0.value)" })
        #expect(total["successes", default: 0] > calls / 3)
        if Self.onlySeed == nil { #expect(total["measured", default: 0] > calls / 10) }
    }

    @Test("A seed gives the same run again, and another seed another one", arguments: 3...12 as ClosedRange<UInt64>)
    func oneSeedIsOneRun(seed: UInt64) async throws {
        let (once, again, other) = try await (Self.run(seed), Self.run(seed), Self.run(seed + 100))
        #expect(once.steps == again.steps)
        #expect(once.fingerprint == again.fingerprint)
        #expect(once.description == again.description)
        #expect(once.fingerprint != other.fingerprint)
    }

    @Test("Without faults and cancellations every call of a plain chain succeeds", .seeded)
    func withoutFaults() async throws {
        var simulation = ChainSimulation { world in
            { user in
                try Chain(transport: world.transport) {
                    StatusValidationMiddleware()
                    RedirectMiddleware(.limited(3))
                    GzipMiddleware()
                    CacheMiddleware(store: .memory(limit: .mebibytes(1)), partition: .by { $0.simulatedUser })
                    BearerAuthMiddleware(SimulatedTokens(world: world, user: user), for: world.origin)
                }
            }
        }
        simulation.faultRate = 0
        simulation.cancellationRate = 0
        let report = try await simulation.run(seed: Seed.current)
        #expect(report.violations.isEmpty, "\(report)")
        #expect(report.faults.isEmpty)
        #expect(report.cancelled == 0)
        // Some follow a redirect that leads nowhere, to what another user may not see, or to what takes no POST.
        #expect(report.successes > simulation.calls * 3 / 4, "\(report)")
    }

    @Test("An upload that breaks off goes on, and takes effect once", .seeded)
    func uploads() async throws {
        let continued = Locked(0)
        for number in 0..<5 as Range<UInt64> {
            var simulation = ChainSimulation { world in
                let uploads = ResumableUploadMiddleware(
                    .tus,
                    partition: .by { $0.simulatedUser },
                    options: ResumableUploadOptions(selection: .from(.bytes(1)), partSize: .kibibytes(2))
                )
                return { user in
                    try Chain(transport: world.transport) {
                        RedirectMiddleware()
                        uploads
                        RetryMiddleware()
                        BearerAuthMiddleware(SimulatedTokens(world: world, user: user), for: world.origin)
                        ClosureMiddleware("Offsets", phase: .wire) { request, next in
                            let offset = request.headers[.uploadOffset].flatMap { Int($0) } ?? 0
                            if offset % 2048 > 0 { continued.withLock { $0 += 1 } }
                            return try await next(request)
                        }
                    }
                }
            }
            simulation.calls = 100
            let report = try await simulation.run(seed: Seed.current &* 1000 + number)
            #expect(report.violations.isEmpty, "\(report)")
        }
        // From where it broke off, which is inside a part.
        #expect(continued.withLock { $0 } > 0)
    }

    @Test("Simulations run side by side, each on a thread of its own")
    func sideBySide() async throws {
        let alone = try await Self.run(11)
        let together = try await withThrowingTaskGroup(of: SimulationReport.self) { group in
            for seed in [11, 12, 13, 11] as [UInt64] { group.addTask { try await Self.run(seed) } }
            return try await group.reduce(into: []) { $0.append($1) }
        }
        #expect(together.count { $0.fingerprint == alone.fingerprint } == 2)
    }

    @Test("The example of the documentation works")
    func documentation() async throws {
        let simulation = ChainSimulation { world in
            let cache = CacheMiddleware(store: .memory(limit: .mebibytes(8)), partition: .by { $0.simulatedUser })
            return { user in
                let tokens = ClosureAccessTokenProvider { _, _ in AccessToken(try await world.token(for: user)) }
                return try Chain(transport: world.transport) {
                    RedirectMiddleware()
                    cache
                    RetryMiddleware()
                    BearerAuthMiddleware(tokens, for: world.origin)
                }
            }
        }
        let report = try await simulation.run(seed: 42)
        #expect(report.violations.isEmpty, "\(report)")
    }

    @Test("What a chain cannot be built of is thrown")
    func impossibleChain() async throws {
        let simulation = ChainSimulation { world in
            { _ in
                try Chain(transport: world.transport) {
                    RetryMiddleware()
                    RedirectMiddleware()
                }
            }
        }
        await #expect(throws: ChainOrderError.self) { try await simulation.run(seed: 1) }
    }
}
#endif
