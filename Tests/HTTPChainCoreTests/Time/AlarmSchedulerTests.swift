import Foundation
import HTTPChainCore
import HTTPChainTesting
import TestSupport
import Testing

@testable import HTTPChainTime

@Suite("The timer of all alarms", .timeLimit(.minutes(10)))
struct AlarmSchedulerTests {
    @Test("The timer serves any number of alarms with one sleeping task")
    func oneSleeper() async throws {
        let clock = VirtualClock()
        let scheduler = AlarmScheduler(time: clock)
        let rung = Watched<[Int]>([])
        let alarms = (1...100).reversed().map { index in
            scheduler.alarm(at: .seconds(index)) { rung.update { $0.append(index) } }
        }
        try await clock.waitForSleepers()
        for alarm in alarms[..<50] { alarm.cancel() }
        clock.advance(by: .seconds(100))
        try await rung.wait { $0.count == 50 ? () : nil }
        #expect(rung.value == Array(1...50))
        #expect(scheduler.count == 0)
        withExtendedLifetime(alarms) {}
    }

    @Test("The timer sleeps on when its alarms are cancelled, as cancelled sleeps would pile up, and ends without any")
    func lingering() async throws {
        let clock = VirtualClock()
        do {
            let scheduler = AlarmScheduler(time: clock)
            for seconds in 10...20 {
                let alarm = scheduler.alarm(at: .seconds(seconds)) { Issue.record("it was cancelled") }
                try await clock.waitForSleepers()
                alarm.cancel()
                #expect(clock.pendingDeadlines == [.seconds(10)])
            }
            #expect(clock.sleeps.count == 1)
            let late = Watched(false)
            let alarm = scheduler.alarm(at: .seconds(15)) { late.update { $0 = true } }
            clock.advance(by: .seconds(15))
            try await late.wait { $0 ? () : nil }
            alarm.cancel()
            let kept = scheduler.alarm(at: .seconds(99)) { Issue.record("it was dropped") }
            try await clock.waitForSleepers()
            kept.cancel()
        }
        try await until { clock.pendingDeadlines.isEmpty }
    }

    @Test("The timer rings later or sooner when an alarm is moved, and not when it is dropped")
    func moved() async throws {
        let clock = VirtualClock()
        let scheduler = AlarmScheduler(time: clock)
        let rung = Watched<[String]>([])
        let later = scheduler.alarm(at: .seconds(5)) { rung.update { $0.append("later") } }
        let sooner = scheduler.alarm(at: .seconds(50)) { rung.update { $0.append("sooner") } }
        _ = scheduler.alarm(at: .seconds(1)) { Issue.record("it was dropped") }
        later.move(to: .seconds(20))
        sooner.move(to: .seconds(3))
        try await until { clock.pendingDeadlines.first ?? .zero <= .seconds(3) && !clock.pendingDeadlines.isEmpty }
        clock.advance(to: .seconds(4))
        try await rung.wait { $0.count == 1 ? () : nil }
        clock.advance(to: .seconds(19))
        #expect(rung.value == ["sooner"])
        try await clock.waitForSleepers()
        clock.advance(to: .seconds(20))
        try await rung.wait { $0.count == 2 ? () : nil }
        #expect(rung.value == ["sooner", "later"])
        withExtendedLifetime((later, sooner)) {}
    }

    @Test("The timer sleeps a long time in parts")
    func long() async throws {
        let clock = VirtualClock()
        let scheduler = AlarmScheduler(time: clock)
        let rung = Watched(false)
        let alarm = scheduler.alarm(at: Deadline.furthest) { rung.update { $0 = true } }
        try await clock.waitForSleepers()
        #expect(clock.pendingDeadlines == [.seconds(86_400)])
        clock.advance(by: .seconds(86_400))
        try await clock.waitForSleepers()
        #expect(clock.pendingDeadlines == [.seconds(172_800)])
        clock.advance(to: Deadline.furthest)
        try await rung.wait { $0 ? () : nil }
        withExtendedLifetime(alarm) {}
    }

    @Test("A clock that can only sleep nevertheless has alarms, which ring, move and are cancelled")
    func sleepingClock() async throws {
        struct Sleeper: TimeSource {
            let clock: VirtualClock
            var elapsed: Duration { clock.elapsed }
            var date: Date { clock.date }
            func sleep(for duration: Duration) async throws { try await clock.sleep(for: duration) }
        }
        let clock = VirtualClock()
        let rung = Watched<[Int]>([])
        let time = Sleeper(clock: clock)
        let alarms = (1...3).map { index in
            time.alarm(at: .seconds(index), for: "") { rung.update { $0.append(index) } }
        }
        try await clock.waitForSleepers(count: 3)
        alarms[0].move(to: .seconds(10))
        alarms[1].cancel()
        alarms[2].move(to: .seconds(2))
        try await until { clock.pendingDeadlines == [.seconds(1), .seconds(2)] }
        clock.advance(to: .seconds(2))
        try await rung.wait { $0 == [3] ? () : nil }
        try await until { clock.pendingDeadlines == [.seconds(10)] }
        clock.advance(to: .seconds(10))
        try await rung.wait { $0 == [3, 1] ? () : nil }
        #expect(clock.pendingDeadlines.isEmpty)
        withExtendedLifetime(alarms) {}
    }
}
