public import HTTPChainRemoteLogging

/// The content of a ``LogSpool``, and the counts of its records since it was opened.
public struct LogSpoolReport: Sendable, Hashable {
    /// The size of all segments on the disk, in bytes.
    public internal(set) var bytes: Int64 = 0
    /// The size on the disk of the records that are not acknowledged, in bytes; 0 only where nothing is left.
    public internal(set) var pendingBytes: Int64 = 0
    /// The number of records that were appended.
    public internal(set) var acceptedRecords = 0
    /// The number of records that were refused: because the spool was full, or because of the disk.
    public internal(set) var refusedRecords = 0
    /// The number of places that could not be read and were passed over; each held one record or more.
    public internal(set) var damagedParts = 0
    /// Why a record was refused the last time that it was not for want of room.
    public internal(set) var lastFailure: LogSpoolError?
}

/// Records from the front of a ``LogSpool``, in the order in which they were logged.
public struct LogSpoolBatch: Sendable, Hashable {
    /// The records; none where there was only damage to pass over.
    public internal(set) var records: [LogRecord] = []
    /// The position to acknowledge once the records are done with.
    public internal(set) var position: LogSpoolPosition
    /// The number of places between the records that could not be read; each held one record or more.
    public internal(set) var damagedParts = 0
    /// How many of the records were there when the spool was opened.
    var recovered = 0
}

/// A place between two records of a ``LogSpool``.
public struct LogSpoolPosition: Sendable, Hashable, Comparable {
    let segment: UInt64
    let offset: Int64
    /// How many records of the segment this spool has read before it.
    var index = 0

    /// Orders by age: what was logged first is less.
    public static func < (lhs: LogSpoolPosition, rhs: LogSpoolPosition) -> Bool {
        (lhs.segment, lhs.offset) < (rhs.segment, rhs.offset)
    }

    /// Whether these are the same place.
    public static func == (lhs: LogSpoolPosition, rhs: LogSpoolPosition) -> Bool {
        (lhs.segment, lhs.offset) == (rhs.segment, rhs.offset)
    }

    /// Hashes the place.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(segment)
        hasher.combine(offset)
    }
}
