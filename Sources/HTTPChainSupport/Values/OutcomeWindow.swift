/// Counts completed calls by result, over a period or over the last calls.
///
/// It is a ring of cells, with their sum. Recording a call takes constant time for any window size, and nothing is
/// allocated after creation.
package struct OutcomeWindow: Sendable {
    package struct Counts: Sendable, Hashable {
        package var calls = 0
        package var failures = 0
        package var slow = 0

        package static func += (sum: inout Counts, other: Counts) {
            sum.calls += other.calls
            sum.failures += other.failures
            sum.slow += other.slow
        }

        package static func -= (sum: inout Counts, other: Counts) {
            sum.calls -= other.calls
            sum.failures -= other.failures
            sum.slow -= other.slow
        }
    }

    package private(set) var totals = Counts()
    private var cells: [Counts]
    private var current = 0
    /// The period of a cell; `nil` if each call has its own cell.
    private let width: Duration?
    /// The end of the current cell's period; `nil` before the first call.
    private var end: Duration?

    /// Creates a window of the last calls.
    package init(calls count: Int) {
        cells = Array(repeating: Counts(), count: count)
        width = nil
    }

    /// Creates a window of a period, which moves in steps.
    package init(period: Duration, steps: Int) {
        cells = Array(repeating: Counts(), count: steps)
        width = period / steps
    }

    package mutating func record(isFailure: Bool, isSlow: Bool = false, at now: Duration) {
        if width == nil { step() } else { move(to: now) }
        let call = Counts(calls: 1, failures: isFailure ? 1 : 0, slow: isSlow ? 1 : 0)
        cells[current] += call
        totals += call
    }

    /// Removes expired cells.
    package mutating func move(to now: Duration) {
        guard let width else { return }
        guard let end else {
            self.end = now + width
            return
        }
        guard now >= end else { return }
        if now >= end + width * cells.count {
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

    package mutating func clear() {
        for index in cells.indices { cells[index] = Counts() }
        totals = Counts()
        end = nil
    }
}
