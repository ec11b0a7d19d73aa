package import HTTPChainCore

/// Calls made and accepted in a window, and what follows for the next call.
package struct SheddingRules: Sendable {
    private static let steps = 12

    private let multiplier: Double
    private let width: Duration
    private var requests = [Int](repeating: 0, count: steps)
    private var accepts = [Int](repeating: 0, count: steps)
    private var current = 0
    private var end: Duration?
    /// Calls made in the window, those refused here included.
    package private(set) var requestCount = 0
    /// Calls that the server accepted in the window.
    package private(set) var acceptCount = 0

    package init(_ policy: LoadSheddingPolicy) {
        multiplier = policy.multiplier.isFinite ? max(1, policy.multiplier) : 2
        width = max(.milliseconds(12), policy.window.bounded) / Self.steps
    }

    /// The probability with which a call is refused.
    package var refusalProbability: Double {
        max(0, (Double(requestCount) - multiplier * Double(acceptCount)) / (Double(requestCount) + 1))
    }

    /// Counts a call, and decides whether it is made.
    package mutating func admit(at now: Duration, random: some RandomSource) -> Bool {
        move(to: now)
        let probability = refusalProbability
        requests[current] += 1
        requestCount += 1
        return probability <= 0 || random.double(in: 0...1) >= probability
    }

    /// Counts a call where none is refused; false where chance has to decide, and then it is not counted.
    package mutating func admitWithoutChance(at now: Duration) -> Bool {
        move(to: now)
        guard Double(requestCount) <= multiplier * Double(acceptCount) else { return false }
        requests[current] += 1
        requestCount += 1
        return true
    }

    /// The server took a call that was made at a time; it counts in the cell of that time, or in the current one where
    /// that is a later one.
    package mutating func accept(at now: Duration) {
        move(to: now)
        accepts[current] += 1
        acceptCount += 1
    }

    /// A call that was let through says nothing: it is as if it had not been made.
    package mutating func forget(at now: Duration) {
        move(to: now)
        guard requests[current] > 0 else { return }
        requests[current] -= 1
        requestCount -= 1
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
