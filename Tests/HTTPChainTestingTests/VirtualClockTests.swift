import Foundation
import HTTPChainCore
import HTTPChainTesting
import Testing

@Suite("The virtual clock", .timeLimit(.minutes(1)))
struct VirtualClockTests {
    @Test("A sleep ends when the time has been moved past it, and not before")
    func sleepEndsAtItsDeadline() async throws {
        let clock = VirtualClock()
        let woken = Locked(false)
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask {
                try await clock.sleep(for: .seconds(10))
                woken.withLock { $0 = true }
            }
            try await clock.waitForSleepers()
            clock.advance(by: .seconds(9))
            #expect(clock.pendingDeadlines == [.seconds(10)])
            #expect(!woken.withLock { $0 })
            clock.advance(by: .seconds(1))
            try await group.waitForAll()
        }
        #expect(woken.withLock { $0 })
        #expect(clock.elapsed == .seconds(10))
        #expect(clock.pendingDeadlines.isEmpty)
        #expect(clock.sleeps == [.seconds(10)])
    }

    @Test("Sleepers wake in order of their deadlines, one deadline at a time")
    func wakesInOrder() async throws {
        let clock = VirtualClock()
        let order = Locked<[Int]>([])
        try await withThrowingTaskGroup(of: Void.self) { group in
            for seconds in [3, 1, 2] {
                group.addTask {
                    try await clock.sleep(for: .seconds(seconds))
                    order.withLock { $0.append(seconds) }
                }
            }
            try await clock.waitForSleepers(count: 3)
            #expect(clock.pendingDeadlines == [.seconds(1), .seconds(2), .seconds(3)])
            for seconds in 1...3 {
                #expect(clock.advanceToNextDeadline() == .seconds(seconds))
                try await group.next()
            }
        }
        #expect(order.withLock { $0 } == [1, 2, 3])
        #expect(clock.advanceToNextDeadline() == nil)
    }

    @Test("Moving the time far wakes all who are due and leaves the others")
    func advanceFar() async throws {
        let clock = VirtualClock()
        try await withThrowingTaskGroup(of: Void.self) { group in
            for seconds in 1...3 {
                group.addTask { try await clock.sleep(for: .seconds(seconds)) }
            }
            try await clock.waitForSleepers(count: 3)
            clock.advance(to: .milliseconds(2500))
            try await group.next()
            try await group.next()
            #expect(clock.pendingDeadlines == [.seconds(3)])
            group.cancelAll()
            await #expect(throws: CancellationError.self) { try await group.next() }
        }
    }

    @Test("Cancelling a sleeper wakes it at once with CancellationError")
    func cancellation() async throws {
        let clock = VirtualClock()
        let task = Task { try await clock.sleep(for: .seconds(10)) }
        try await clock.waitForSleepers()
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
        #expect(clock.pendingDeadlines.isEmpty)
        #expect(clock.elapsed == .zero)
    }

    @Test("A cancelled task does not begin to sleep", arguments: [VirtualClock(), .automatic()])
    func cancelledBefore(clock: VirtualClock) async throws {
        let task = Task {
            try await VirtualClock.neverWakes()
        }
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
        let sleeper = Task {
            withUnsafeCurrentTask { $0?.cancel() }
            try await clock.sleep(for: .seconds(1))
        }
        await #expect(throws: CancellationError.self) { try await sleeper.value }
        #expect(clock.elapsed == .zero)
    }

    @Test("Waiting for sleepers ends when the test is cancelled")
    func waitingIsCancellable() async {
        let task = Task { try await VirtualClock().waitForSleepers() }
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
    }

    @Test("A sleep of no or negative length returns at once", arguments: [Duration.zero, .seconds(-1)])
    func emptySleep(duration: Duration) async throws {
        let clock = VirtualClock()
        try await clock.sleep(for: duration)
        #expect(clock.sleeps.isEmpty)
    }

    @Test("On an automatic clock each sleep moves the time itself")
    func automatic() async throws {
        let clock = VirtualClock.automatic()
        for seconds in [1, 2, 4] { try await clock.sleep(for: .seconds(seconds)) }
        #expect(clock.elapsed == .seconds(7))
        #expect(clock.sleeps == [.seconds(1), .seconds(2), .seconds(4)])
        #expect(clock.isAutomatic)
    }

    @Test("The wall clock moves with the time and can be set without moving it")
    func wallClock() {
        let clock = VirtualClock(start: Date(timeIntervalSince1970: 1000))
        clock.advance(by: .milliseconds(1500))
        #expect(clock.date == Date(timeIntervalSince1970: 1001.5))
        clock.date = Date(timeIntervalSince1970: 0)
        #expect(clock.elapsed == .milliseconds(1500))
        clock.advance(by: .seconds(1))
        #expect(clock.date == Date(timeIntervalSince1970: 1))
    }

    @Test("The time does not go back, and the longest waits do not overflow")
    func extremes() async throws {
        let clock = VirtualClock.automatic()
        clock.advance(by: .seconds(5))
        clock.advance(by: .seconds(-3))
        clock.advance(to: .seconds(1))
        #expect(clock.elapsed == .seconds(5))
        for _ in 0..<4 {
            try await clock.sleep(for: .seconds(Int64.max))
            clock.advance(by: .seconds(Int64.max))
        }
        #expect(clock.elapsed == .seconds(Int64.max))
    }
}

extension VirtualClock {
    fileprivate static func neverWakes() async throws {
        try await VirtualClock().sleep(for: .seconds(1))
    }
}

@Suite("Seeded randomness")
struct SeededRandomTests {
    @Test("The numbers are those of SplitMix64")
    func reference() {
        let random = SeededRandom(seed: 1_234_567)
        let numbers = (0..<5).map { _ in random.next() }
        #expect(
            numbers == [
                6_457_827_717_110_365_317, 3_203_168_211_198_807_973, 9_817_491_932_198_370_423,
                4_593_380_528_125_082_431, 16_408_922_859_458_223_821,
            ]
        )
    }

    @Test("The same seed gives the same bytes, another seed others")
    func seeds() {
        let bytes = SeededRandom(seed: 7).bytes(32)
        #expect(SeededRandom(seed: 7).bytes(32) == bytes)
        #expect(SeededRandom(seed: 8).bytes(32) != bytes)
    }

    @Test("A virtual environment holds the clock and the seed")
    func environment() {
        let clock = VirtualClock()
        let environment = ChainEnvironment.virtual(clock, seed: 3)
        clock.advance(by: .seconds(2))
        #expect(environment.time.elapsed == .seconds(2))
        #expect(environment.random.next() == SeededRandom(seed: 3).next())
    }
}
