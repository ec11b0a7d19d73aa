/// A limit and its start, on the scale of the clock's `elapsed`.
package struct Deadline: Sendable, Hashable {
    /// Longer than any wait (some 34,000 years), and small enough to be added to a point in time.
    package static let furthest = Duration.seconds(1 << 40 as Int64)

    package let scope: TimeoutScope
    package let limit: Duration
    package let start: Duration

    package init(_ scope: TimeoutScope, limit: Duration, start: Duration) {
        self.scope = scope
        self.limit = limit
        self.start = start
    }

    /// The time of the deadline.
    package var instant: Duration { start + max(.zero, min(limit, Self.furthest)) }

    package func isOver(at now: Duration) -> Bool { instant <= now }

    /// Returns the first of several deadlines; of two at the same time, the first argument.
    package static func first(_ deadlines: Deadline?...) -> Deadline? {
        var result: Deadline?
        for case let deadline? in deadlines where deadline.instant < result?.instant ?? .seconds(Int64.max) {
            result = deadline
        }
        return result
    }
}
