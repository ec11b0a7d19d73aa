import HTTPChainCore

/// Whether and when a batch is sent again.
struct ExportRetries: Sendable {
    /// What to do next.
    enum Step: Sendable, Hashable {
        /// Wait, then send again; a wait that the receiver asked for is not cut short.
        case wait(Duration, isAsked: Bool)
        /// Enough.
        case giveUp
    }

    let base: Duration
    let cap: Duration
    let askedCap: Duration
    let attempts: Int
    /// The retries since the pauses last began anew.
    private var retries = 0
    /// How often the batch was sent without anybody knowing what became of it.
    private var doubts = 0

    init(_ settings: LogShipper.Settings) {
        base = settings.retryBase
        cap = settings.retryCap
        askedCap = settings.retryAfterCap
        attempts = settings.attempts
    }

    /// What follows a failure.
    ///
    /// - Parameters:
    ///   - asked: How long the receiver asks to wait.
    ///   - isAmbiguous: Whether it may have the batch.
    ///   - isUrgent: Whether somebody waits for the batch to be delivered, so that pauses do not grow.
    ///   - random: Where chance comes from; asked once for each pause.
    mutating func step(
        asked: Duration?,
        isAmbiguous: Bool,
        isUrgent: Bool,
        random: any RandomSource
    ) -> Step {
        if isAmbiguous { doubts += 1 }
        if doubts >= attempts { return .giveUp }
        retries += 1
        let drawn = longestWait(isUrgent: isUrgent) * random.double(in: 0...1)
        guard let asked = asked.map({ min($0, askedCap) }), asked >= drawn else {
            return .wait(drawn, isAsked: false)
        }
        return .wait(asked, isAsked: true)
    }

    /// Begins anew with short pauses.
    mutating func hurry() {
        retries = 0
    }

    private func longestWait(isUrgent: Bool) -> Duration {
        var wait = min(base, cap)
        guard !isUrgent else { return wait }
        for _ in 1..<max(2, retries) where retries > 1 {
            // Doubling stops at the cap, so that it cannot overflow.
            guard wait > .zero, cap > wait else { break }
            wait = min(wait * 2, cap)
        }
        return wait
    }
}
