/// The calls of a registry that are running: a slot for each, which the call's name tells.
struct CallTable: Sendable {
    /// A call in its slot.
    struct Entry: Sendable {
        let id: CallID
        var subject: any CallSubject
        /// The task that performs the call; `nil` until it has begun, and when only the result goes on: the task has that,
        /// and would keep it in memory.
        var task: Task<ErasedResult, any Error>?
        var hasResult = false

        var info: CallInfo {
            let registration = subject.registration
            return CallInfo(id: id, value: subject.value, key: registration.key, tags: registration.tags)
        }
    }

    private var slots: [Entry?] = []
    private var free: [Int] = []
    private var lastNumber: UInt64 = 0

    init() {}

    /// The number of calls.
    var count: Int { slots.count - free.count }

    /// The calls, in no order.
    var entries: some Sequence<Entry> { slots.lazy.compactMap(\.self) }

    /// The calls in words, in no order.
    var infos: [CallInfo] { entries.map(\.info) }

    /// The call with a name; `nil` when it is over.
    subscript(_ id: CallID) -> Entry? {
        guard id.slot < slots.count, let entry = slots[id.slot], entry.id == id else { return nil }
        return entry
    }

    /// Adds a call.
    mutating func insert(_ subject: any CallSubject) -> CallID {
        lastNumber += 1
        guard let slot = free.popLast() else {
            let id = CallID(number: lastNumber, slot: slots.count)
            slots.append(Entry(id: id, subject: subject))
            return id
        }
        let id = CallID(number: lastNumber, slot: slot)
        slots[slot] = Entry(id: id, subject: subject)
        return id
    }

    /// Gives a call its task.
    ///
    /// - Returns: Whether the task is running, for all that is known: the call is not over, and has no result.
    mutating func attach(_ task: Task<ErasedResult, any Error>, to id: CallID) -> Bool {
        guard id.slot < slots.count, slots[id.slot]?.id == id, slots[id.slot]?.hasResult == false else { return false }
        slots[id.slot]?.task = task
        return true
    }

    /// A call goes on with its result.
    ///
    /// - Parameter subject: What it is found by from now on.
    /// - Returns: The call as it was; `nil` when it is over.
    mutating func goOn(_ id: CallID, as subject: any CallSubject) -> Entry? {
        guard let before = self[id] else { return nil }
        slots[id.slot] = Entry(id: id, subject: subject, hasResult: true)
        return before
    }

    /// Takes a call out.
    ///
    /// - Returns: The call; `nil` when it is over.
    mutating func remove(_ id: CallID) -> Entry? {
        guard let entry = self[id] else { return nil }
        slots[id.slot] = nil
        free.append(id.slot)
        return entry
    }

    /// Takes all calls out.
    mutating func removeAll() -> [Entry] {
        let all = Array(entries)
        slots = []
        free = []
        return all
    }
}
