import HTTPChainCore

/// A segment that is no longer written to.
struct SealedSegment: Sendable {
    let number: UInt64
    let size: Int64
    /// `nil` when it could not be read yet.
    let header: SpoolSegment.Header?
    var records: SpoolRecords
}

/// The records of a segment among those of the spool, which are counted from its front when it was opened.
struct SpoolRecords: Sendable, Hashable {
    var first = 0
    var count = 0

    var end: Int { first + count }
}

/// The segment that is written to.
struct ActiveSegment: Sendable {
    let number: UInt64
    let file: OpenFile<LogSpoolError>
    let salt: UInt32
    /// Where the next frame goes.
    var end: Int64
    var records: SpoolRecords
    /// Whether a write that failed may have left something after the end.
    var needsRepair = false
}

/// How much a spool holds.
struct SpoolLimits: Sendable {
    /// All segments together.
    let total: Int64
    /// All segments together, as long as nothing severe comes.
    let common: Int64
    /// One segment.
    let segment: Int64

    init(_ limit: ByteCount, segmentSize: ByteCount) {
        total = limit.bytes
        common = total - total / 10
        segment = min(max(segmentSize.bytes, 4096), total / 4, SpoolSegment.maximumSize)
    }
}

/// The segments of a spool, and how records are added to them.
struct SpoolAppender: Sendable {
    let directory: SpoolDirectory
    let limits: SpoolLimits
    /// In the order of their numbers.
    private(set) var sealed: [SealedSegment]
    private(set) var active: ActiveSegment?
    private var nextNumber: UInt64
    /// How many records there are in segments that are no longer written to, those that are gone included.
    private var sealedEnd: Int
    /// What all segments take.
    private(set) var total: Int64
    private(set) var accepted = 0
    private(set) var refused = 0
    /// Why the last record that was refused was, unless the spool was full.
    private(set) var lastFailure: LogSpoolError?

    init(
        _ directory: SpoolDirectory,
        _ limits: SpoolLimits,
        sealed: [SealedSegment],
        active: ActiveSegment?,
        nextNumber: UInt64
    ) {
        self.directory = directory
        self.limits = limits
        self.sealed = sealed
        self.active = active
        self.nextNumber = nextNumber
        sealedEnd = sealed.last?.records.end ?? 0
        total = sealed.reduce(active?.end ?? 0) { sum, segment in
            let (next, isOver) = sum.addingReportingOverflow(segment.size)
            return isOver ? .max : next
        }
    }

    /// Adds a frame as ``SpoolSegment/frame(_:)`` makes it.
    mutating func append(_ frame: inout [UInt8], isSevere: Bool) throws(LogSpoolError) {
        do throws(LogSpoolError) {
            try write(&frame, isSevere: isSevere)
            accepted += 1
        } catch {
            refused += 1
            if case .full = error.problem {} else { lastFailure = error }
            throw error
        }
    }

    private mutating func write(_ frame: inout [UInt8], isSevere: Bool) throws(LogSpoolError) {
        let size = Int64(frame.count)
        guard size <= limits.segment - Int64(SpoolSegment.headerSize) else {
            throw LogSpoolError(.recordTooLarge(ByteCount(size), limit: ByteCount(limits.segment)))
        }
        try repair()
        let isNew = active.map { $0.end + size > limits.segment } ?? true
        let needed = isNew ? size + Int64(SpoolSegment.headerSize) : size
        let limit = isSevere ? limits.total : limits.common
        guard total <= limit - needed else { throw LogSpoolError(.full(limit: ByteCount(limits.total))) }
        if isNew { try beginSegment() }
        guard let segment = active else { return }
        SpoolSegment.seal(&frame, salt: segment.salt)
        do throws(LogSpoolError) {
            try segment.file.write(frame, at: segment.end)
            if directory.durability == .power { try segment.file.synchronize() }
        } catch {
            active?.needsRepair = true
            try? repair()
            throw error
        }
        active?.end = segment.end + size
        active?.records.count += 1
        total += size
    }

    /// Cuts off what a write that failed has left: were it a whole record, the next process would deliver what this one
    /// has refused.
    private mutating func repair() throws(LogSpoolError) {
        guard let segment = active, segment.needsRepair else { return }
        try segment.file.truncate(to: segment.end)
        if directory.durability == .power { try segment.file.synchronize() }
        active?.needsRepair = false
    }

    private mutating func beginSegment() throws(LogSpoolError) {
        seal()
        let number = nextNumber
        guard let file = try directory.files.open(directory.segment(number), .updateOrCreate) else { return }
        let salt = UInt32.random(in: 1 ... .max)
        // A first attempt that failed has left a file of the same name, whose header is written anew.
        try file.write(SpoolSegment.header(number: number, salt: salt), at: 0)
        try directory.synchronize()
        active = ActiveSegment(
            number: number,
            file: file,
            salt: salt,
            end: Int64(SpoolSegment.headerSize),
            records: SpoolRecords(first: recordsEnd)
        )
        nextNumber = number + 1
        total += Int64(SpoolSegment.headerSize)
    }

    private mutating func seal() {
        guard let segment = active else { return }
        sealed.append(
            SealedSegment(
                number: segment.number,
                size: segment.end,
                header: .sound(salt: segment.salt),
                records: segment.records
            )
        )
        sealedEnd = segment.records.end
        active = nil
    }

    /// How many records there are, counted from the front when the spool was opened.
    var recordsEnd: Int { active?.records.end ?? sealedEnd }

    // MARK: Removal

    /// The segments of which everything is done with.
    ///
    /// The one that is written to goes too once it is half full, so that where records are sent as they come, files do
    /// not only grow.
    mutating func finished(before position: LogSpoolPosition) -> [SealedSegment] {
        if let active, !active.needsRepair, active.end >= limits.segment / 2,
            position >= LogSpoolPosition(segment: active.number, offset: active.end)
        {
            seal()
        }
        return sealed.filter { LogSpoolPosition(segment: $0.number, offset: $0.size) <= position }
    }

    /// Forgets segments whose files are gone.
    mutating func forget(_ numbers: Set<UInt64>) {
        for segment in sealed where numbers.contains(segment.number) { total -= segment.size }
        sealed.removeAll { numbers.contains($0.number) }
    }

    /// What is after a position, without the headers of segments.
    func pending(after position: LogSpoolPosition) -> Int64 {
        var segments = sealed.map { ($0.number, $0.size) }
        if let active { segments.append((active.number, active.end)) }
        return segments.reduce(0) { sum, segment in
            let (number, size) = segment
            guard number >= position.segment else { return sum }
            let start = number == position.segment ? position.offset : Int64(SpoolSegment.headerSize)
            return sum + max(0, size - start)
        }
    }
}
