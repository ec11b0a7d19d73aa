import Foundation
import HTTPChainCore
import HTTPChainTesting
import HTTPChainTimeout
import HTTPTypes
import TestSupport
import Testing

/// Many calls at once, each with a fate that is worked out beforehand.
@Suite("A thousand calls at once", .heavy, .timeLimit(.minutes(10)))
struct LoadTests {
    private struct Plan: Sendable {
        /// Milliseconds; what the server takes for is a multiple of 50, limits lie between.
        let head: Int
        let chunks: [Int]
        let call: Int
        let attempt: Int
        let idle: Int

        init(_ generator: inout some RandomNumberGenerator) {
            head = 50 * Int.random(in: 1...12, using: &generator)
            chunks = (0..<Int.random(in: 0...4, using: &generator)).map { _ in
                50 * Int.random(in: 1...8, using: &generator)
            }
            call = 50 * Int.random(in: 1...30, using: &generator) + 12
            attempt = 50 * Int.random(in: 1...20, using: &generator) + 25
            idle = 50 * Int.random(in: 2...14, using: &generator) + 25
        }

        /// When the call ends, and what by; `nil` for a success.
        var fate: (time: Int, scope: TimeoutScope?) {
            let wait = min(attempt, idle)
            if min(wait, call) < head {
                return call < wait ? (call, .call) : (wait, attempt <= idle ? .attempt : .response)
            }
            var time = head
            for chunk in chunks {
                let deadline = min(call, time + idle)
                if deadline < time + chunk { return (deadline, deadline == call ? .call : .read) }
                time += chunk
            }
            return (time, nil)
        }
    }

    private struct SlowReader: BodyReader {
        var delays: ArraySlice<Int>
        let time: any TimeSource

        nonisolated(nonsending) mutating func read() async throws -> Data? {
            guard let delay = delays.popFirst() else { return nil }
            try await time.sleep(for: .milliseconds(delay))
            return Data("chunk".utf8)
        }
    }

    private enum PlanOption: RequestOption {
        static var defaultValue: Plan? { nil }
        static func isHarmless(_ value: Value) -> Bool { true }
    }

    @Test("A thousand calls at once end each as it must, and leave nothing behind", .seeded)
    func load() async throws {
        let count = 1000
        var generator = Numbers(Seed.numbers())
        let plans = (0..<count).map { _ in Plan(&generator) }
        let clock = VirtualClock()
        let server = Server { request in
            let plan = try #require(request.options[PlanOption.self])
            let time = request.environment.time
            try await time.sleep(for: .milliseconds(plan.head))
            return Response(.ok, body: .once { SlowReader(delays: plan.chunks[...], time: time) })
        }
        let chain = try makeChain([TimeoutMiddleware(nil), AttemptTimeoutMiddleware()], server)
        let finished = Counter()
        try await withThrowingTaskGroup(of: Void.self) { group in
            for plan in plans {
                group.addTask {
                    var request = Request.get(url).on(clock).timeout(.milliseconds(plan.call))
                        .timeout(attempt: .milliseconds(plan.attempt))
                        .timeout(
                            connect: .off,
                            response: .value(.milliseconds(plan.idle)),
                            read: .value(.milliseconds(plan.idle))
                        )
                    request.options[PlanOption.self] = plan
                    var scope: TimeoutScope?
                    do {
                        let bytes = try await chain.send(request).body.collect()
                        #expect(bytes.count == 5 * plan.chunks.count)
                    } catch let error as TimeoutError {
                        scope = error.scope
                    }
                    #expect(scope == plan.fate.scope, "\(plan)")
                    #expect(clock.elapsed == .milliseconds(plan.fate.time), "\(plan)")
                    finished.add()
                }
            }
            let ends = plans.map(\.fate.time)
            let last = ends.max() ?? 0
            for step in stride(from: 0, through: last, by: 50) {
                for time in [step, step + 12, step + 25] {
                    clock.advance(to: .milliseconds(time))
                    // The server sleeps for each call in flight.
                    let over = ends.count { $0 <= time }
                    try await finished.wait(until: over)
                    try await clock.waitForSleepers(count: count - over)
                    #expect(clock.waits.count { $0.kind == .sleep } == count - over)
                }
            }
            try await group.waitForAll()
        }
        #expect(finished.value == count)
        #expect(clock.pendingDeadlines.isEmpty)
    }
}
