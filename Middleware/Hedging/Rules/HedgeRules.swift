import HTTPChainCore

/// One hedged call as a value: when the next attempt is made, and when there is a result.
package struct HedgeRules: Sendable {
    /// A result of an attempt.
    package enum Outcome: Sendable, Hashable {
        /// A response, or an error, that is the result whatever else is in flight.
        case final
        /// A failure that another attempt may mend; with the time that the server asks to be left alone.
        case nonFatal(pushback: Duration?)
    }

    /// The next step of a call.
    package enum Step: Sendable, Hashable {
        /// Make another attempt.
        case attempt
        /// Wait for an attempt in flight, and no longer than until then for another one to be made; `nil` for as long as
        /// it takes.
        case wait(until: Duration?)
        /// The attempt with this index is the result.
        case finish(Int)
    }

    private let limit: Int
    private let delay: Duration?
    private var begun = 0
    private var nextAt: Duration?
    private var inFlight: Set<Int> = []
    private var winner: Int?
    private var lastFailure: Int?

    /// - Parameters:
    ///   - attempts: How many attempts may be made.
    ///   - delay: How long each has before the next is made; `nil` when only failures lead to another.
    package init(attempts: Int, delay: Duration?) {
        limit = min(max(1, attempts), 10)
        self.delay = delay
    }

    /// Whether only a failure leads to another attempt, so that the first is alone until it has ended.
    package var needsFailure: Bool { delay == nil }

    /// Returns the next step; ``Step/attempt`` is to be followed by ``begin(at:)`` or, where there is no budget,
    /// ``stop()``.
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

    /// An attempt begins.
    ///
    /// - Returns: Its index.
    package mutating func begin(at now: Duration) -> Int {
        defer { begun += 1 }
        inFlight.insert(begun)
        nextAt = delay.map { now + $0 }
        return begun
    }

    /// No more attempts may be made.
    package mutating func stop() { nextAt = nil }

    /// An attempt ended.
    package mutating func end(_ index: Int, _ outcome: Outcome, at now: Duration) {
        inFlight.remove(index)
        switch outcome {
        case .final:
            if winner == nil { winner = index }
        case .nonFatal(let pushback):
            lastFailure = index
            // At once, unless the server asks for a pause: then when it is over, if something else is awaited till then.
            nextAt = now + (pushback ?? .zero)
            if let pushback, pushback > .zero, inFlight.isEmpty { nextAt = nil }
        }
    }
}
