package import HTTPChainCore

/// Counts the completed and accepted calls in a window, and decides about the next call.
///
/// Calls in flight don't count yet, because a program's first calls, all at once, don't indicate an overload.
package struct SheddingRules: Sendable {
    private static let steps = 12

    private let multiplier: Double
    private let minimumCalls: Int
    private let width: Duration
    private var requests = [Int](repeating: 0, count: steps)
    private var accepts = [Int](repeating: 0, count: steps)
    private var current = 0
    private var end: Duration?
    /// The number of calls completed in the window, including those refused here.
    package private(set) var requestCount = 0
    /// The number of calls accepted by the server in the window.
    package private(set) var acceptCount = 0

    package init(_ policy: LoadSheddingPolicy) {
        multiplier = policy.multiplier
        minimumCalls = policy.minimumCalls
        width = max(.milliseconds(12), policy.window.bounded) / Self.steps
    }

    /// The probability of a refusal.
    package var refusalProbability: Double {
        guard requestCount >= minimumCalls else { return 0 }
        return max(0, (Double(requestCount) - multiplier * Double(acceptCount)) / (Double(requestCount) + 1))
    }

    /// Whether no call is refused at this time; otherwise the decision is random.
    package mutating func admitsAll(at now: Duration) -> Bool {
        move(to: now)
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
        move(to: now)
        requests[current] += 1
        requestCount += 1
        guard isAccepted else { return }
        accepts[current] += 1
        acceptCount += 1
    }

    private mutating func move(to now: Duration) {
        guard var end else {
            self.end = now + width
            return
        }
        guard now >= end else { return }
        if now >= end + width * Self.steps {
            for index in requests.indices { (requests[index], accepts[index]) = (0, 0) }
            (requestCount, acceptCount) = (0, 0)
            self.end = now + width
            return
        }
        while now >= end {
            current = (current + 1) % Self.steps
            requestCount -= requests[current]
            acceptCount -= accepts[current]
            (requests[current], accepts[current]) = (0, 0)
            end += width
        }
        self.end = end
    }
}
