/// Lists that run through the slots of an index: each slot is in one list at most.
///
/// A list is named by its first slot, which its owner remembers.
struct SlotChains {
    private struct Link {
        var next: Int32 = -1
        var previous: Int32 = -1
    }
    private var links: [Link] = []

    mutating func reserve(_ count: Int) { links.reserveCapacity(count) }

    mutating func addSlot() { links.append(Link()) }

    /// The slot after this one; `nil` at the end.
    func next(_ slot: Int32) -> Int32? {
        let next = links[Int(slot)].next
        return next < 0 ? nil : next
    }

    /// The slot before this one; `nil` at the beginning.
    func previous(_ slot: Int32) -> Int32? {
        let previous = links[Int(slot)].previous
        return previous < 0 ? nil : previous
    }

    /// Puts a slot before the first of a list.
    mutating func insert(_ slot: Int32, before first: Int32?) {
        links[Int(slot)] = Link(next: first ?? -1, previous: -1)
        if let first { links[Int(first)].previous = slot }
    }

    /// Takes a slot out of its list.
    mutating func remove(_ slot: Int32) {
        let link = links[Int(slot)]
        if link.next >= 0 { links[Int(link.next)].previous = link.previous }
        if link.previous >= 0 { links[Int(link.previous)].next = link.next }
        links[Int(slot)] = Link()
    }
}
