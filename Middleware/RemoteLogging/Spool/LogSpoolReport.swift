package import HTTPChainRemoteLogging

/// The content of a ``LogSpool``, and the counts of its records since it was opened.
package struct LogSpoolReport: Sendable, Hashable {
    /// The size of all segments on the disk, in bytes.
    package internal(set) var bytes: Int64 = 0
    /// The size of the unacknowledged records on disk, in bytes.
    ///
    /// It is 0 only if there are none.
    package internal(set) var pendingBytes: Int64 = 0
    /// The number of records that were appended.
    package internal(set) var acceptedRecords = 0
    /// The number of records that were refused because the spool was full or the disk failed.
    package internal(set) var refusedRecords = 0
    /// The number of unreadable parts that were skipped.
    ///
    /// Each contained at least one record.
    package internal(set) var damagedParts = 0
    /// The most recent reason for refusing a record, other than a full spool.
    package internal(set) var lastFailure: LogSpoolError?
}

/// Records from the front of a ``LogSpool``, in the order in which they were logged.
package struct LogSpoolBatch: Sendable, Hashable {
    /// The records; empty if there were only unreadable parts to skip.
    package internal(set) var records: [LogRecord] = []
    /// The position to acknowledge when the records are done.
    package internal(set) var position: LogSpoolPosition
    /// The number of unreadable parts between the records.
    ///
    /// Each contained at least one record.
    package internal(set) var damagedParts = 0
    /// The number of these records that already existed when the spool was opened.
    var recovered = 0
}

/// A position between two records of a ``LogSpool``.
package struct LogSpoolPosition: Sendable, Hashable, Comparable {
    let segment: UInt64
    let offset: Int64
    /// The number of records before it in the segment that this spool has read.
    var index = 0

    /// Compares by age: older positions are less.
    package static func < (lhs: LogSpoolPosition, rhs: LogSpoolPosition) -> Bool {
        (lhs.segment, lhs.offset) < (rhs.segment, rhs.offset)
    }

    /// Returns whether both are the same position.
    package static func == (lhs: LogSpoolPosition, rhs: LogSpoolPosition) -> Bool {
        (lhs.segment, lhs.offset) == (rhs.segment, rhs.offset)
    }

    /// Hashes the position.
    package func hash(into hasher: inout Hasher) {
        hasher.combine(segment)
        hasher.combine(offset)
    }
}
