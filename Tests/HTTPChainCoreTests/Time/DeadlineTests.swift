import HTTPChainCore
import HTTPChainTesting
import TestSupport
import Testing

@testable import HTTPChainTime

@Suite("A deadline")
struct DeadlineTests {
    @Test(
        "A deadline is its start and its limit, without overflow",
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

    @Test("A deadline is the first of several; of those at once, the first named")
    func first() {
        let call = Deadline(.call, limit: .seconds(5), start: .zero)
        let attempt = Deadline(.attempt, limit: .seconds(3), start: .seconds(2))
        let idle = Deadline(.read, limit: .seconds(1), start: .seconds(3))
        #expect(Deadline.first(call, attempt, idle) == idle)
        #expect(Deadline.first(call, attempt) == call)
        #expect(Deadline.first(attempt, call) == attempt)
        #expect(Deadline.first(nil, attempt, nil) == attempt)
        #expect(Deadline.first(nil, nil) == nil)
    }
}

@Suite("The table of alarms")
struct DeadlineTableTests {
    @Test("The table gives out what is due, soonest first, and nothing else")
    func order() {
        var table = DeadlineTable<Int>()
        for seconds in [5, 1, 4, 2, 3] { _ = table.add(seconds, at: .seconds(seconds)) }
        #expect(table.next == .seconds(1))
        #expect(table.expire(at: .milliseconds(999)).isEmpty)
        #expect(table.expire(at: .seconds(3)) == [1, 2, 3])
        #expect(table.count == 2)
        #expect(table.expire(at: .seconds(9)) == [4, 5])
        #expect(table.count == 0)
        #expect(table.next == nil)
    }

    @Test("The table takes no notice of the identifier of an alarm that is gone, even when its slot serves another")
    func stale() {
        var table = DeadlineTable<Int>()
        let old = table.add(1, at: .seconds(1))
        let isRemovedOld = table.remove(old)
        #expect(isRemovedOld)
        let new = table.add(2, at: .seconds(5))
        let isStale = !table.remove(old)
        #expect(isStale)
        table.move(old, to: .seconds(99))
        #expect(table.next == .seconds(5))
        #expect(table.expire(at: .seconds(2)).isEmpty)
        let isRemovedNew = table.remove(new)
        #expect(isRemovedNew)
    }

    @Test("The table moves an alarm later, sooner, and back")
    func move() {
        var table = DeadlineTable<Int>()
        let first = table.add(1, at: .seconds(1))
        let second = table.add(2, at: .seconds(2))
        table.move(first, to: .seconds(4))
        table.move(second, to: .seconds(6))
        #expect(table.next == .seconds(4))
        table.move(second, to: .seconds(3))
        #expect(table.next == .seconds(3))
        table.move(second, to: .seconds(5))
        #expect(table.expire(at: .seconds(4)) == [1])
        #expect(table.next == .seconds(5))
        #expect(table.expire(at: .seconds(5)) == [2])
    }

    @Test("The table does not grow with the alarms that are gone or were moved")
    func bounded() {
        var table = DeadlineTable<Int>()
        let kept = table.add(0, at: .seconds(1_000_000))
        for number in 1...10_000 {
            let id = table.add(number, at: .seconds(number))
            table.move(kept, to: .seconds(1_000_000 - number))
            let isRemoved = table.remove(id)
            #expect(isRemoved)
        }
        #expect(table.count == 1)
        #expect(table.entryCount < 100)
        #expect(table.next == .seconds(990_000))
    }

    @Test("The table agrees with a sorted list, whatever the order of events", .seeded)
    func model() {
        var generator = Numbers(Seed.numbers())
        for _ in 0..<50 {
            var table = DeadlineTable<Int>()
            var model: [Int: Int] = [:]
            var ids: [Int: DeadlineTable<Int>.AlarmID] = [:]
            var now = 0
            for number in 0..<300 {
                switch Int.random(in: 0..<6, using: &generator) {
                case 0...2:
                    let deadline = now + Int.random(in: 1...100, using: &generator)
                    ids[number] = table.add(number, at: .seconds(deadline))
                    model[number] = deadline
                case 3:
                    guard
                        let (other, id) = ids.sorted(by: { $0.key < $1.key })
                            .randomElement(using: &generator)
                    else { continue }
                    let isRemoved = table.remove(id)
                    #expect(isRemoved == (model.removeValue(forKey: other) != nil))
                case 4:
                    guard let other = model.keys.sorted().randomElement(using: &generator),
                        let id = ids[other]
                    else { continue }
                    let deadline = now + Int.random(in: 1...120, using: &generator)
                    table.move(id, to: .seconds(deadline))
                    model[other] = deadline
                default:
                    now += Int.random(in: 1...30, using: &generator)
                    let due = model.filter { $0.value <= now }
                    for number in due.keys { model[number] = nil }
                    let expired = table.expire(at: .seconds(now))
                    #expect(Set(expired) == Set(due.keys))
                    #expect(expired.compactMap { due[$0] } == due.values.sorted())
                }
                #expect(table.count == model.count)
                #expect(table.next == model.values.min().map { .seconds($0) })
            }
        }
    }
}
