import HTTPChainCore
package import HTTPChainRemoteLogging

/// A queue in which records wait until they are sent.
///
/// Records are numbered from 1 in the order in which they were added.
package protocol LogQueue: Sendable {
    /// The number of waiting records.
    ///
    /// While there may be uncounted records, one more than the number known.
    var count: Int { get }
    /// The number of records known to be waiting.
    var queued: Int { get }
    /// The number of records waiting to be written to disk.
    ///
    /// They are accepted once they are written.
    var unwritten: Int { get }
    /// The number of records left by an earlier process, as far as counted.
    var recovered: Int { get }
    /// The size of the records, in bytes.
    var bytes: Int { get }
    /// The number of the oldest waiting record; `nil` if there is none.
    var oldest: Int? { get }
    /// The number of the record that was added last; 0 before the first.
    var latest: Int { get }
    /// Whether later records may be sent while an earlier batch waits to be retried.
    var letsPass: Bool { get }
    /// The drop reason for displaced records.
    var displacement: LogShipper.DropReason { get }

    /// Adds a record, which may displace less severe ones.
    ///
    /// - Parameters:
    ///   - record: The record.
    ///   - size: The record's size.
    ///   - displaced: The counts of displaced records.
    /// - Returns: Whether it was added.
    mutating func add(_ record: LogRecord, size: Int, displaced: inout LogLevelCounts) -> LogQueueAddition

    /// Returns the next piece of work, or `nil` if there is none. It must run without blocking the queue, one at a
    /// time.
    mutating func nextWork() -> (@Sendable () -> any Sendable)?

    /// Records the result of a piece of work.
    mutating func finish(_ result: any Sendable) -> LogQueueProgress

    /// Takes out the oldest records.
    ///
    /// - Parameters:
    ///   - count: The maximum number of records.
    ///   - bytes: The maximum total size; a single larger record is taken nevertheless.
    mutating func next(_ count: Int, bytes: Int) -> LogQueueNext

    /// Takes out the records that were read.
    ///
    /// - Parameter reading: The result of a ``LogQueueNext/reading(_:)``, of which there is one at a time.
    mutating func take(_ reading: LogQueueReading) -> LogQueueBatch?

    /// Permanently discards records that were taken out.
    ///
    /// - Returns: Work for it that may take long; `nil` if there is none.
    mutating func settle(_ batch: LogQueueBatch.Position) -> (@Sendable () -> Void)?

    /// Puts back records that were taken out and won't be sent, as the shipper ends.
    ///
    /// - Returns: Whether the next process will have them.
    mutating func giveBack(_ count: Int) -> Bool

    /// Abandons the waiting records, as the shipper ends.
    ///
    /// - Returns: The records that the next process won't have, and the reason they are lost.
    mutating func abandon() -> (LogLevelCounts, LogShipper.DropReason)

    /// Releases the queue's resources after the shipper has ended.
    ///
    /// - Returns: Work for it that may take long; `nil` if there is none.
    func close() -> (@Sendable () -> Void)?
}

/// The result of adding a record to a queue.
package enum LogQueueAddition: Sendable, Hashable {
    case queued
    /// It must be written to disk first: there is work to do.
    case unwritten
    case refused(LogShipper.DropReason)
}

/// The changes to a queue from a piece of work.
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
    /// A batch that must be read first, which may take long, and must not block the queue.
    case reading(@Sendable () -> LogQueueReading)
}

/// The result of reading for a queue.
package enum LogQueueReading: Sendable {
    /// Records, and the position of the next ones, in a form known only to the queue.
    case records([LogRecord], end: any Sendable)
    /// Nothing follows the record with this number.
    case end(after: Int)
    /// Reading failed, but may succeed later.
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

        /// Distinguishes batches that have the same numbers.
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
    /// The estimated size of the record in memory: its texts and a fixed amount for each of its parts.
    package var estimatedSize: Int {
        var size = 96 + message.utf8.count + component.utf8.count
        // Accesses the array directly, because the collection would retain and release each name and value.
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
