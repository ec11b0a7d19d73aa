import HTTPChainCore

/// The time limit for a step of a stage under test that should take no time.
///
/// It is counted in turns of the shared thread pool instead of seconds. On a small machine that runs a thousand tests
/// concurrently, a clock can't distinguish a call that hangs from one that is waiting for its turn. A turn here is
/// queued behind everything that was ready before it, including the stage under test, so a stage that makes progress
/// has had as many turns.
struct Patience: Sendable {
    /// The number of turns.
    var turns = 300
    /// The pause between two turns, so that waiting tests don't take time from working ones.
    var pause: Duration = .milliseconds(100)
    var clock: any TimeSource = SystemTime()

    /// The shortest possible time, on an idle machine.
    var length: Duration { pause * turns }

    init() {}

    /// Creates a limit with as many turns as fit the given time on an idle machine.
    init(lasting length: Duration) {
        turns = Int(max(1, min((length / pause).rounded(.up), 1_000_000_000)))
    }

    /// Returns when the limit is reached.
    ///
    /// - Throws: `CancellationError` as soon as the task is cancelled.
    func runOut() async throws {
        for _ in 0..<turns { try await clock.sleep(for: pause) }
    }

    /// Waits for an event until the limit is reached.
    ///
    /// - Returns: The value of the event; `nil` if the limit was reached first.
    func wait<Value: Sendable>(for event: @escaping @Sendable () async throws -> Value) async throws -> Value? {
        try await withThrowingTaskGroup(of: Value?.self) { group in
            group.addTask { try await event() }
            group.addTask {
                try await runOut()
                return nil
            }
            defer { group.cancelAll() }
            return try await group.next() ?? nil
        }
    }

    /// Gives tasks that a call has left behind a chance to end.
    ///
    /// - Returns: Whether they ended.
    func settle(_ isSettled: () -> Bool) async throws -> Bool {
        // Most tasks need only one or two turns, without a pause.
        for _ in 0..<100 {
            if isSettled() { return true }
            try Task.checkCancellation()
            await Task.yield()
        }
        for _ in 0..<min(turns, 20) {
            if isSettled() { return true }
            try await clock.sleep(for: pause)
        }
        return isSettled()
    }
}
