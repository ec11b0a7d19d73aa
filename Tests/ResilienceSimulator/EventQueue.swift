/// What happens next, in order of time and, at the same time, in the order it was added.
///
/// A heap in memory of its own: the generic code of an array, which a debug build does not specialize, took most of the
/// time of a simulation.
final class EventQueue {
    typealias Event = SimulationEvent

    private struct Entry {
        let time: Double
        let number: Int
        let event: Event

        func isBefore(_ other: Entry) -> Bool { time < other.time || (time == other.time && number < other.number) }
    }

    private var heap: UnsafeMutablePointer<Entry>
    private var capacity = 4096
    private var count = 0
    private var added = 0

    init() {
        heap = .allocate(capacity: capacity)
    }

    deinit {
        heap.deallocate()
    }

    func add(_ event: Event, at time: Double) {
        added += 1
        if count == capacity { grow() }
        // Looked up once, because each access to a property is checked for exclusivity.
        let heap = self.heap
        // Entries that come later move down, until there is room where the new one belongs.
        var index = count
        count += 1
        while index > 0 {
            let parent = (index - 1) / 2
            // Of two at the same time the new one comes second.
            guard time < heap[parent].time else { break }
            heap[index] = heap[parent]
            index = parent
        }
        heap[index] = Entry(time: time, number: added, event: event)
    }

    func next() -> (time: Double, event: Event)? {
        guard count > 0 else { return nil }
        count -= 1
        let (heap, count) = (self.heap, count)
        let first = heap[0]
        let last = heap[count]
        var index = 0
        while 2 * index + 1 < count {
            var child = 2 * index + 1
            if child + 1 < count, heap[child + 1].isBefore(heap[child]) { child += 1 }
            guard heap[child].isBefore(last) else { break }
            heap[index] = heap[child]
            index = child
        }
        heap[index] = last
        return (first.time, first.event)
    }

    private func grow() {
        let larger = UnsafeMutablePointer<Entry>.allocate(capacity: 2 * capacity)
        larger.update(from: heap, count: count)
        heap.deallocate()
        heap = larger
        capacity *= 2
    }
}
