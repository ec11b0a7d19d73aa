import HTTPChainCore
import HTTPChainSupport

/// The waiting calls, ordered by priority and then by arrival.
package struct PriorityQueue<Element: Sendable>: Sendable {
    private struct Entry: Sendable {
        let id: UInt64
        let element: Element
    }

    /// The place of a call in the queue.
    package struct Place: Sendable {
        package let id: UInt64
        /// The call that was removed to make room: the most recent one of the lowest priority.
        package var replaced: Element?
    }

    private var rows: [[Entry]]
    package private(set) var count = 0
    private var lastID: UInt64 = 0
    private let limit: Int

    package init(limit: Int) {
        self.limit = max(0, limit)
        rows = CallPriority.allCases.map { _ in [] }
    }

    /// Adds a call if there is room for its priority.
    ///
    /// Calls of a priority, together with those of lower priorities, may fill only a share of the queue, so that there
    /// is room for higher priorities. If the queue is full, calls of higher priority replace those of lower priority.
    ///
    /// - Returns: The call's place; `nil` if the queue is full.
    package mutating func add(_ element: Element, _ priority: CallPriority) -> Place? {
        let row = priority.rawValue
        let upToHere = rows[...row].reduce(0) { $0 + $1.count }
        if count < limit, Double(upToHere) < Double(limit) * priority.queueShare {
            return Place(id: append(element, row))
        }
        guard let victimRow = rows.indices.first(where: { !rows[$0].isEmpty }), victimRow < row,
            let victim = rows[victimRow].popLast()
        else { return nil }
        count -= 1
        return Place(id: append(element, row), replaced: victim.element)
    }

    private mutating func append(_ element: Element, _ row: Int) -> UInt64 {
        lastID += 1
        count += 1
        rows[row].append(Entry(id: lastID, element: element))
        return lastID
    }

    /// Removes and returns the next call.
    package mutating func next() -> Element? {
        guard let row = rows.indices.last(where: { !rows[$0].isEmpty }) else { return nil }
        count -= 1
        return rows[row].removeFirst().element
    }

    /// Removes a call that no longer waits.
    package mutating func remove(_ id: UInt64, _ priority: CallPriority) {
        let row = priority.rawValue
        let index = rows[row].sortedIndex { $0.id >= id }
        guard index < rows[row].count, rows[row][index].id == id else { return }
        rows[row].remove(at: index)
        count -= 1
    }
}
