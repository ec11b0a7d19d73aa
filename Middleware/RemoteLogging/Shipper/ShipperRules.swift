import HTTPChainCore

/// Decides whether and when a batch is retried.
struct ExportRetries: Sendable {
    /// The next step.
    enum Step: Sendable, Hashable {
        /// Wait, then retry.
        ///
        /// A wait that the receiver requested isn't cut short.
        case wait(Duration, isAsked: Bool)
        /// No more retries.
        case giveUp
    }

    private let settings: LogShipper.Settings
    /// The retries since the pauses were last reset.
    private var retries = 0
    /// The number of times the batch was sent with unknown results.
    private var doubts = 0

    init(_ settings: LogShipper.Settings) {
        self.settings = settings
    }

    /// Returns the step that follows a failure.
    ///
    /// - Parameters:
    ///   - asked: The wait that the receiver requested.
    ///   - isAmbiguous: Whether the receiver may have the batch.
    ///   - isUrgent: Whether a flush waits for the batch, so that pauses don't grow.
    ///   - random: The random source, used once for each pause.
    mutating func step(
        asked: Duration?,
        isAmbiguous: Bool,
        isUrgent: Bool,
        random: any RandomSource
    ) -> Step {
        if isAmbiguous { doubts += 1 }
        if doubts >= settings.attempts { return .giveUp }
        retries += 1
        let drawn = Backoff(base: settings.retryBase, cap: settings.retryCap)
            .wait(beforeRetry: isUrgent ? 1 : retries, times: 0...1, random: random)
        guard let asked = asked.map({ min($0, settings.retryAfterCap) }), asked >= drawn else {
            return .wait(drawn, isAsked: false)
        }
        return .wait(asked, isAsked: true)
    }

    /// Resets the pauses.
    mutating func hurry() {
        retries = 0
    }
}

/// Decides when the waiting records make a batch.
struct BatchRule: Sendable, Hashable {
    enum Decision: Sendable, Hashable {
        /// Send now.
        case send
        /// Wait until this time, unless there is a full batch before.
        case wait(until: Duration)
        /// There is nothing to send.
        case idle
    }

    let records: Int
    let bytes: Int
    let age: Duration

    /// Whether this is a full batch.
    func isFull(records: Int, bytes: Int) -> Bool {
        records >= self.records || bytes >= self.bytes
    }

    /// - Parameters:
    ///   - records: The number of waiting records.
    ///   - bytes: The size of the waiting records.
    ///   - since: A point in time before which none of them was added.
    ///   - now: The current time.
    ///   - isUrgent: Whether a flush waits for them.
    func decision(records: Int, bytes: Int, since: Duration, now: Duration, isUrgent: Bool) -> Decision {
        if records == 0 { return .idle }
        if isUrgent || isFull(records: records, bytes: bytes) || now - since >= age { return .send }
        return .wait(until: since + age)
    }
}
