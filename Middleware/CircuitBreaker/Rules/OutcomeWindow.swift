import HTTPChainCore

/// Counts of completed calls by result, over a period or over the last calls.
///
/// It is a ring of cells and their sum. A call takes constant time for any window size, and nothing is allocated after
/// creation.
struct OutcomeWindow: Sendable {
    struct Counts: Sendable, Hashable {
        var calls = 0
        var failures = 0
        var slow = 0

        static func += (sum: inout Counts, other: Counts) {
            sum.calls += other.calls
            sum.failures += other.failures
            sum.slow += other.slow
        }

        static func -= (sum: inout Counts, other: Counts) {
            sum.calls -= other.calls
            sum.failures -= other.failures
            sum.slow -= other.slow
        }
    }

    /// The number of steps in which a time window moves.
    static let steps = 10

    private(set) var totals = Counts()
    private var cells: [Counts]
    private var current = 0
    /// The period of a cell; `nil` if each call has its own cell.
    private let width: Duration?
    /// The end of the current cell's period; `nil` before the first call.
    private var end: Duration?

    init(_ window: CircuitBreakerPolicy.Window) {
        switch window.bounded {
        case .time(let time):
            cells = Array(repeating: Counts(), count: Self.steps)
            width = time / Self.steps
        case .calls(let count):
            cells = Array(repeating: Counts(), count: count)
            width = nil
        }
    }

    mutating func record(isFailure: Bool, isSlow: Bool, at now: Duration) {
        if width == nil { step() } else { move(to: now) }
        let call = Counts(calls: 1, failures: isFailure ? 1 : 0, slow: isSlow ? 1 : 0)
        cells[current] += call
        totals += call
    }

    /// Removes expired cells.
    mutating func move(to now: Duration) {
        guard let width else { return }
        guard let end else {
            self.end = now + width
            return
        }
        guard now >= end else { return }
        if now >= end + width * Self.steps {
            clear()
            self.end = now + width
            return
        }
        var next = end
        while now >= next {
            step()
            next += width
        }
        self.end = next
    }

    private mutating func step() {
        current = current + 1 == cells.count ? 0 : current + 1
        totals -= cells[current]
        cells[current] = Counts()
    }

    mutating func clear() {
        for index in cells.indices { cells[index] = Counts() }
        totals = Counts()
        end = nil
    }
}
