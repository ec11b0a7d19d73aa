import HTTPChainCore
package import HTTPChainRemoteLogging

/// A queue in which records wait until they are sent.
///
/// Records are numbered from 1 in the order in which they were added.
package protocol LogQueue: Sendable {
    /// The number of waiting records.
    ///
    /// If there may be uncounted records, this is one more than the number known.
    var count: Int { get }
    /// The number of records known to be waiting.
    var queued: Int { get }
    /// The number of records waiting to be written to disk.
    ///
    /// They count as accepted only once they are written.
    var unwritten: Int { get }
    /// The number of records left by an earlier process, as far as they have been counted.
    var recovered: Int { get }
    /// The size of the records, in bytes.
    var bytes: Int { get }
    /// The number of the oldest waiting record; `nil` if there is none.
    var oldest: Int? { get }
    /// The number of the record that was added last; 0 before the first.
    var latest: Int { get }
    /// Whether later records may be sent while an earlier batch is waiting to be retried.
    var letsPass: Bool { get }
    /// The drop reason for displaced records.
    var displacement: LogShipper.DropReason { get }

    /// Adds a record.
    ///
    /// It may displace less severe ones.
    ///
    /// - Parameters:
    ///   - record: The record.
    ///   - size: The record's size.
    ///   - displaced: The counts of displaced records.
    /// - Returns: Whether it was added.
    mutating func add(_ record: LogRecord, size: Int, displaced: inout LogLevelCounts) -> LogQueueAddition

    /// Returns the next piece of work, or `nil` if there is none.
    ///
    /// Only one piece may run at a time, and without blocking the queue.
    mutating func nextWork() -> (@Sendable () -> any Sendable)?

    /// Records the result of a piece of work.
    mutating func finish(_ result: any Sendable) -> LogQueueProgress

    /// Takes the oldest records out of the queue.
    ///
    /// - Parameters:
    ///   - count: The maximum number of records.
    ///   - bytes: The maximum total size. A single larger record is taken nevertheless.
    mutating func next(_ count: Int, bytes: Int) -> LogQueueNext

    /// Takes records that have been read out of the queue.
    ///
    /// - Parameter reading: The result of a ``LogQueueNext/reading(_:)``. Only one may be in progress at a time.
    mutating func take(_ reading: LogQueueReading) -> LogQueueBatch?

    /// Permanently discards records that were taken out.
    ///
    /// - Returns: Work for this that may take long, or `nil` if there is none.
    mutating func settle(_ batch: LogQueueBatch.Position) -> (@Sendable () -> Void)?

    /// Puts back records that were taken out and won't be sent because the shipper ends.
    ///
    /// - Returns: Whether the records remain for the next process.
    mutating func giveBack(_ count: Int) -> Bool

    /// Abandons the waiting records because the shipper ends.
    ///
    /// - Returns: The records that don't remain for the next process, and the reason why they are lost.
    mutating func abandon() -> (LogLevelCounts, LogShipper.DropReason)

    /// Releases the queue's resources after the shipper has ended.
    ///
    /// - Returns: Work for this that may take long, or `nil` if there is none.
    func close() -> (@Sendable () -> Void)?
}

/// The result of adding a record to a queue.
package enum LogQueueAddition: Sendable, Hashable {
    case queued
    /// The record must first be written to disk, so there is work to do.
    case unwritten
    case refused(LogShipper.DropReason)
}

/// The changes that a piece of work has made to a queue.
package struct LogQueueProgress: Sendable {
    /// The number of records written to disk.
    package var accepted = 0
    /// The numbers of the records that couldn't be written.
    package var refused: [Int] = []
    /// The records that couldn't be written, by reason and level.
    package var lost = LogShipper.Drops()

    package init() {}
}

/// The next step for taking records out of a queue.
package enum LogQueueNext: Sendable {
    case nothing
    case batch(LogQueueBatch)
    /// A batch that must first be read.
    ///
    /// This may take long, and must not block the queue.
    case reading(@Sendable () -> LogQueueReading)
}

/// The result of reading for a queue.
package enum LogQueueReading: Sendable {
    /// The records, and the position of the next ones in a form that only the queue understands.
    case records([LogRecord], end: any Sendable)
    /// Nothing follows the record with this number.
    case end(after: Int)
    /// Reading failed, but may succeed later.
    case failed
}

/// Records that were taken out of a queue together.
package struct LogQueueBatch: Sendable {
    /// The position of records in the queue.
    package struct Position: Sendable, Hashable {
        /// The number of the first record.
        package let first: Int
        /// The number of the last record.
        package let last: Int

        /// A number that distinguishes batches with the same record numbers.
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
    /// The estimated size of the record in memory: the size of its texts, and a fixed amount for each of its parts.
    package var estimatedSize: Int {
        var size = 96 + message.utf8.count + component.utf8.count
        // The array is accessed directly, because the collection would retain and release each name and value.
        let attributes = attributes.list
        for index in attributes.indices {
            size += 48 + attributes[index].name.utf8.count + attributes[index].value.estimatedSize
        }
        return size
    }
}

extension JSONValue {
    /// The memory used outside the value itself, in bytes.
    fileprivate var estimatedSize: Int {
        switch self {
        case .null, .bool, .integer, .number, .decimal: 0
        case .string(let text): text.utf8.count
        case .array(let elements): elements.reduce(32) { $0 + 24 + $1.estimatedSize }
        case .object(let members): members.reduce(64) { $0 + 64 + $1.key.utf8.count + $1.value.estimatedSize }
        }
    }
}
