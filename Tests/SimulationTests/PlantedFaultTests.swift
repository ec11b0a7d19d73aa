#if AllTests
import HTTPChain
import HTTPChainResumableUpload
import HTTPChainTesting
import TestSupport
import Testing

/// A simulation that finds nothing proves something only where it finds what is there.
@Suite("Faults that were planted are found", .heavy, .timeLimit(.minutes(10)))
struct PlantedFaultTests {
    /// How many runs of a hundred calls each a fault may take to be found.
    private static let runs: UInt64 = 400

    /// Looks until something of a kind is found, and nothing else is asked.
    private static func find(
        _ invariant: SimulationReport.Invariant,
        sourceLocation: SourceLocation = #_sourceLocation,
        in build: @escaping ChainSimulation.Build
    ) async throws {
        let seed = Seed.current &* 1000
        for number in 0..<runs {
            var simulation = ChainSimulation(build: build)
            simulation.calls = 100
            let report = try await simulation.run(seed: seed + number)
            guard let found = report.violated.first(where: { $0.invariant == invariant }) else { continue }
            print("planted fault found in run \(number + 1): \(found)")
            return
        }
        Issue.record(
            "\(runs) runs have not found that \(invariant.description) does not hold",
            sourceLocation: sourceLocation
        )
    }

    /// A chain of the usual stages in which one is replaced.
    private static func chain(
        _ world: SimulatedWorld,
        _ user: String,
        retry: any Middleware = RetryMiddleware(),
        redirect: any Middleware = RedirectMiddleware(),
        cookies: CookieJar? = CookieJar(),
        authentication: (any Middleware)? = nil,
        @ChainBuilder besides: () -> [any Middleware] = { [] }
    ) throws -> Chain {
        let stages = besides()
        func those(_ phase: Phase) -> [any Middleware] { stages.filter { $0.phase == phase } }
        return try Chain(transport: world.transport) {
            those(.decode)
            those(.build)
            redirect
            those(.cookies)
            cookies.map { CookieMiddleware($0) }
            GzipMiddleware()
            those(.cache)
            those(.coalesce)
            those(.upload)
            retry
            authentication
                ?? BearerAuthMiddleware(SimulatedTokens(world: world, user: user), for: world.origin)
            those(.concurrencyLimit)
            those(.attempt)
            those(.wire)
        }
    }

    @Test("The chain that the faults are planted in has none", .seeded)
    func soundChain() async throws {
        for number in 0..<Self.runs {
            var simulation = ChainSimulation { world in { user in try Self.chain(world, user) } }
            simulation.calls = 100
            let report = try await simulation.run(seed: Seed.current &* 1000 + number)
            #expect(report.violations.isEmpty, "\(report)")
        }
    }

    @Test("A simulation with a negative number of calls makes none")
    func noCalls() async throws {
        let simulation = ChainSimulation(calls: -1) { world in { user in try Self.chain(world, user) } }
        let report = try await simulation.run(seed: 1)
        #expect(report.calls == 0)
        #expect(report.violations.isEmpty, "\(report)")
    }

    @Test("Retry: an order is sent again, though it may have arrived", .seeded)
    func retry() async throws {
        try await Self.find(.effect) { world in
            { user in try Self.chain(world, user, retry: FaultyStages.eagerRetry) }
        }
    }

    @Test("Retry: a stream that has been read is sent again as nothing", .seeded)
    func retriedStream() async throws {
        try await Self.find(.uploads) { world in
            { user in try Self.chain(world, user, retry: FaultyStages.emptyingRetry) }
        }
    }

    @Test("Resumable upload: it begins anew, though the server may have all of it", .seeded)
    func upload() async throws {
        try await Self.find(.effect) { world in
            { user in try Self.chain(world, user) { FaultyStages.forgetfulUpload } }
        }
    }

    @Test("Redirect: what was to be sent stays behind", .seeded)
    func redirect() async throws {
        try await Self.find(.uploads) { world in
            { user in try Self.chain(world, user, redirect: FaultyStages.forgetfulRedirect) }
        }
    }

    @Test("Authentication: the token follows a redirect elsewhere", .seeded)
    func authentication() async throws {
        try await Self.find(.credentialLeak) { world in
            { user in try Self.chain(world, user, authentication: FaultyStages.carelessAuthentication(world, user)) }
        }
    }

    @Test("Cache: users share what is private", .seeded)
    func sharedCache() async throws {
        try await Self.find(.otherUser) { world in
            let cache = CacheMiddleware(store: .memory(limit: .mebibytes(8)), partition: .shared)
            return { user in try Self.chain(world, user) { cache } }
        }
    }

