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
