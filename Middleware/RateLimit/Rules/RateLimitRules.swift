import HTTPChainCore

/// The limits of one group as a value: the stage's buckets, and the server's limits.
package struct RateLimitRules: Sendable {
    /// The remaining number of a policy for one partition key, as last sent by the server and counted down since then.
    private struct Known: Sendable {
        let policy: String
        let partition: String
        var remaining: Int
        var reset: Duration
        /// Whether the server's last response for this policy was about this partition.
        ///
        /// The partition of a call is known only from its response. Until then, it is assumed to be the same as last
        /// time.
        var isLatest = true
    }

    private var cells: [CellRate]
    private var known: [Known] = []
    private var pausedUntil = Duration.zero
    /// The number of admitted calls without a response.
    ///
    /// The server's latest information doesn't include them.
    package private(set) var unanswered = 0

    package init(_ limits: [RateLimit]) {
        cells = limits.map(CellRate.init)
    }

    /// Whether there is neither a configured limit nor one from the server.
    package var isUnlimited: Bool { cells.isEmpty && known.isEmpty && pausedUntil == .zero }

    /// The wait of a call if no other calls are waiting.
    package func wait(for tokens: Int, at now: Duration) -> Duration {
        var wait = serverWait(for: tokens, at: now)
        for cell in cells { wait = max(wait, cell.wait(for: tokens, at: now)) }
        return wait
    }

    /// The wait of a call due to the server's limits.
    package func serverWait(for tokens: Int, at now: Duration) -> Duration {
        guard tokens > 0 else { return .zero }
        var wait = max(.zero, pausedUntil - now)
        for quota in known where quota.remaining <= 0 { wait = max(wait, quota.reset - now) }
        return wait
    }

    /// The wait of a call that joins the end of the queue.
    package func waitInQueue(for tokens: Int, at now: Duration) -> Duration {
        cells.reduce(serverWait(for: tokens, at: now)) { max($0, $1.waitInQueue(for: tokens, at: now)) }
    }

    /// Records that a call joined the queue.
    package mutating func enqueue(_ tokens: Int) {
        for index in cells.indices { cells[index].enqueue(tokens) }
    }

    /// Records that a call left the queue.
    package mutating func dequeue(_ tokens: Int) {
        for index in cells.indices { cells[index].dequeue(tokens) }
    }

    /// Admits a call if no other calls are waiting and the limits allow it.
    ///
    /// - Returns: Whether it was admitted.
    package mutating func takeIfReady(_ tokens: Int, at now: Duration) -> Bool {
        guard wait(for: tokens, at: now) <= .zero else { return false }
        take(tokens, at: now)
        return true
    }

    /// Admits a call.
    package mutating func take(_ tokens: Int, at now: Duration) {
        unanswered += 1
        guard tokens > 0 else { return }
        for index in cells.indices { cells[index].take(tokens, at: now) }
        if !known.isEmpty { countDown(tokens, at: now) }
    }

    private mutating func countDown(_ tokens: Int, at now: Duration) {
        guard tokens > 0 else { return }
        known.removeAll { $0.reset <= now }
        for index in known.indices where known[index].isLatest { known[index].remaining -= 1 }
    }

    /// Records the response to an admitted call.
    package mutating func finish() { unanswered -= 1 }

    /// Returns the tokens of a call that wasn't sent.
    package mutating func giveBack(_ tokens: Int) {
        unanswered -= 1
        guard tokens > 0 else { return }
        for index in cells.indices { cells[index].giveBack(tokens) }
        for index in known.indices where known[index].isLatest { known[index].remaining += 1 }
    }

    /// Updates the server's limits from a response.
    package mutating func learn(_ limits: ServerLimits, at now: Duration) {
        if let pause = limits.pause { pausedUntil = max(pausedUntil, now + pause) }
        for index in known.indices where limits.quotas.contains(where: { $0.policy == known[index].policy }) {
            known[index].isLatest = false
        }
        for quota in limits.quotas {
            let remaining = max(0, quota.remaining - max(0, unanswered))
            let reset = now + quota.reset
            let place = known.firstIndex { $0.policy == quota.policy && $0.partition == quota.partition }
            guard let index = place else {
                known.removeAll { $0.reset <= now }
                known.append(
                    Known(policy: quota.policy, partition: quota.partition, remaining: remaining, reset: reset)
                )
                if known.count > ServerLimits.maximumQuotas { known.removeFirst() }
                continue
            }
            // Responses may arrive out of order. Within one window, the smaller number is the newer one.
            let isSameWindow = known[index].reset > now && abs(known[index].reset, reset) < .seconds(2)
            known[index].remaining = isSameWindow ? min(known[index].remaining, remaining) : remaining
            known[index].reset = reset
            known[index].isLatest = true
        }
    }

    /// The tokens of each bucket, for display and tests.
    package func available(at now: Duration) -> [Int] { cells.map { $0.available(at: now) } }

    private func abs(_ one: Duration, _ two: Duration) -> Duration { one > two ? one - two : two - one }
}
