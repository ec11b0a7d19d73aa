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

    /// Adds a record, which may cost less severe ones their place.
    ///
    /// - Parameters:
    ///   - record: The record.
    ///   - size: What it takes.
    ///   - displaced: Where the records that lost their place are counted.
    /// - Returns: Why it was not taken; `nil` when it was.
    mutating func add(
        _ record: LogRecord,
        size: Int,
        displaced: inout LogLevelCounts
    ) -> LogShipper.DropReason?

    /// Takes the oldest records out.
    ///
    /// - Parameters:
    ///   - count: How many at most.
    ///   - bytes: What they take together at most; a single larger record is taken nevertheless.
    mutating func next(_ count: Int, bytes: Int) -> LogQueueNext

    /// Takes out what was read for it.
    ///
    /// - Parameter reading: What came of a ``LogQueueNext/reading(_:)``, of which there is one at a time.
    mutating func take(_ reading: LogQueueReading) -> LogQueueBatch?

    /// Forgets records for good that were taken out before.
    ///
    /// - Returns: What is to be done for it where it may take long; `nil` for nothing.
    mutating func settle(_ batch: LogQueueBatch.Position) -> (@Sendable () -> Void)?

    /// Takes records back that were taken out before and will not be sent, as the shipper ends.
    ///
    /// - Returns: Whether the next process has them.
    mutating func giveBack(_ count: Int) -> Bool

    /// Gives up the records that wait, as the shipper ends.
    ///
    /// - Returns: Those that the next process does not have.
    mutating func abandon() -> LogLevelCounts
}

/// What there is to take out of a queue.
enum LogQueueNext: Sendable {
    case nothing
    case batch(LogQueueBatch)
    /// It has to be read first, which may take long: to be done where nobody waits for the queue.
    case reading(@Sendable () -> LogQueueReading)
}

/// What was read for a queue.
enum LogQueueReading: Sendable {
    /// Records, and where the next begin.
    case records([LogRecord], LogSpoolPosition)
    /// There is nothing beyond the record with this number.
    case end(after: Int)
    /// It could not be read now, and may be another time.
    case failed
}

/// Records that were taken out of a queue together.
struct LogQueueBatch: Sendable {
    /// Where they stood.
    struct Position: Sendable, Hashable {
        /// The number of the first.
        let first: Int
        /// The number of the last.
        let last: Int
        /// Where the spool goes on after it; `nil` for records in memory.
        var spool: LogSpoolPosition?
    }

    let records: [LogRecord]
    let levels: LogLevelCounts
    let position: Position
}
