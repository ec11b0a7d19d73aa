/// The running calls of a registry, each in the slot given by its identifier.
struct CallTable: Sendable {
    /// A call in its slot.
    struct Entry: Sendable {
        let id: CallID
        var subject: any CallSubject
        /// The task that performs the call.
        ///
        /// `nil` before it begins, and once only the result remains, because the task would retain the result.
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

    /// The calls, unordered.
    var entries: some Sequence<Entry> { slots.lazy.compactMap(\.self) }

    /// Descriptions of the calls, unordered.
    var infos: [CallInfo] { entries.map(\.info) }

    /// The call with an identifier; `nil` if it has ended.
    subscript(_ id: CallID) -> Entry? {
        guard id.slot < slots.count, let entry = slots[id.slot], entry.id == id else { return nil }
        return entry
    }

    /// Adds a call.
    mutating func insert(_ subject: any CallSubject) -> CallID {
        lastNumber += 1
        let id = CallID(number: lastNumber, slot: free.popLast() ?? slots.count)
        if id.slot == slots.count { slots.append(nil) }
        slots[id.slot] = Entry(id: id, subject: subject)
        return id
    }

    /// Attaches the task to a call.
    ///
    /// - Returns: Whether the task may still be running: the call hasn't ended and has no result.
    mutating func attach(_ task: Task<ErasedResult, any Error>, to id: CallID) -> Bool {
        guard id.slot < slots.count, slots[id.slot]?.id == id, slots[id.slot]?.hasResult == false else { return false }
        slots[id.slot]?.task = task
        return true
    }

    /// Lets a call continue with its result.
    ///
    /// - Parameter subject: The subject by which the call is found from now on.
    /// - Returns: The previous entry; `nil` if the call has ended.
    mutating func goOn(_ id: CallID, as subject: any CallSubject) -> Entry? {
        guard let before = self[id] else { return nil }
        slots[id.slot] = Entry(id: id, subject: subject, hasResult: true)
        return before
    }

    /// Removes a call.
    ///
    /// - Returns: The call; `nil` if it has ended.
    mutating func remove(_ id: CallID) -> Entry? {
        guard let entry = self[id] else { return nil }
        slots[id.slot] = nil
        free.append(id.slot)
        return entry
    }

    /// Removes all calls.
    mutating func removeAll() -> [Entry] {
        let all = Array(entries)
        slots = []
        free = []
        return all
    }
}
