import HTTPChainCore

/// Marks the task that performs a refresh, so that its stage recognizes the requests that the refresh sends.
///
/// The mark ends with the work: a task that outlives the work inherits the mark, but without effect.
final class RefreshScope: Sendable {
    @TaskLocal private static var current: RefreshScope?

    private let owner: ObjectIdentifier
    private let outer: RefreshScope?
    private let isOpen = Locked(true)

    private init(owner: ObjectIdentifier, inside outer: RefreshScope?) {
        self.owner = owner
        self.outer = outer
    }

    /// Whether the current task works for the owner, directly or indirectly.
    static func isInside(_ owner: AnyObject) -> Bool {
        guard let current else { return false }
        return current.isInside(ObjectIdentifier(owner))
    }

    private func isInside(_ owner: ObjectIdentifier) -> Bool {
        (self.owner == owner && isOpen.withLock { $0 }) || outer?.isInside(owner) ?? false
    }

    /// Performs an owner's work.
    static func run<Value: Sendable>(
        for owner: AnyObject,
        _ work: @Sendable () async throws -> Value
    ) async rethrows -> Value {
        let scope = RefreshScope(owner: ObjectIdentifier(owner), inside: current)
        defer { scope.isOpen.withLock { $0 = false } }
        return try await $current.withValue(scope) { try await work() }
    }
}
