/// One limit and since when it counts, on the scale of the clock's `elapsed`.
package struct Deadline: Sendable, Hashable {
    /// Longer than anybody waits (some 34,000 years), and small enough that a point in time can be added to it.
    package static let furthest = Duration.seconds(1 << 40 as Int64)

    package let scope: TimeoutScope
    package let limit: Duration
    package let start: Duration

    package init(_ scope: TimeoutScope, limit: Duration, start: Duration) {
        self.scope = scope
        self.limit = limit
        self.start = start
    }

    /// The instant at which time is up.
    package var instant: Duration { start + max(.zero, min(limit, Self.furthest)) }

    package func isOver(at now: Duration) -> Bool { instant <= now }

    /// The first of several deadlines; of two at once, the one given first.
    package static func first(_ deadlines: Deadline?...) -> Deadline? {
        var result: Deadline?
        for case let deadline? in deadlines where deadline.instant < result?.instant ?? .seconds(Int64.max) {
            result = deadline
        }
        return result
    }
}
