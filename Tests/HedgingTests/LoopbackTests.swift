#if AllTests
import Foundation
import HTTPChainCore
import HTTPChainHedging
import HTTPChainTesting
import HTTPChainURLSession
import HTTPTypes
import TestSupport
import Testing

/// A server of which every fiftieth answer is slow.
@Suite("Hedging over a real server", .timeLimit(.minutes(10)), .heavy)
struct LoopbackTests {
    private static let content = Data(SeededRandom(seed: 3).bytes(20_000))

    private struct Figures {
        var p99 = 0.0
        var requests = 0
        var cut = 0
    }

    private func measure(_ stages: [any Middleware], calls: Int) async throws -> Figures {
        let count = Locked(0)
        let server = try await LoopbackServer.start { exchange in
            let number = count.withLock { count in
                count += 1
                return count
            }
            if number % 50 == 0 { try await Task.sleep(for: .milliseconds(600)) }
            try await exchange.reply(200, body: Self.content)
        }
        let chain = try Chain(stages, transport: URLSessionTransport())
        let times = Locked<[Double]>([])
        let cut = Counter()
        let url = server.url("/page")
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<4 {
                group.addTask {
                    for _ in 0..<(calls / 4) {
                        let start = ContinuousClock.now
                        let response = try await chain.send(.get(url))
                        let body = try await response.body.collect()
                        let time = start.duration(to: .now) / .milliseconds(1)
                        times.withLock { $0.append(time) }
                        if body != Self.content { cut.add() }
                    }
                }
            }
            try await group.waitForAll()
        }
        await server.stop()
        let sorted = times.withLock { $0 }.sorted()
        return Figures(p99: sorted[sorted.count * 99 / 100], requests: count.withLock { $0 }, cut: cut.value)
    }

    @Test(
        "The slowest hundredth of the calls becomes faster, at 5 % more load at most, and no body is cut"
    )
    func tail() async throws {
        let calls = 1000
        let plain = try await measure([], calls: calls)
        let budget = RetryBudget(share: 0.05, minimumPerSecond: 0, capacity: 3)
        let hedged = try await measure(
            [HedgingMiddleware(HedgingPolicy(after: .quantile(0.97)), budget: budget)],
            calls: calls
        )
        print(
            "hedging: p99 \(plain.p99) ms without, \(hedged.p99) ms with, \(hedged.requests) requests for \(calls) calls"
        )
        #expect(plain.p99 >= 600)
        // On a machine that does nothing else: what other tests take of it is in the times, of which the slow answers
        // may then not be among the slowest.
        if Drill.isFull {
            #expect(hedged.p99 * 5 <= plain.p99)
            #expect(hedged.requests > calls)
        }
        #expect(hedged.requests <= calls * 105 / 100 + 3)
        #expect(plain.cut == 0 && hedged.cut == 0)
    }
}
#endif
