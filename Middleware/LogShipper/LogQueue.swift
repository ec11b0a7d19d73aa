import HTTPChainCore
package import HTTPChainRemoteLogging

/// A place where records wait until they are sent.
///
/// Records are numbered from 1 in the order in which they were added.
package protocol LogQueue: Sendable {
    /// The number of records that wait, or one more than are known of, as long as there may be one.
    var count: Int { get }
    /// The number of records that are known to wait.
    var queued: Int { get }
    /// The number of records that wait to be written down, and are not accepted before.
    var unwritten: Int { get }
    /// The number of records that an earlier process has left, as far as they were counted.
    var recovered: Int { get }
    /// The size of the records, in bytes.
    var bytes: Int { get }
    /// The number of the oldest record that waits; `nil` when none does.
    var oldest: Int? { get }
    /// The number of the latest record that was added; 0 before the first.
    var latest: Int { get }
    /// Whether later records may be sent while a batch waits before a retry.
    var letsPass: Bool { get }
    /// Why a record is lost that lost its place.
    var displacement: LogShipper.DropReason { get }

    /// Adds a record, which may cost less severe ones their place.
    ///
    /// - Parameters:
    ///   - record: The record.
    ///   - size: What it takes.
    ///   - displaced: Where the records that lost their place are counted.
    /// - Returns: Whether it was taken.
    mutating func add(_ record: LogRecord, size: Int, displaced: inout LogLevelCounts) -> LogQueueAddition

    /// Returns the next work that is to be done where nobody waits for the queue, one thing at a time; `nil` for
    /// nothing.
    mutating func nextWork() -> (@Sendable () -> any Sendable)?

    /// Takes note of what came of a work.
    mutating func finish(_ result: any Sendable) -> LogQueueProgress

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
    /// - Returns: Those that the next process does not have, and why they are lost.
    mutating func abandon() -> (LogLevelCounts, LogShipper.DropReason)

    /// Lets go of what the queue holds, once the shipper has ended.
    ///
    /// - Returns: What is to be done for it where it may take long; `nil` for nothing.
    func close() -> (@Sendable () -> Void)?
}

/// The result of adding a record to a queue.
package enum LogQueueAddition: Sendable, Hashable {
    case queued
    /// It waits to be written down first: there is work to be done.
    case unwritten
    case refused(LogShipper.DropReason)
}

/// The changes that a work has made to a queue.
package struct LogQueueProgress: Sendable {
    /// The number of records that were written down.
    package var accepted = 0
    /// The numbers of those that were not.
    package var refused: [Int] = []
    /// Why, by level.
    package var lost = LogShipper.Drops()

    package init() {}
}

/// The next thing to take out of a queue.
package enum LogQueueNext: Sendable {
    case nothing
    case batch(LogQueueBatch)
    /// It has to be read first, which may take long: to be done where nobody waits for the queue.
    case reading(@Sendable () -> LogQueueReading)
}

/// The result of reading for a queue.
package enum LogQueueReading: Sendable {
    /// Records, and where the next begin, in terms that only the queue knows.
    case records([LogRecord], end: any Sendable)
    /// There is nothing beyond the record with this number.
    case end(after: Int)
    /// It could not be read now, and may be another time.
    case failed
}

/// Records that were taken out of a queue together.
package struct LogQueueBatch: Sendable {
    /// The place of records in the queue.
    package struct Position: Sendable, Hashable {
        /// The number of the first.
        package let first: Int
        /// The number of the last.
        package let last: Int

        /// Tells the batch from others, where numbers do not.
        package let serial: Int

        package init(first: Int, last: Int, serial: Int = 0) {
            self.first = first
            self.last = last
            self.serial = serial
        }
    }

    package let records: [LogRecord]
    package let levels: LogLevelCounts
    package let position: Position

    package init(records: [LogRecord], levels: LogLevelCounts, position: Position) {
        self.records = records
        self.levels = levels
        self.position = position
    }
}

extension LogRecord {
    /// The size of the record in memory, by estimate: its texts and a fixed amount for each of its parts.
    package var estimatedSize: Int {
        var size = 96 + message.utf8.count + component.utf8.count
        // Not by way of the collection, which would retain and release each name and value.
        let attributes = attributes.attributes
        for index in attributes.indices {
            size += 48 + attributes[index].name.utf8.count + attributes[index].value.estimatedSize
        }
        return size
    }
}

extension JSONValue {
    /// The size of what is kept outside the value itself.
    fileprivate var estimatedSize: Int {
        switch self {
        case .null, .bool, .integer, .number: 0
        case .string(let text): text.utf8.count
        case .array(let elements): elements.reduce(32) { $0 + 24 + $1.estimatedSize }
        case .object(let members): members.reduce(64) { $0 + 64 + $1.key.utf8.count + $1.value.estimatedSize }
        }
    }
}
