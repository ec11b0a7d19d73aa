import HTTPChainCore

/// The state of a hedged call, which determines the next attempt and the result.
package struct HedgeRules: Sendable {
    /// A result of an attempt.
    package enum Outcome: Sendable, Hashable {
        /// A response or an error that is the result regardless of other attempts.
        case final
        /// A failure that another attempt may fix, with the delay that the server requested, if any.
        case nonFatal(pushback: Duration?)
    }

    /// The next step of a call.
    package enum Step: Sendable, Hashable {
        /// Makes another attempt.
        case attempt
        /// Waits for an attempt in flight, and makes another at this time; `nil` to wait without a limit.
        case wait(until: Duration?)
        /// Finishes with the result of the attempt with this index.
        case finish(Int)
    }

    private let limit: Int
    private let delay: Duration?
    /// The number of attempts.
    private(set) var begun = 0
    private var nextAt: Duration?
    private var inFlight: Set<Int> = []
    private var winner: Int?
    private var lastFailure: Int?

    /// - Parameters:
    ///   - attempts: The maximum number of attempts.
    ///   - delay: The time between attempts; `nil` if only failures lead to another.
    package init(attempts: Int, delay: Duration?) {
        limit = min(max(1, attempts), 10)
        self.delay = delay
    }

    /// Whether only a failure leads to another attempt, so that the first one runs alone.
    package var needsFailure: Bool { delay == nil }

    /// Whether an attempt is in flight.
    package var hasAttemptInFlight: Bool { !inFlight.isEmpty }

    /// Returns the next step.
    ///
    /// ``Step/attempt`` must be followed by ``begin(at:)`` or, without a budget, ``stop()``.
    package func step(at now: Duration) -> Step {
        if let winner { return .finish(winner) }
        guard begun < limit else { return whenNoMore }
        if begun == 0 { return .attempt }
        guard let nextAt else { return whenNoMore }
        return now >= nextAt ? .attempt : .wait(until: nextAt)
    }

    private var whenNoMore: Step {
        if inFlight.isEmpty, let lastFailure { return .finish(lastFailure) }
        return .wait(until: nil)
    }

    /// Begins an attempt.
    ///
    /// - Returns: The index of the attempt.
    package mutating func begin(at now: Duration) -> Int {
        defer { begun += 1 }
        inFlight.insert(begun)
        nextAt = delay.map { now + $0 }
        return begun
    }

    /// Prevents further attempts.
    package mutating func stop() { nextAt = nil }

    /// Records the end of an attempt.
    package mutating func end(_ index: Int, _ outcome: Outcome, at now: Duration) {
        inFlight.remove(index)
        switch outcome {
        case .final:
            if winner == nil { winner = index }
        case .nonFatal(let pushback):
            lastFailure = index
            // The next attempt is made immediately, or after the requested delay if another attempt is then still in
            // flight.
            nextAt = now + (pushback ?? .zero)
            if let pushback, pushback > .zero, inFlight.isEmpty { nextAt = nil }
        }
    }
}
