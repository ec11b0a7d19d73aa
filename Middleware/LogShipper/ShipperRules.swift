import HTTPChainCore

/// Whether and when a batch is sent again.
struct ExportRetries: Sendable {
    /// The next step.
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

    /// Returns the step that follows a failure.
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
        let drawn = Backoff(base: base, cap: cap)
            .wait(beforeRetry: isUrgent ? 1 : retries, times: 0...1, random: random)
        guard let asked = asked.map({ min($0, askedCap) }), asked >= drawn else {
            return .wait(drawn, isAsked: false)
        }
        return .wait(asked, isAsked: true)
    }

    /// Begins anew with short pauses.
    mutating func hurry() {
        retries = 0
    }
}

/// When the records that wait make a batch.
struct BatchRule: Sendable, Hashable {
    enum Decision: Sendable, Hashable {
        /// Now.
        case send
        /// At this point in time, unless more of them make a full batch before.
        case wait(until: Duration)
        /// There is nothing to send.
        case idle
    }

    let records: Int
    let bytes: Int
    let age: Duration

    /// Whether this is as much as is sent at once.
    func isFull(records: Int, bytes: Int) -> Bool {
        records >= self.records || bytes >= self.bytes
    }

    /// - Parameters:
    ///   - records: How many wait.
    ///   - bytes: What they take.
    ///   - since: A point in time before which none of them came.
    ///   - now: The time.
    ///   - isUrgent: Whether somebody waits for them to be sent.
    func decision(records: Int, bytes: Int, since: Duration, now: Duration, isUrgent: Bool) -> Decision {
        if records == 0 { return .idle }
        if isUrgent || isFull(records: records, bytes: bytes) || now - since >= age { return .send }
        return .wait(until: since + age)
    }
}
