/// Linked lists of the slots of an index; each slot is in at most one list.
///
/// A list is identified by its first slot, which its owner keeps.
struct SlotChains {
    private struct Link {
        var next: Int32 = -1
        var previous: Int32 = -1
    }
    private var links = Chunks<Link>()

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

    /// Inserts a slot before the first one of a list.
    mutating func insert(_ slot: Int32, before first: Int32?) {
        links[Int(slot)] = Link(next: first ?? -1, previous: -1)
        if let first { links[Int(first)].previous = slot }
    }

    /// Removes a slot from its list.
    mutating func remove(_ slot: Int32) {
        let link = links[Int(slot)]
        if link.next >= 0 { links[Int(link.next)].previous = link.previous }
        if link.previous >= 0 { links[Int(link.previous)].next = link.next }
        links[Int(slot)] = Link()
    }
}

/// A list that grows in chunks; its elements never move, so that each append takes constant time.
struct Chunks<Element> {
    private static var size: Int { 1024 }

    private(set) var count = 0
    private var chunks: [[Element]] = []

    subscript(index: Int) -> Element {
        _read { yield chunks[index / Self.size][index % Self.size] }
        _modify { yield &chunks[index / Self.size][index % Self.size] }
    }

    mutating func append(_ element: Element) {
        if count % Self.size == 0 {
            var chunk: [Element] = []
            chunk.reserveCapacity(Self.size)
            chunks.append(chunk)
        }
        chunks[count / Self.size].append(element)
        count += 1
    }
}

extension Chunks: Sendable where Element: Sendable {}

/// A hash table of slots; it is divided into many small tables, so that growing moves only a few slots.
struct SlotTable: Sendable {
    private static let count = 256
    private var tables = [[UInt64: Int32]](repeating: [:], count: count)

    private static func table(of hash: UInt64) -> Int { Int(hash % UInt64(count)) }

    subscript(hash: UInt64) -> Int32? {
        get { tables[Self.table(of: hash)][hash] }
        set { tables[Self.table(of: hash)][hash] = newValue }
    }

    /// Sets the slot of a hash.
    ///
    /// - Returns: The previous slot.
    mutating func replace(_ slot: Int32?, for hash: UInt64) -> Int32? {
        let table = Self.table(of: hash)
        guard let slot else { return tables[table].removeValue(forKey: hash) }
        return tables[table].updateValue(slot, forKey: hash)
    }
}
