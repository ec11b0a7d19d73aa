import HTTPChainCore

/// A segment that is no longer written to.
struct SealedSegment: Sendable {
    let number: UInt64
    let size: Int64
    /// The header, or `nil` if it hasn't been read yet.
    let header: SpoolSegment.Header?
}

/// The segment that is currently written to.
struct ActiveSegment: Sendable {
    let number: UInt64
    let file: OpenFile<LogSpoolError>
    let salt: UInt32
    /// The offset of the next frame.
    var end: Int64
    /// Whether a failed write may have left bytes after the end.
    var needsRepair = false

    /// The segment as one that is no longer written to.
    var sealed: SealedSegment { SealedSegment(number: number, size: end, header: .sound(salt: salt)) }
}

/// An encoded record, and the properties that determine whether it fits.
struct SpoolFrame: Sendable {
    /// The result of ``SpoolSegment/frame(_:)``.
    var bytes: [UInt8]
    let isSevere: Bool

    var size: Int64 { Int64(bytes.count) }
}

/// The size limits of a spool.
struct SpoolLimits: Sendable {
    /// The limit on the size of all segments.
    let total: Int64
    /// The limit on the size of all segments for records that aren't severe.
    let common: Int64
    /// The limit on the size of one segment.
    let segment: Int64

    init(_ limit: ByteCount, segmentSize: ByteCount) {
        total = limit.bytes
        common = total - total / 10
        segment = min(max(segmentSize.bytes, 4096), total / 4, SpoolSegment.maximumSize)
    }

    func limit(isSevere: Bool) -> Int64 { isSevere ? total : common }
}

