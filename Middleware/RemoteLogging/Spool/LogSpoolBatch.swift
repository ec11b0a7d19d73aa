/// Records from the front of a ``LogSpool``, in the order in which they were logged.
public struct LogSpoolBatch: Sendable, Hashable {
    /// The records; none where there was only damage to pass over.
    public internal(set) var records: [LogRecord] = []
    /// What to acknowledge once they are done with.
    public internal(set) var position: LogSpoolPosition
    /// How many places between the records could not be read; each held one record or more.
    public internal(set) var damagedParts = 0
}

/// A place between two records of a ``LogSpool``.
public struct LogSpoolPosition: Sendable, Hashable, Comparable {
    let segment: UInt64
    let offset: Int64
    /// How many records are before it, counted from where the spool was opened; what was damaged meanwhile counts until
    /// the next segment.
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
