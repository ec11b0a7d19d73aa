/// A time limit and its start, on the scale of the clock's `elapsed`.
package struct Deadline: Sendable, Hashable {
    /// The longest limit (some 34,000 years), which is small enough to be added to a point in time.
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

    /// Returns the earliest of several deadlines; if some are at the same time, returns the one given first.
    package static func first(_ one: Deadline?, _ other: Deadline?, _ third: Deadline? = nil) -> Deadline? {
        earlier(earlier(one, other), third)
    }

    private static func earlier(_ one: Deadline?, _ other: Deadline?) -> Deadline? {
        guard let one, let other else { return one ?? other }
        return other.instant < one.instant ? other : one
    }
}
