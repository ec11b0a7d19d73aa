import HTTPChainCore
import HTTPChainInMemory
import HTTPChainRetry
import HTTPChainTesting
import HTTPTypes
import Testing

@Suite("Retry budget", .timeLimit(.minutes(10)))
struct RetryBudgetTests {
    private func drain(_ budget: RetryBudget, at time: Duration = .zero) -> Int {
        var count = 0
        while budget.take(at: time) { count += 1 }
        return count
    }

    @Test("The budget starts full")
    func full() {
        #expect(drain(RetryBudget(share: 0, minimumPerSecond: 0, capacity: 7)) == 7)
    }

    @Test("Calls put in their share, to the last part", arguments: [(0.2, 5), (0.1, 10), (1, 1), (0.3, 10)])
    func share(share: Double, calls: Int) {
        let budget = RetryBudget(share: share, minimumPerSecond: 0, capacity: 100)
        #expect(drain(budget) == 100)
        for _ in 1..<calls { budget.countCall() }
        let expected = Int((share * Double(calls)).rounded())
        #expect(budget.available == expected - 1)
        budget.countCall()
        #expect(budget.available == expected)
        #expect(drain(budget) == expected)
    }

    @Test("Each second puts the minimum into the budget")
    func minimum() {
        let budget = RetryBudget(share: 0, minimumPerSecond: 10, capacity: 50)
        #expect(drain(budget) == 50)
        #expect(drain(budget, at: .milliseconds(99)) == 0)
        #expect(drain(budget, at: .milliseconds(100)) == 1)
        #expect(drain(budget, at: .milliseconds(1100)) == 10)
    }

    @Test("Time that is looked at often counts no less")
    func smallSteps() {
        let budget = RetryBudget(share: 0, minimumPerSecond: 1, capacity: 5)
        #expect(drain(budget) == 5)
        var taken = 0
        for millisecond in 1...3000 where budget.take(at: .milliseconds(millisecond)) { taken += 1 }
        #expect(taken == 3)
    }

    @Test("A budget never holds more than its capacity, however long nothing happens")
    func capacity() {
        let budget = RetryBudget(share: 10, minimumPerSecond: 1_000_000, capacity: 3)
        #expect(drain(budget, at: .zero) == 3)
        for _ in 0..<100 { budget.countCall() }
        #expect(budget.available == 3)
        #expect(drain(budget, at: .seconds(Int64.max)) == 3)
    }

    @Test("A clock that goes back adds nothing, and time counts on from there")
    func backwards() {
        let budget = RetryBudget(share: 0, minimumPerSecond: 1, capacity: 2)
        #expect(drain(budget, at: .seconds(100)) == 2)
        #expect(!budget.take(at: .seconds(5)))
        #expect(budget.take(at: .seconds(6)))
    }

    @Test("Settings that make no sense are brought into range")
    func settings() {
        let odd = RetryBudget(share: .nan, minimumPerSecond: -.infinity, capacity: -4)
        #expect(odd.share == 0 && odd.minimumPerSecond == 0 && odd.capacity == 0)
        #expect(!odd.take(at: .seconds(1)))
        let huge = RetryBudget(share: .infinity, minimumPerSecond: .infinity, capacity: .max)
        #expect(huge.share == 10 && huge.minimumPerSecond == 1_000_000 && huge.capacity == 1_000_000)
        huge.countCall()
        #expect(huge.take(at: .seconds(Int64.max)))
    }

    @Test("Many tasks at a time take exactly what there is")
    func concurrency() async {
        let budget = RetryBudget(share: 0.5, minimumPerSecond: 0, capacity: 10_000)
        #expect(drain(budget) == 10_000)
        let taken = await withTaskGroup(of: Int.self) { group in
            for _ in 0..<8 {
                group.addTask {
                    var taken = 0
                    for _ in 0..<1000 {
                        budget.countCall()
                        if budget.take(at: .zero) { taken += 1 }
                    }
                    return taken
                }
            }
            return await group.reduce(0, +)
        }
        #expect(taken + drain(budget) == 4000)
    }

    @Test("Chains that share a budget share its tokens")
    func shared() async throws {
        let budget = RetryBudget(share: 0, minimumPerSecond: 0, capacity: 3)
        let transport = InMemoryTransport { _ in Response(.serviceUnavailable) }
        let chains = try (0..<2).map { _ in
            try Chain(transport: transport, environment: .virtual(.automatic())) {
                RetryMiddleware(plainPolicy(maximumAttempts: 4), budget: budget)
            }
        }
        let first = try await chains[0].send(.get(url))
        #expect(first.retries?.stop == .attemptsSpent(maximum: 4))
        let second = try await chains[1].send(.get(url))
        #expect(second.retries?.stop == .budgetSpent)
        #expect(second.attempts == 1)
        #expect(transport.requestCount == 5)
    }

    @Test("Concurrent calls retry no more often than the budget allows")
    func concurrentCalls() async throws {
        let transport = InMemoryTransport { _ in Response(.serviceUnavailable) }
        let chain = try Chain(transport: transport, environment: .virtual(.automatic())) {
            RetryMiddleware(plainPolicy(), budget: RetryBudget(share: 0, minimumPerSecond: 0, capacity: 20))
        }
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<64 {
                group.addTask {
                    let response = try await chain.send(.get(url))
                    #expect(response.status == .serviceUnavailable)
                }
            }
            try await group.waitForAll()
        }
        #expect(transport.requestCount == 84)
    }

    @Test("A stage has a budget of its own unless it is given another or none")
    func defaults() async throws {
        let transport = InMemoryTransport { _ in Response(.serviceUnavailable) }
        let clock = VirtualClock.automatic()
        let own = try Chain(transport: transport, environment: .virtual(clock)) {
            RetryMiddleware(RetryPolicy(maximumAttempts: 1000, backoff: .none))
        }
        #expect(try await own.send(.get(url)).attempts == 101)
        let none = try Chain(transport: transport, environment: .virtual(clock)) {
            RetryMiddleware(RetryPolicy(maximumAttempts: 1000, backoff: .none), budget: nil)
        }
        #expect(try await none.send(.get(url)).attempts == 1000)
    }
}
