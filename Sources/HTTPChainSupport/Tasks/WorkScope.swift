/// Marks a task that works for an owner, so that the owner recognizes calls made by that work.
///
/// The mark ends with the work. A task that outlives the work inherits the mark, but it has no effect.
final class WorkScope: Sendable {
    @TaskLocal private static var current: WorkScope?

    private let owner: ObjectIdentifier
    /// The number of the work, if the owner distinguishes several pieces of work.
    private let number: Int?
    private let outer: WorkScope?
    private let isOpen = Locked(true)

    private init(owner: ObjectIdentifier, number: Int?, inside outer: WorkScope?) {
        self.owner = owner
        self.number = number
        self.outer = outer
    }

    /// Whether the current task works for the owner, directly or indirectly.
    ///
    /// - Parameter number: The number of the work; any by default.
    static func isInside(_ owner: AnyObject, _ number: Int? = nil) -> Bool {
        let owner = ObjectIdentifier(owner)
        var scope = firstOpen(from: current)
        while let open = scope {
            if open.owner == owner, number == nil || open.number == number { return true }
            scope = firstOpen(from: open.outer)
        }
        return false
    }

    /// Runs work for an owner.
    static func run<Value: Sendable>(
        for owner: AnyObject,
        _ number: Int? = nil,
        _ work: @Sendable () async throws -> Value
    ) async rethrows -> Value {
        // Omits scopes that have ended. Otherwise they would accumulate, because a task that outlives its work may
        // start the next work, and so on.
        let scope = WorkScope(owner: ObjectIdentifier(owner), number: number, inside: firstOpen(from: current))
        defer { scope.isOpen.withLock { $0 = false } }
        return try await $current.withValue(scope) { try await work() }
    }

    private static func firstOpen(from scope: WorkScope?) -> WorkScope? {
        var scope = scope
        while let closed = scope, !closed.isOpen.withLock({ $0 }) { scope = closed.outer }
        return scope
    }
}
