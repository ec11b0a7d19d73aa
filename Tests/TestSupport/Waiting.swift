import Foundation
import HTTPChainCore

/// Returns once a condition holds for which nobody can be told to wait.
///
/// Use it for a state of code under test that gives no signal: a count of waiters, the bytes in a file, what another
/// task wrote down. Where there is a signal (``Gate``, `Watched`, `VirtualClock.waitForSleepers`), wait for that.
///
/// There is no limit: the time limit of the test guards against a hang, and its failure then names `what`. After a few
/// yields the thread is left to others, so that a test that waits does not take the time of those that work.
///
/// - Parameters:
///   - what: What is waited for, as it completes "waited in vain for ...".
///   - isolation: The actor that the condition is asked on: the caller's.
///   - condition: Asked again and again, and once more when the test is cancelled.
/// - Throws: ``WaitedInVain`` when the test is cancelled first, as it is when its time limit has passed.
package func until(
    _ what: @autoclosure () -> String = "a condition",
    isolation: isolated (any Actor)? = #isolation,
    _ condition: () async throws -> Bool
) async throws {
    var pause = Duration.microseconds(100)
    var count = 0
    while try await !condition() {
        guard !Task.isCancelled else { throw WaitedInVain(what()) }
        count += 1
        if count < 16 {
            await Task.yield()
        } else {
            try? await Task.sleep(for: pause)
            pause = min(pause * 2, .milliseconds(10))
        }
    }
}

/// What a test waited for did not come before the test was cancelled.
package struct WaitedInVain: Error, CustomStringConvertible {
    package let what: String

    package init(_ what: String) {
        self.what = what
    }

    package var description: String { "waited in vain for \(what)" }
}

/// A number that several tasks count up and a test waits for.
package final class Counter: Sendable {
    private let count = Watched(0)

    package init() {}

    package var value: Int { count.value }

    /// Adds one and returns the new count.
    @discardableResult
    package func add() -> Int {
        count.update { count in
            count += 1
            return count
        }
    }

    /// Waits until it has come so far.
    package func wait(until value: Int) async throws {
        try await count.wait { $0 >= value ? () : nil }
    }
}

/// Things that happened, in order, for a test to wait for.
package final class Events<Element: Sendable>: Sendable {
    private struct State {
        var all: [Element] = []
        var taken = 0
    }
    private let state = Watched(State())

    package init() {}

    package func add(_ element: Element) {
        state.update { $0.all.append(element) }
    }

    /// Everything that has happened so far.
    package var all: [Element] { state.value.all }

    /// The next thing that happens, or has happened and was not taken yet.
    package func next() async throws -> Element {
        try await state.wait { state in
            guard state.taken < state.all.count else { return nil }
            state.taken += 1
            return state.all[state.taken - 1]
        }
    }

    /// Waits until so much has happened.
    package func wait(until count: Int) async throws {
        try await state.wait { $0.all.count >= count ? () : nil }
    }
}
