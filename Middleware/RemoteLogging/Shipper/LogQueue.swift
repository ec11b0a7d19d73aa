/// Where records wait until they are sent.
///
/// Records are numbered from 1 in the order in which they were added.
protocol LogQueue: Sendable {
    /// How many records wait.
    var count: Int { get }
    /// What they take.
    var bytes: Int { get }
    /// The number of the oldest record that waits; `nil` when none does.
    var oldest: Int? { get }
    /// The number of the latest record that was added; 0 before the first.
    var latest: Int { get }

    /// Adds a record, which may cost less grave ones their place.
    ///
    /// - Parameters:
    ///   - record: The record.
    ///   - size: What it takes.
    ///   - displaced: Where the records that lost their place are counted.
    /// - Returns: Whether there was room.
    mutating func add(_ record: LogRecord, size: Int, displaced: inout LogLevelCounts) -> Bool

    /// Takes the oldest records out.
    ///
    /// - Parameters:
    ///   - count: How many at most.
    ///   - bytes: What they take together at most; a single larger record is taken all the same.
    mutating func next(_ count: Int, bytes: Int) -> LogQueueBatch?

    /// Forgets records for good that were taken out before.
    mutating func settle(_ batch: LogQueueBatch.Position)

    /// Gives up the records that wait, when the shipper ends.
    ///
    /// - Returns: Those that are lost by it.
    mutating func abandon() -> LogLevelCounts

    /// Whether records that were taken out and never settled are there again for the next process.
    var isDurable: Bool { get }
}

/// Records that were taken out of a queue together.
struct LogQueueBatch: Sendable {
    /// Where they stood.
    struct Position: Sendable, Hashable {
        /// The number of the first.
        let first: Int
        /// The number of the last.
        let last: Int
    }

    let records: [LogRecord]
    let levels: LogLevelCounts
    let position: Position
}
