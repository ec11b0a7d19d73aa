import Foundation
import HTTPChainCore
import HTTPChainTesting
import Testing

@testable import HTTPChainTimeout

@Suite("The scheduler", .timeLimit(.minutes(1)))
struct DeadlineSchedulerTests {
    private struct Late: Error {}

    @Test("Serves any number of waits with one sleeping task")
    func oneSleeper() async throws {
        let clock = VirtualClock()
        let scheduler = DeadlineScheduler(time: clock, lingers: false)
        try await withThrowingTaskGroup(of: DeadlineScheduler.Verdict.self) { group in
            let tickets = (0..<100).map { _ in scheduler.open() }
            for (index, ticket) in tickets.enumerated() {
                group.addTask { await scheduler.verdict(on: ticket, until: .seconds(100 - index)) }
            }
            await settle { clock.pendingDeadlines == [.seconds(1)] }
            #expect(clock.pendingDeadlines == [.seconds(1)])
            for ticket in tickets[..<50] { scheduler.end(ticket) }
            clock.advance(by: .seconds(100))
            var verdicts: [DeadlineScheduler.Verdict] = []
            for try await verdict in group { verdicts.append(verdict) }
            #expect(verdicts.count { $0 == .ended } == 50)
            #expect(Set(verdicts).contains(.expired(.seconds(50))))
        }
        #expect(clock.pendingDeadlines.isEmpty)
    }

    @Test("Goes on sleeping on a clock whose sleeps are dear, but not beyond its own end")
    func lingering() async throws {
        let clock = VirtualClock()
        do {
            let scheduler = DeadlineScheduler(time: clock, lingers: true)
            for seconds in 10...20 {
                let ticket = scheduler.open()
                async let verdict = scheduler.verdict(on: ticket, until: .seconds(seconds))
                await settle { !clock.pendingDeadlines.isEmpty }
                scheduler.end(ticket)
                #expect(await verdict == .ended)
                #expect(clock.pendingDeadlines == [.seconds(10)])
            }
            #expect(clock.sleeps.count == 1)
            clock.advance(by: .seconds(10))
            await settle { clock.pendingDeadlines.isEmpty }
            let ticket = scheduler.open()
            async let verdict = scheduler.verdict(on: ticket, until: .seconds(15))
            try await clock.waitForSleepers()
            clock.advance(by: .seconds(5))
            #expect(await verdict == .expired(.seconds(15)))
            let last = scheduler.open()
            async let ended = scheduler.verdict(on: last, until: .seconds(99))
            try await clock.waitForSleepers()
            scheduler.end(last)
            _ = await ended
        }
        await settle { clock.pendingDeadlines.isEmpty }
        #expect(clock.pendingDeadlines.isEmpty)
    }

    @Test("Sleeps a long time in parts")
    func long() async throws {
        let clock = VirtualClock()
        let scheduler = DeadlineScheduler(time: clock, lingers: false)
        let ticket = scheduler.open()
        async let verdict = scheduler.verdict(on: ticket, until: Deadline.furthest)
        try await clock.waitForSleepers()
        #expect(clock.pendingDeadlines == [.seconds(86_400)])
        clock.advance(by: .seconds(86_400))
        try await clock.waitForSleepers()
        #expect(clock.pendingDeadlines == [.seconds(172_800)])
        clock.advance(to: Deadline.furthest)
        #expect(await verdict == .expired(Deadline.furthest))
    }

    @Test("Runs work that has its result at hand without a timer")
    func immediate() async throws {
        let clock = VirtualClock()
        let scheduler = DeadlineScheduler(time: clock, lingers: false)
        let value = try await scheduler.run(scheduler.open(), until: .seconds(1), orThrow: { _ in Late() }) { 7 }
        #expect(value == 7)
        #expect(clock.pendingDeadlines.isEmpty)
        await #expect(throws: CancellationError.self) {
            try await scheduler.run(scheduler.open(), until: .seconds(1), orThrow: { _ in Late() }) {
                throw CancellationError()
            }
        }
    }

    @Test("Tells the cancellation of the caller from a deadline, in whatever order they come", arguments: 0..<20)
    func cancellation(round: Int) async throws {
        let clock = VirtualClock()
        let scheduler = DeadlineScheduler(time: clock, lingers: false)
        let gate = Watched(false)
        let task = Task {
            try await scheduler.run(scheduler.open(), until: .seconds(1), orThrow: { _ in Late() }) {
                // Deaf to cancellation.
                await gate.waitUninterrupted { $0 ? () : nil }
                try Task.checkCancellation()
            }
        }
        try await clock.waitForSleepers()
        if round.isMultiple(of: 2) {
            task.cancel()
            clock.advance(by: .seconds(1))
        } else {
            clock.advance(by: .seconds(1))
            task.cancel()
        }
        gate.update { $0 = true }
        await #expect(throws: CancellationError.self) { try await task.value }
    }
}
