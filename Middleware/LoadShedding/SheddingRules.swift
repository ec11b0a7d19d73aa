package import HTTPChainCore

/// Counts the completed and accepted calls in a window, and decides whether to refuse the next call.
///
/// Calls in flight don't count yet, because many concurrent calls at a program's start don't indicate an overload.
package struct SheddingRules: Sendable {
    private let multiplier: Double
    private let minimumCalls: Int
    /// The completed calls.
    ///
    /// Those that were refused, here or by the server, count as failures.
    private var window: OutcomeWindow

    package init(_ policy: LoadSheddingPolicy) {
        multiplier = policy.multiplier
        minimumCalls = policy.minimumCalls
        window = OutcomeWindow(period: max(.milliseconds(12), policy.window.bounded), steps: 12)
    }

    /// The number of calls completed in the window, including those refused here.
    package var requestCount: Int { window.totals.calls }
    /// The number of calls accepted by the server in the window.
    package var acceptCount: Int { requestCount - window.totals.failures }

    /// The probability of a refusal.
    package var refusalProbability: Double {
        guard requestCount >= minimumCalls else { return 0 }
        return max(0, (Double(requestCount) - multiplier * Double(acceptCount)) / (Double(requestCount) + 1))
    }

    /// Returns whether calls are currently admitted without exception.
    ///
    /// Otherwise the decision is random.
    package mutating func admitsAll(at now: Duration) -> Bool {
        window.move(to: now)
        return requestCount < minimumCalls || Double(requestCount) <= multiplier * Double(acceptCount)
    }

    /// Decides whether a call is made, and counts it if it isn't.
    package mutating func admit(at now: Duration, random: some RandomSource) -> Bool {
        if admitsAll(at: now) || random.double(in: 0...1) >= refusalProbability { return true }
        count(isAccepted: false, at: now)
        return false
    }

    /// Records a completed call, accepted by the server or not.
    package mutating func count(isAccepted: Bool, at now: Duration) {
        window.record(isFailure: !isAccepted, at: now)
    }
}
