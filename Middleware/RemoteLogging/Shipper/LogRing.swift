/// A queue in an array that is used in the round, and grows when it is full.
struct LogRing<Element> {
    private var slots: ContiguousArray<Element?> = []
    private var head = 0
    private(set) var count = 0

    /// The element that was added first.
    var first: Element? {
        count == 0 ? nil : slots[head]
    }

    mutating func append(_ element: consuming Element) {
        if count == slots.count { grow() }
        var index = head + count
        if index >= slots.count { index -= slots.count }
        slots[index] = element
        count += 1
    }

    mutating func popFirst() -> Element? {
        guard count > 0 else { return nil }
        let element = slots[head].take()
        head += 1
        if head == slots.count { head = 0 }
        count -= 1
        return element
    }

    private mutating func grow() {
        var larger: ContiguousArray<Element?> = []
        larger.reserveCapacity(max(16, slots.count * 2))
        for offset in 0..<count { larger.append(slots[(head + offset) % slots.count].take()) }
        for _ in count..<larger.capacity { larger.append(nil) }
        slots = larger
        head = 0
    }
}

extension LogRing: Sendable where Element: Sendable {}
