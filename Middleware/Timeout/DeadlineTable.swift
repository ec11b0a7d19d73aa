/// Which waits are under way and when each is to end: a slot for each, and an alarm for each in a heap, soonest first.
///
/// Ending a wait leaves its alarm where it is, to be passed over later: in most calls the deadline is far off, and so
/// many alarms are dropped together at next to no cost.
struct DeadlineTable<Waiter: Sendable>: Sendable {
    /// One wait; a ticket whose wait is over means nothing any more.
    struct Ticket: Sendable, Hashable {
        fileprivate let slot: Int
        fileprivate let number: Int
    }

    /// A wait whose time is up.
    struct Expired: Sendable {
        let waiter: Waiter
        let deadline: Duration
    }

    private struct Slot {
        var number: Int
        var hasEnded = false
        var deadline: Duration?
        var waiter: Waiter?
    }

    private struct Alarm {
        let time: Duration
        let ticket: Ticket
    }

    private var slots: [Slot] = []
    private var free: [Int] = []
    private var alarms: [Alarm] = []
    private var lastNumber = 0

    /// How many waits are under way.
    var count: Int { slots.count - free.count }

    /// How many alarms are kept, those to be passed over included.
    var alarmCount: Int { alarms.count }

    /// Begins a wait that has no end yet.
    mutating func open() -> Ticket {
        lastNumber += 1
        if let slot = free.popLast() {
            slots[slot] = Slot(number: lastNumber)
            return Ticket(slot: slot, number: lastNumber)
        }
        slots.append(Slot(number: lastNumber))
        return Ticket(slot: slots.count - 1, number: lastNumber)
    }

    /// Notes that the work waited for has ended; hands out who waits for it, if somebody does.
    mutating func end(_ ticket: Ticket) -> Waiter? {
        guard isOpen(ticket) else { return nil }
        slots[ticket.slot].hasEnded = true
        guard let waiter = slots[ticket.slot].waiter else { return nil }
        close(ticket)
        return waiter
    }

    /// Closes the wait if its work has ended already.
    ///
    /// - Returns: Whether it had.
    mutating func closeIfEnded(_ ticket: Ticket) -> Bool {
        guard isOpen(ticket), slots[ticket.slot].hasEnded else { return false }
        close(ticket)
        return true
    }

    /// Sets who waits, and until when; a deadline that was put off before stays where it is.
    mutating func arm(_ ticket: Ticket, until deadline: Duration, waiter: Waiter) {
        guard isOpen(ticket) else { return }
        slots[ticket.slot].waiter = waiter
        let deadline = max(slots[ticket.slot].deadline ?? deadline, deadline)
        slots[ticket.slot].deadline = deadline
        push(Alarm(time: deadline, ticket: ticket))
    }

    /// Puts the deadline of a wait off; it never comes nearer.
    mutating func putOff(_ ticket: Ticket, until deadline: Duration) {
        guard isOpen(ticket) else { return }
        // The alarm in the heap is too early now; it is put back when its turn comes.
        slots[ticket.slot].deadline = max(slots[ticket.slot].deadline ?? deadline, deadline)
    }

    /// Closes the waits whose time is up.
    ///
    /// - Returns: Who waits for them and the deadline of each, soonest first.
    mutating func expire(at now: Duration) -> [Expired] {
        var expired: [Expired] = []
        while let time = next, time <= now {
            let ticket = pop().ticket
            let slot = slots[ticket.slot]
            guard let deadline = slot.deadline, let waiter = slot.waiter else { continue }
            expired.append(Expired(waiter: waiter, deadline: deadline))
            close(ticket)
        }
        return expired
    }

    /// When the next wait is to end; `nil` when none has a deadline.
    var next: Duration? {
        mutating get {
            while let alarm = alarms.first {
                guard isOpen(alarm.ticket) else {
                    _ = pop()
                    continue
                }
                guard let deadline = slots[alarm.ticket.slot].deadline, deadline > alarm.time else { return alarm.time }
                _ = pop()
                push(Alarm(time: deadline, ticket: alarm.ticket))
            }
            return nil
        }
    }

    private func isOpen(_ ticket: Ticket) -> Bool { slots[ticket.slot].number == ticket.number }

    private mutating func close(_ ticket: Ticket) {
        slots[ticket.slot] = Slot(number: 0)
        free.append(ticket.slot)
        if count == 0 {
            alarms.removeAll(keepingCapacity: true)
        } else if alarms.count > 64 + 2 * count {
            let kept = alarms.filter { isOpen($0.ticket) }
            // What is sorted is a heap.
            alarms = kept.sorted { $0.time < $1.time }
        }
    }

    private mutating func push(_ alarm: Alarm) {
        var index = alarms.count
        alarms.append(alarm)
        while index > 0 {
            let parent = (index - 1) / 2
            guard alarms[index].time < alarms[parent].time else { return }
            alarms.swapAt(index, parent)
            index = parent
        }
    }

    private mutating func pop() -> Alarm {
        alarms.swapAt(0, alarms.count - 1)
        let alarm = alarms.removeLast()
        var index = 0
        while true {
            let left = 2 * index + 1
            guard left < alarms.count else { return alarm }
            let right = left + 1
            let child = right < alarms.count && alarms[right].time < alarms[left].time ? right : left
            guard alarms[child].time < alarms[index].time else { return alarm }
            alarms.swapAt(index, child)
            index = child
        }
    }
}
