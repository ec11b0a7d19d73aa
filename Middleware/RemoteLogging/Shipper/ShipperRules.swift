import HTTPChainCore

/// Decides whether and when a batch is retried.
struct ExportRetries: Sendable {
    /// The next step.
    enum Step: Sendable, Hashable {
        /// Waits, and then retries.
        ///
        /// A wait that the receiver requested isn't shortened.
        case wait(Duration, isAsked: Bool)
        /// Makes no more retries.
        case giveUp
    }

    private let settings: LogShipper.Settings
    /// The number of retries since the pauses were last reset.
    private var retries = 0
    /// The number of times that the batch was sent with unknown outcome.
    private var doubts = 0

    init(_ settings: LogShipper.Settings) {
        self.settings = settings
    }

    /// Returns the step that follows a failure.
    ///
    /// - Parameters:
    ///   - asked: The wait that the receiver requested.
    ///   - isAmbiguous: Whether the receiver may have the batch.
    ///   - isUrgent: Whether a flush is waiting for the batch, so that pauses don't grow.
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

/// Decides when the waiting records are sent as a batch.
struct BatchRule: Sendable, Hashable {
    enum Decision: Sendable, Hashable {
        /// Send the records now.
        case send
        /// Wait until this time, or until there is a full batch.
        case wait(until: Duration)
        /// There is nothing to send.
        case idle
    }

    let records: Int
    let bytes: Int
    let age: Duration

    /// Returns whether this is a full batch.
    func isFull(records: Int, bytes: Int) -> Bool {
        records >= self.records || bytes >= self.bytes
    }

    /// - Parameters:
    ///   - records: The number of waiting records.
    ///   - bytes: The size of the waiting records.
    ///   - since: A time before which none of the records were added.
    ///   - now: The current time.
    ///   - isUrgent: Whether a flush is waiting for the records.
    func decision(records: Int, bytes: Int, since: Duration, now: Duration, isUrgent: Bool) -> Decision {
        if records == 0 { return .idle }
        if isUrgent || isFull(records: records, bytes: bytes) || now - since >= age { return .send }
        return .wait(until: since + age)
    }
}
