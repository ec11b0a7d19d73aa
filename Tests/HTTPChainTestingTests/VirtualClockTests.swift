#if AllTests
import Foundation
import HTTPChainCore
import HTTPChainTesting
import Testing

@Suite("The virtual clock", .timeLimit(.minutes(10)))
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

@Suite("Deadlines on the virtual clock", .timeLimit(.minutes(10)))
struct VirtualDeadlineTests {
    private func deadline(_ clock: VirtualClock, _ seconds: Int, _ rung: Watched<[Int]>) -> any TimeAlarm {
        clock.alarm(at: .seconds(seconds), for: "call \(seconds)") { rung.update { $0.append(seconds) } }
    }

    @Test("A test waits for a deadline, not for a number of sleepers, and the clock tells who waits")
    func waiting() async throws {
        let clock = VirtualClock()
        let rung = Watched<[Int]>([])
        async let far: Void = clock.waitForDeadline(.seconds(30))
        let alarms = [deadline(clock, 10, rung), deadline(clock, 30, rung)]
        try await far
        try await clock.waitForDeadline()
        let task = Task { try await clock.sleep(for: .seconds(20)) }
        try await clock.waitForSleepers(count: 1)
        #expect(clock.waits.map(\.kind) == [.deadline, .sleep, .deadline])
        #expect(clock.waits[0].description == "call 10 runs under a deadline at 10.0 seconds")
        #expect(clock.waits[1].description == "a task sleeps until 20.0 seconds")
        #expect(clock.pendingDeadlines == [.seconds(10), .seconds(20), .seconds(30)])
        #expect(clock.advanceToNextSleep() == .seconds(20))
        try await task.value
        #expect(rung.value == [10])
        alarms[1].cancel()
        #expect(clock.waits.isEmpty)
    }

    @Test("An automatic clock moves over sleeps alone, and over the deadlines on their way")
    func automatic() async throws {
        let clock = VirtualClock.automatic()
        let rung = Watched<[Int]>([])
        let alarms = [deadline(clock, 30, rung), deadline(clock, 5, rung)]
        try await clock.sleep(for: .seconds(4))
        #expect(clock.elapsed == .seconds(4))
        #expect(rung.value.isEmpty)
        try await clock.sleep(for: .seconds(4))
        #expect(rung.value == [5])
        #expect(clock.elapsed == .seconds(8))
        alarms[0].move(to: .seconds(9))
        alarms[0].move(to: .seconds(7))
        try await rung.wait { $0 == [5, 30] ? () : nil }
    }

    @Test("A deadline that cancels a sleep on an automatic clock stops the time there")
    func cutShort() async throws {
        let clock = VirtualClock.automatic()
        let sleeper = Watched<Task<Void, any Error>?>(nil)
        let alarm = clock.alarm(at: .seconds(30), for: "call") { sleeper.value?.cancel() }
        let gate = Watched(false)
        sleeper.update { sleeper in
            sleeper = Task {
                try await gate.wait { $0 ? () : nil }
                try await clock.sleep(for: .seconds(1 << 30))
            }
        }
        gate.update { $0 = true }
        await #expect(throws: CancellationError.self) { try await sleeper.value?.value }
        #expect(clock.elapsed == .seconds(30))
        withExtendedLifetime(alarm) {}
    }

    @Test("A wait in vain says who waits until when, instead of hanging")
    func inVain() async throws {
        let clock = VirtualClock()
        let rung = Watched<[Int]>([])
        let alarm = deadline(clock, 30, rung)
        let task = Task { try await clock.sleep(for: .seconds(5)) }
        try await clock.waitForSleepers()
        let error = await #expect(throws: VirtualClockError.self) {
            try await clock.waitForSleepers(count: 2, patience: .milliseconds(20))
        }
        #expect(error?.reason.contains("2 sleeping tasks") == true)
        #expect(error?.reason.contains("a task sleeps until 5.0 seconds") == true)
        #expect(error?.reason.contains("call 30 runs under a deadline at 30.0 seconds") == true)
        await #expect(throws: VirtualClockError.self) {
            try await clock.waitForDeadline(.seconds(7), patience: .milliseconds(20))
        }
        clock.advance(by: .seconds(5))
        try await task.value
        alarm.cancel()
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
#endif
