/// The scheduled alarms: a slot for each, and a heap of entries, soonest first.
///
/// Removing an alarm leaves its entry in the heap, to be skipped later. Most deadlines are far off when their call
/// ends, so many entries are dropped together at almost no cost.
struct DeadlineTable<Waiter: Sendable>: Sendable {
    /// Identifies an alarm; it has no effect once the alarm has fired or was removed.
    struct AlarmID: Sendable, Hashable {
        fileprivate let slot: Int
        fileprivate let number: Int
    }

    private struct Slot {
        let number: Int
        var deadline: Duration
        /// The time of the alarm's only valid entry in the heap; its other entries are skipped.
        var entry: Duration
        let waiter: Waiter
    }

    private struct Entry {
        let time: Duration
        let id: AlarmID
    }

    private var slots: [Slot?] = []
    private var free: [Int] = []
    private var entries: [Entry] = []
    private var lastNumber = 0

    /// The number of scheduled alarms.
    var count: Int { slots.count - free.count }

    /// The number of entries, including those to be skipped.
    var entryCount: Int { entries.count }

    /// Adds an alarm.
    mutating func add(_ waiter: Waiter, at deadline: Duration) -> AlarmID {
        lastNumber += 1
        let id = AlarmID(slot: free.popLast() ?? slots.count, number: lastNumber)
        if id.slot == slots.count { slots.append(nil) }
        slots[id.slot] = Slot(number: lastNumber, deadline: deadline, entry: deadline, waiter: waiter)
        push(Entry(time: deadline, id: id))
        return id
    }

    /// Moves an alarm to another time.
    mutating func move(_ id: AlarmID, to deadline: Duration) {
        guard var slot = slot(of: id) else { return }
        slot.deadline = deadline
        // An entry that is too early is reinserted when it is due.
        if deadline < slot.entry {
            slot.entry = deadline
            push(Entry(time: deadline, id: id))
        }
        slots[id.slot] = slot
    }

    /// Removes an alarm.
    ///
    /// - Returns: Whether the alarm existed.
    @discardableResult
    mutating func remove(_ id: AlarmID) -> Bool {
        guard slot(of: id) != nil else { return false }
        close(id)
        return true
    }

    /// Removes the alarms that are due.
    ///
    /// - Returns: Their waiters, soonest first.
    mutating func expire(at now: Duration) -> [Waiter] {
        var expired: [Waiter] = []
        while let time = next, time <= now {
            let id = pop().id
            guard let slot = slot(of: id) else { continue }
            expired.append(slot.waiter)
            close(id)
        }
        return expired
    }

    /// The time of the next alarm, or `nil` if there is none.
    var next: Duration? {
        mutating get {
            while let entry = entries.first {
                guard var slot = slot(of: entry.id), slot.entry == entry.time else {
                    _ = pop()
                    continue
                }
                guard slot.deadline > entry.time else { return entry.time }
                _ = pop()
                slot.entry = slot.deadline
                slots[entry.id.slot] = slot
                push(Entry(time: slot.deadline, id: entry.id))
            }
            return nil
        }
    }

    private func slot(of id: AlarmID) -> Slot? {
        guard let slot = slots[id.slot], slot.number == id.number else { return nil }
        return slot
    }

    private mutating func close(_ id: AlarmID) {
        slots[id.slot] = nil
        free.append(id.slot)
        if count == 0 {
            entries.removeAll(keepingCapacity: true)
        } else if entries.count > 64 + 2 * count {
            let kept = entries.filter { slot(of: $0.id)?.entry == $0.time }
            // A sorted array is a heap.
            entries = kept.sorted { $0.time < $1.time }
        }
    }

    private mutating func push(_ entry: Entry) {
        var index = entries.count
        entries.append(entry)
        while index > 0 {
            let parent = (index - 1) / 2
            guard entries[index].time < entries[parent].time else { return }
            entries.swapAt(index, parent)
            index = parent
        }
    }

    private mutating func pop() -> Entry {
        entries.swapAt(0, entries.count - 1)
        let entry = entries.removeLast()
        var index = 0
        while true {
            let left = 2 * index + 1
            guard left < entries.count else { return entry }
            let right = left + 1
            let child = right < entries.count && entries[right].time < entries[left].time ? right : left
            guard entries[child].time < entries[index].time else { return entry }
            entries.swapAt(index, child)
            index = child
        }
    }
}