/// The segments of a spool.
///
/// Also adds records to them.
struct SpoolAppender: Sendable {
    let directory: SpoolDirectory
    let limits: SpoolLimits
    /// The segments, sorted by number.
    private(set) var sealed: [SealedSegment]
    private(set) var active: ActiveSegment?
    private var nextNumber: UInt64
    /// The total size of all segments.
    private(set) var total: Int64
    private(set) var accepted = 0
    private(set) var refused = 0
    /// The reason for which the last record was refused, other than a full spool.
    private(set) var lastFailure: LogSpoolError?
    /// The reason why the spool can't currently be used, or `nil` if it can.
    var obstacle: LogSpoolError.Problem?

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
        total = sealed.reduce(active?.end ?? 0) { sum, segment in
            let (next, isOver) = sum.addingReportingOverflow(segment.size)
            return isOver ? .max : next
        }
    }

    /// Adds frames in order, with one write and one wait for the disk for each segment.
    ///
    /// If such a write fails, the frames are written one by one, so that as many as possible are kept.
    ///
    /// - Returns: For each frame, the reason why it was refused, or `nil` if it was accepted.
    mutating func append(_ frames: inout [SpoolFrame]) -> [LogSpoolError?] {
        var outcomes = [LogSpoolError?](repeating: nil, count: frames.count)
        var start = 0
        while start < frames.count {
            do throws(LogSpoolError) {
                try prepare(for: frames[start])
                let end = run(of: frames, from: start)
                do throws(LogSpoolError) {
                    try write(&frames, start..<end)
                } catch {
                    guard end - start > 1 else { throw error }
                    for index in start..<end { outcomes[index] = appendAlone(&frames, index) }
                }
                start = end
            } catch {
                refuse(error)
                outcomes[start] = error
                start += 1
            }
        }
        return outcomes
    }

    private mutating func appendAlone(_ frames: inout [SpoolFrame], _ index: Int) -> LogSpoolError? {
        do throws(LogSpoolError) {
            try prepare(for: frames[index])
            try write(&frames, index..<(index + 1))
            return nil
        } catch {
            refuse(error)
            return error
        }
    }

    /// Counts a record that wasn't kept.
    mutating func refuse(_ error: LogSpoolError) {
        refused += 1
        if case .full = error.problem {} else { lastFailure = error }
    }

    /// Ensures that there is space for a frame, and a segment that it fits in.
    private mutating func prepare(for frame: SpoolFrame) throws(LogSpoolError) {
        if let obstacle { throw LogSpoolError(obstacle) }
        guard frame.size <= limits.segment - Int64(SpoolSegment.headerSize) else {
            throw LogSpoolError(.recordTooLarge(ByteCount(frame.size), limit: ByteCount(limits.segment)))
        }
        try repair()
        let isNew = active.map { $0.end + frame.size > limits.segment } ?? true
        let needed = isNew ? frame.size + Int64(SpoolSegment.headerSize) : frame.size
        guard total <= limits.limit(isSevere: frame.isSevere) - needed else {
            throw LogSpoolError(.full(limit: ByteCount(limits.total)))
        }
        if isNew { try beginSegment() }
    }

    /// Returns the end of the frames that fit in the active segment.
    ///
    /// The first frame is always included.
    private func run(of frames: [SpoolFrame], from start: Int) -> Int {
        guard let active else { return start + 1 }
        var size = frames[start].size
        var end = start + 1
        while end < frames.count {
            size += frames[end].size
            guard active.end + size <= limits.segment, total <= limits.limit(isSevere: frames[end].isSevere) - size
            else { break }
            end += 1
        }
        return end
    }

    private mutating func write(_ frames: inout [SpoolFrame], _ range: Range<Int>) throws(LogSpoolError) {
        guard let segment = active else { return }
        var group: [UInt8] = []
        if range.count > 1 { group.reserveCapacity(frames[range].reduce(0) { $0 + $1.bytes.count }) }
        for index in range {
            var bytes = frames[index].bytes
            SpoolSegment.seal(&bytes, salt: segment.salt)
            if range.count == 1 { group = bytes } else { group += bytes }
        }
        do throws(LogSpoolError) {
            try segment.file.write(group, at: segment.end)
            if directory.durability == .power { try segment.file.synchronize() }
        } catch {
            active?.needsRepair = true
            try? repair()
            throw error
        }
        active?.end = segment.end + Int64(group.count)
        accepted += range.count
        total += Int64(group.count)
    }

    /// Removes the remains of a failed write.
    ///
    /// Otherwise, if they form a complete record, the next process would deliver a record that this one has refused.
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
        // A failed first attempt may have left a file of the same name. This overwrites its header.
        try file.write(SpoolSegment.header(number: number, salt: salt), at: 0)
        try directory.synchronize()
        active = ActiveSegment(
            number: number,
            file: file,
            salt: salt,
            end: Int64(SpoolSegment.headerSize)
        )
        nextNumber = number + 1
        total += Int64(SpoolSegment.headerSize)
    }

    private mutating func seal() {
        guard let segment = active else { return }
        sealed.append(segment.sealed)
        active = nil
    }

    /// All segments, oldest first.
    var segments: [SealedSegment] { sealed + [active?.sealed].compactMap { $0 } }

    /// The position of the next record.
    var end: LogSpoolPosition {
        if let active { return LogSpoolPosition(segment: active.number, offset: active.end) }
        return LogSpoolPosition(segment: nextNumber, offset: Int64(SpoolSegment.headerSize))
    }

    /// Stops accepting records and closes the file.
    mutating func close() {
        obstacle = .closed(directory: directory.path)
        seal()
    }

    // MARK: Removal

    /// Returns the segments in which all records are acknowledged.
    ///
    /// The active segment is included if it is half full. Otherwise, files would keep growing if records are sent as
    /// soon as they are added.
    mutating func finished(before position: LogSpoolPosition) -> [SealedSegment] {
        if let active, !active.needsRepair, active.end >= limits.segment / 2,
            position >= LogSpoolPosition(segment: active.number, offset: active.end)
        {
            seal()
        }
        return sealed.filter { LogSpoolPosition(segment: $0.number, offset: $0.size) <= position }
    }

    /// Removes segments whose files have been deleted.
    mutating func forget(_ numbers: Set<UInt64>) {
        for segment in sealed where numbers.contains(segment.number) { total -= segment.size }
        sealed.removeAll { numbers.contains($0.number) }
    }

    /// Returns the size of the records after a position, not counting the headers of segments.
    func pending(after position: LogSpoolPosition) -> Int64 {
        segments.reduce(0) { sum, segment in
            guard segment.number >= position.segment else { return sum }
            let start = segment.number == position.segment ? position.offset : Int64(SpoolSegment.headerSize)
            return sum + max(0, segment.size - start)
        }
    }
}