    @Test("Cache: languages are not told apart", .seeded)
    func languages() async throws {
        try await Self.find(.content) { world in
            { user in
                try Self.chain(world, user) {
                    FaultyStages.simpleCache(time: world.environment.time, forgetsOnWriting: true)
                }
            }
        }
    }

    @Test("Cache: what was changed is answered as it was", .seeded)
    func invalidation() async throws {
        try await Self.find(.ownWrites) { world in
            { user in
                try Self.chain(world, user) {
                    FaultyStages.simpleCache(time: world.environment.time, forgetsOnWriting: false)
                }
            }
        }
    }

    @Test("Coalescing: users share a transfer", .seeded)
    func coalescing() async throws {
        try await Self.find(.otherUser) { world in
            let coalescing = CoalescingMiddleware(partition: .shared)
            // Jars would keep the users apart.
            return { user in try Self.chain(world, user, cookies: nil) { coalescing } }
        }
    }

    @Test("Cookies: users share a jar", .seeded)
    func cookies() async throws {
        try await Self.find(.otherUser) { world in
            let jar = CookieJar()
            return { user in try Self.chain(world, user, cookies: jar) }
        }
    }

    @Test("Cookies: those of stored responses undo a sign-out", .seeded)
    func signOut() async throws {
        try await Self.find(.signOut) { world in
            let cache = CacheMiddleware(store: .memory(limit: .mebibytes(8)), partition: .by { $0.simulatedUser })
            return { user in
                let jar = CookieJar()
                return try Self.chain(world, user, cookies: jar) {
                    FaultyStages.rememberingCookies(jar)
                    cache
                }
            }
        }
    }

    @Test("Cache: the order of languages is taken for insignificant", .seeded)
    func languageOrder() async throws {
        try await Self.find(.content) { world in
            { user in try Self.chain(world, user) { FaultyStages.unorderedLanguages } }
        }
    }

    @Test("Compression: the response that refuses it holds the only permit", .seeded, arguments: [true, false])
    func refusedCompression(isFaulty: Bool) async throws {
        var simulation = ChainSimulation { world in
            let limit = ConcurrencyLimitMiddleware(.fixed(1))
            return { user in
                let gzip: any Middleware =
                    isFaulty ? FaultyStages.hoardingCompression : GzipMiddleware(requests: .standard)
                return try Chain(transport: world.transport) {
                    RedirectMiddleware()
                    gzip
                    BearerAuthMiddleware(SimulatedTokens(world: world, user: user), for: world.origin)
                    limit
                }
            }
        }
        simulation.concurrency = 1
        simulation.faultRate = 0
        simulation.cancellationRate = 0
        let report = try await simulation.run(seed: Seed.current)
        #expect(report.violations.isEmpty, "\(report)")
        // Nothing else fails in a world without faults, one call after the other.
        #expect((report.failures["ConcurrencyLimitMiddleware"] ?? 0 > 0) == isFaulty, "\(report)")
    }

    @Test("Decoding: content that is cut is taken for whole", .seeded)
    func decoding() async throws {
        try await Self.find(.content) { world in
            { user in try Self.chain(world, user) { FaultyStages.forgivingDecoder } }
        }
    }

    @Test("Limit: the permit of a failed call is lost", .seeded)
    func limit() async throws {
        try await Self.find(.outcome) { world in
            { user in try Self.chain(world, user) { FaultyStages.leakingLimit(4) } }
        }
    }

    @Test("Timeout: a caller is left without an answer", .seeded)
    func timeout() async throws {
        try await Self.find(.outcome) { world in
            { user in try Self.chain(world, user) { FaultyStages.endlessTimeout } }
        }
    }

    @Test("Log: responses are kept open", .seeded)
    func heldResponses() async throws {
        try await Self.find(.leftovers) { world in
            { user in try Self.chain(world, user) { FaultyStages.hoarder() } }
        }
    }

    @Test("Errors: one shows a token", .seeded)
    func tellingErrors() async throws {
        try await Self.find(.credentialLeak) { world in
            { user in try Self.chain(world, user) { FaultyStages.tellingErrors } }
        }
    }

    @Test("Errors: one has a type that nobody knows", .seeded)
    func untypedErrors() async throws {
        try await Self.find(.outcome) { world in
            { user in try Self.chain(world, user) { FaultyStages.tellingErrors } }
        }
    }
}
#endif
