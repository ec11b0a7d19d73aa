import HTTPChainCore
import Testing

@testable import HTTPChainTimeout

@Suite("A deadline")
struct DeadlineTests {
    @Test(
        "Is its start and its limit, without overflow",
        arguments: [
            (Duration.seconds(5), Duration.seconds(8)),
            (.zero, .seconds(3)),
            (.seconds(-9), .seconds(3)),
            (.seconds(Int64.max), .seconds(3) + Deadline.furthest),
            (.seconds(Int64.min), .seconds(3)),
        ]
    )
    func instant(limit: Duration, instant: Duration) {
        let deadline = Deadline(.call, limit: limit, start: .seconds(3))
        #expect(deadline.instant == instant)
        #expect(deadline.isOver(at: instant))
        #expect(!deadline.isOver(at: instant - .nanoseconds(1)))
    }

    @Test("Is the first of several; of those at once, the first named")
    func first() {
        let call = Deadline(.call, limit: .seconds(5), start: .zero)
        let attempt = Deadline(.attempt, limit: .seconds(3), start: .seconds(2))
        let idle = Deadline(.idle, limit: .seconds(1), start: .seconds(3))
        #expect(Deadline.first(call, attempt, idle) == idle)
        #expect(Deadline.first(call, attempt) == call)
        #expect(Deadline.first(attempt, call) == attempt)
        #expect(Deadline.first(nil, attempt, nil) == attempt)
        #expect(Deadline.first(nil, nil) == nil)
    }

    @Test("Is what a rule makes of the stage's limit")
    func rules() {
        #expect(TimeoutRule.standard.limit(standard: .seconds(1)) == .seconds(1))
        #expect(TimeoutRule.standard.limit(standard: nil) == nil)
        #expect(TimeoutRule.unlimited.limit(standard: .seconds(1)) == nil)
        #expect(TimeoutRule.limit(.seconds(2)).limit(standard: .seconds(1)) == .seconds(2))
        #expect(TimeoutRule(nil) == .unlimited)
        #expect(TimeoutRule(.zero) == .limit(.zero))
    }
}

@Suite("The table of deadlines")
struct DeadlineTableTests {
    @Test("Gives out who is due, soonest first, and nobody else")
    func order() {
        var table = DeadlineTable<Int>()
        for seconds in [5, 1, 4, 2, 3] {
            table.arm(table.open(), until: .seconds(seconds), waiter: seconds)
        }
        #expect(table.next == .seconds(1))
        #expect(table.expire(at: .milliseconds(999)).isEmpty)
        #expect(table.expire(at: .seconds(3)).map(\.waiter) == [1, 2, 3])
        #expect(table.count == 2)
        #expect(table.expire(at: .seconds(9)).map(\.deadline) == [.seconds(4), .seconds(5)])
        #expect(table.count == 0)
        #expect(table.next == nil)
    }

    @Test("Forgets what has ended, before somebody waits and after")
    func ended() {
        var table = DeadlineTable<Int>()
        let early = table.open()
        #expect(table.end(early) == nil)
        #expect(table.closeIfEnded(early) == true)
        let late = table.open()
        #expect(table.closeIfEnded(late) == false)
        table.arm(late, until: .seconds(1), waiter: 7)
        #expect(table.end(late) == 7)
        #expect(table.count == 0)
        #expect(table.expire(at: .seconds(2)).isEmpty)
    }

    @Test("Takes no notice of a ticket whose wait is over, even when its slot serves another")
    func stale() {
        var table = DeadlineTable<Int>()
        let old = table.open()
        table.arm(old, until: .seconds(1), waiter: 1)
        #expect(table.end(old) == 1)
        let new = table.open()
        table.arm(new, until: .seconds(5), waiter: 2)
        #expect(table.end(old) == nil)
        table.putOff(old, until: .seconds(99))
        table.arm(old, until: .seconds(1), waiter: 3)
        #expect(table.closeIfEnded(old) == false)
        #expect(table.next == .seconds(5))
        #expect(table.end(new) == 2)
    }

    @Test("Puts a deadline off, before it is set and after, and never brings it nearer")
    func putOff() {
        var table = DeadlineTable<Int>()
        let first = table.open()
        table.putOff(first, until: .seconds(4))
        table.arm(first, until: .seconds(1), waiter: 1)
        let second = table.open()
        table.arm(second, until: .seconds(2), waiter: 2)
        table.putOff(second, until: .seconds(6))
        table.putOff(second, until: .seconds(3))
        #expect(table.next == .seconds(4))
        #expect(table.expire(at: .seconds(5)).map(\.waiter) == [1])
        #expect(table.next == .seconds(6))
        #expect(table.expire(at: .seconds(6)).map(\.deadline) == [.seconds(6)])
    }

    @Test("Does not grow with the waits that are over")
    func bounded() {
        var table = DeadlineTable<Int>()
        table.arm(table.open(), until: .seconds(1_000_000), waiter: 0)
        for number in 1...10_000 {
            let ticket = table.open()
            table.arm(ticket, until: .seconds(number), waiter: number)
            #expect(table.end(ticket) == number)
        }
        #expect(table.count == 1)
        #expect(table.alarmCount < 100)
        #expect(table.next == .seconds(1_000_000))
    }

    @Test("Agrees with a sorted list, whatever the order of events")
    func model() {
        var generator = SystemRandomNumberGenerator()
        for _ in 0..<50 {
            var table = DeadlineTable<Int>()
            var model: [Int: Int] = [:]
            var tickets: [Int: DeadlineTable<Int>.Ticket] = [:]
            var now = 0
            for number in 0..<300 {
                switch Int.random(in: 0..<6, using: &generator) {
                case 0...2:
                    let ticket = table.open()
                    let deadline = now + Int.random(in: 1...100, using: &generator)
                    table.arm(ticket, until: .seconds(deadline), waiter: number)
                    model[number] = deadline
                    tickets[number] = ticket
                case 3:
                    guard let (other, ticket) = tickets.randomElement(using: &generator) else { continue }
                    #expect(table.end(ticket) == model.removeValue(forKey: other).map { _ in other })
                case 4:
                    guard let (other, deadline) = model.randomElement(using: &generator) else { continue }
                    table.putOff(tickets[other]!, until: .seconds(deadline + 20))
                    model[other] = deadline + 20
                default:
                    now += Int.random(in: 1...30, using: &generator)
                    let due = model.filter { $0.value <= now }
                    for number in due.keys { model[number] = nil }
                    let expired = table.expire(at: .seconds(now))
                    #expect(Set(expired.map(\.waiter)) == Set(due.keys))
                    #expect(expired.map(\.deadline) == due.values.sorted().map { .seconds($0) })
                }
                #expect(table.count == model.count)
                #expect(table.next == model.values.min().map { .seconds($0) })
            }
        }
    }
}
