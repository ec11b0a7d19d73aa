/// What happens next, in order of time and, at the same time, in the order it was added.
struct EventQueue<Event> {
    private struct Entry {
        let time: Double
        let number: Int
        let event: Event

        func isBefore(_ other: Entry) -> Bool { (time, number) < (other.time, other.number) }
    }

    private var heap: [Entry] = []
    private var count = 0

    mutating func add(_ event: Event, at time: Double) {
        count += 1
        heap.append(Entry(time: time, number: count, event: event))
        var index = heap.count - 1
        while index > 0, heap[index].isBefore(heap[(index - 1) / 2]) {
            heap.swapAt(index, (index - 1) / 2)
            index = (index - 1) / 2
        }
    }

    mutating func next() -> (time: Double, event: Event)? {
        guard let first = heap.first else { return nil }
        let last = heap.removeLast()
        guard !heap.isEmpty else { return (first.time, first.event) }
        heap[0] = last
        var index = 0
        while true {
            var least = index
            for child in [2 * index + 1, 2 * index + 2] where child < heap.count && heap[child].isBefore(heap[least]) {
                least = child
            }
            guard least != index else { return (first.time, first.event) }
            heap.swapAt(index, least)
            index = least
        }
    }
}
