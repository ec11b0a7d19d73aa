import HTTPChainCore

/// How long a stage under test may take for a step that needs no time at all.
///
/// It is counted in turns of the pool of threads that all tests share, and not in seconds: on a small machine, with a
/// thousand tests at the same time, a call that hangs and a call that is waiting for its turn look alike to a clock.
/// Whoever waits for a turn here waits behind everything that was ready before, the stage under test among it, so that
/// a stage which goes on at all has had its turn as often.
struct Patience: Sendable {
    /// How many turns.
    var turns = 300
    /// The pause between two turns; it keeps those who wait from taking the time of those who work.
    var pause: Duration = .milliseconds(100)
    var clock: any TimeSource = SystemTime()

    /// The time that it takes at least, on a machine that has nothing else to do.
    var length: Duration { pause * turns }

    init() {}

    /// As many turns as fit a time in which nothing else is to be done.
    init(lasting length: Duration) {
        turns = Int(max(1, min((length / pause).rounded(.up), 1_000_000_000)))
    }

    /// Returns when patience has run out.
    ///
    /// - Throws: `CancellationError` as soon as the task is cancelled.
    func runOut() async throws {
        for _ in 0..<turns { try await clock.sleep(for: pause) }
    }

    /// Gives tasks that a call left behind the chance to end.
    ///
    /// - Returns: Whether they have ended.
    func settle(_ isSettled: () -> Bool) async throws -> Bool {
        // Most need a turn or two and no pause.
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
