import Foundation
import HTTPChainCoalescing
import HTTPChainCore
import HTTPChainInMemory
import HTTPChainTesting
import HTTPTypes
import TestSupport
import Testing

@Suite("The coalescing stage in a chain", .timeLimit(.minutes(10)))
struct ChainTests {
    private struct Authenticating: Middleware {
        var phase: Phase { .authenticate }
        var summary: StageSummary { StageSummary("TokenMiddleware") }
        func intercept(_ request: consuming Request, next: Next) async throws -> Response { try await next(request) }
    }

    private struct Caching: Middleware {
        var phase: Phase { .cache }
        func intercept(_ request: consuming Request, next: Next) async throws -> Response { try await next(request) }
    }

    @Test("Outside authentication it needs a partition, and says which")
    func needsPartition() throws {
        let error = #expect(throws: ChainOrderError.self) {
            try Chain(transport: InMemoryTransport()) {
                CoalescingMiddleware()
                Authenticating()
            }
        }
        let problem = try #require(error?.problems.first)
        #expect(error?.problems.count == 1)
        #expect(problem.stage == "CoalescingMiddleware")
        #expect(problem.problem.contains("is outside TokenMiddleware"))
        #expect(problem.fix.contains("partition: .by"))
    }

    @Test("Outside a chain that authenticates it needs a partition, too")
    func needsPartitionOutsideChain() throws {
        let inner = try Chain([Authenticating()], transport: InMemoryTransport())
        #expect(throws: ChainOrderError.self) { try Chain([CoalescingMiddleware()], transport: inner) }
        _ = try Chain([CoalescingMiddleware(partition: .shared)], transport: inner)
    }

    @Test("The stage is allowed outside authentication with a partition, and anywhere in a chain without it")
    func allowed() throws {
        let transport = InMemoryTransport()
        _ = try Chain([CoalescingMiddleware(partition: .shared), Authenticating()], transport: transport)
        _ = try Chain([CoalescingMiddleware(partition: .by { _ in nil }), Authenticating()], transport: transport)
        _ = try Chain([CoalescingMiddleware()], transport: transport)
        _ = try Chain([Caching(), CoalescingMiddleware()], transport: transport)
    }

    @Test("The stage belongs inside a cache")
    func order() {
        #expect(throws: ChainOrderError.self) {
            try Chain([CoalescingMiddleware(), Caching()], transport: InMemoryTransport())
        }
    }

    @Test("The summary of the stage has its settings")
    func summary() {
        let summary = CoalescingMiddleware(partition: .by { _ in "secret" }, window: .kibibytes(8)).summary
        #expect(summary.settings.map(\.name) == ["users", "window", "spill"])
        #expect(summary.settings.map(\.value) == ["separated by a closure", "8 KiB", "1 GiB"])
    }

    @Test(
        "The stage keeps the rules of every stage",
        .timeLimit(.minutes(10)),
        arguments: StageConformance.Check.allCases
    )
    func conforms(check: StageConformance.Check) async throws {
        try await StageConformance { CoalescingMiddleware() }.verify(check)
        try await StageConformance(request: { .get("https://conformance.example/items") }) {
            CoalescingMiddleware(partition: .by { _ in "user" }, window: 8, spill: 8)
        }.verify(check)
    }
}

@Suite("Documentation of the coalescing stage")
struct DocumentationTests {
    @Test("The example of the documentation works")
    func example() async throws {
        let mayAnswer = Rendezvous()
        let transport = InMemoryTransport { _ in
            try await mayAnswer.wait()
            return Response(.ok, body: "[]")
        }
        var printed: [Int] = []
        func print(_ count: Int) { printed.append(count) }
        let stage = CoalescingMiddleware(partition: .shared)
        async let isAnswered: Void = {
            try await until("both calls to wait") { stage.transfers.waiterCount == 2 }
            mayAnswer.reach()
        }()

        let chain = try Chain(transport: transport) { stage }
        async let one = chain.send(.get("https://api.example.com/plants"))
        async let other = chain.send(.get("https://api.example.com/plants"))
        let responses = try await [one, other]
        print(responses.count { $0.isCoalesced })

        let fresh = Request.get("https://api.example.com/plants").coalescing(false)
        #expect(try await chain.send(fresh).isCoalesced == false)
        try await isAnswered
        #expect(printed == [1])
        #expect(transport.requestCount == 2)
    }
}
