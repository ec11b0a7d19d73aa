import HTTPChainCore

/// The front of a spool: the position of the next record to read, and the acknowledged position.
struct SpoolReader: Sendable {
    /// The number of bytes read at once.
    private static let window: Int64 = 262_144
    /// The number of attempts to read a segment that the disk can't read.
    private static let attempts = 3

    let directory: SpoolDirectory
    private(set) var front: LogSpoolPosition
    /// The beginning of the records that existed when the spool was opened.
    let openingFront: LogSpoolPosition
    /// The end of those records.
    let openingEnd: LogSpoolPosition
    private var positionFile: SpoolPositionFile
    /// The position up to which unreadable parts have been counted, so that they aren't counted again when they are
    /// read again.
    private var counted: LogSpoolPosition
    /// The number of consecutive failures to read each segment.
    private var failures: [UInt64: Int] = [:]
    private(set) var damagedParts: Int
    private(set) var damagedBytes: Int64 = 0

    /// - Parameter damagedParts: The number of unreadable parts that have already been found.
    init(
        _ directory: SpoolDirectory,
        _ positionFile: SpoolPositionFile,
        front: LogSpoolPosition,
        openingEnd: LogSpoolPosition,
        damagedParts: Int
    ) {
        openingFront = front
        self.openingEnd = openingEnd
        self.damagedParts = damagedParts
        self.directory = directory
        self.positionFile = positionFile
        self.front = front
        counted = front
    }

    /// A snapshot of the segments to read.
    struct View {
        let sealed: [SealedSegment]
        let active: ActiveSegment?
        /// The end position, or `nil` for the end of the spool.
        var end: LogSpoolPosition?

        /// Returns the segments up to a position.
        func segments(upTo end: LogSpoolPosition?) -> [Segment] {
            let last = active.map { [Segment($0.sealed, $0.file, upTo: end)] } ?? []
            return sealed.map { Segment($0, upTo: end) } + last
        }
    }

    struct Limits {
        let records: Int
        let bytes: Int64
    }

    struct Segment {
        let number: UInt64
        let size: Int64
        let header: SpoolSegment.Header?
        let file: OpenFile<LogSpoolError>?

        init(_ segment: SealedSegment, _ file: OpenFile<LogSpoolError>? = nil, upTo end: LogSpoolPosition?) {
            number = segment.number
            size = end?.segment == segment.number ? min(segment.size, end?.offset ?? .max) : segment.size
            header = segment.header
            self.file = file
        }
    }

    /// A batch in flight.
    private struct Reading {
        var batch: LogSpoolBatch
        var bytes: Int64 = 0
        var isFull = false
        let limits: Limits

        /// Moves forward in a segment, past this many records.
        mutating func move(to offset: Int64, past records: Int) {
            let position = batch.position
            batch.position = LogSpoolPosition(
                segment: position.segment,
                offset: offset,
                index: position.index + records
            )
        }
    }

    // MARK: Reading

    mutating func batch(
        after start: LogSpoolPosition,
        of view: View,
        _ limits: Limits
    ) throws(LogSpoolError) -> LogSpoolBatch {
        var reading = Reading(batch: LogSpoolBatch(position: max(start, front)), limits: limits)
        var segments = view.segments(upTo: view.end)
        if let end = view.end { segments.removeAll { $0.number > end.segment } }
        let before = self
        var failure: LogSpoolError?
        for segment in segments where segment.number >= reading.batch.position.segment {
            if segment.number > reading.batch.position.segment {
                let offset = Int64(SpoolSegment.headerSize)
                reading.batch.position = LogSpoolPosition(segment: segment.number, offset: offset)
            }
            do throws(LogSpoolError) {
                try read(segment, &reading)
                failures[segment.number] = nil
            } catch {
                // The records that were read before it are delivered first.
                if !reading.batch.records.isEmpty { break }
                failures[segment.number, default: 0] += 1
                failure = failure ?? error
                guard error.isMediumFailure, failures[segment.number, default: 0] >= Self.attempts else { break }
                skip(to: segment.size, &reading)
            }
            if reading.isFull { break }
        }
        if let failure, reading.batch.records.isEmpty {
            // If nothing can be read, the cause is the disk, which may recover. In that case, nothing counts as
            // damaged.
            (counted, damagedParts, damagedBytes) = (before.counted, before.damagedParts, before.damagedBytes)
            throw failure
        }
        return reading.batch
    }

    private mutating func read(_ segment: Segment, _ reading: inout Reading) throws(LogSpoolError) {
        guard reading.batch.position.offset < segment.size else { return }
        let opened =
            if let file = segment.file { file } else {
                try directory.files.open(directory.segment(segment.number), .read)
            }
        guard let file = opened else { return skip(to: segment.size, &reading) }
        let header: SpoolSegment.Header
        if let known = segment.header {
            header = known
        } else {
            header = SpoolSegment.header(try file.read(SpoolSegment.headerSize, at: 0), number: segment.number)
        }
        switch header {
        case .newer: throw LogSpoolError(.newerFormat(file: directory.segment(segment.number)))
        case .damaged: skip(to: segment.size, &reading)
        case .sound(let salt): try readFrames(of: file, to: segment.size, salt, &reading)
        }
    }

    private mutating func readFrames(
        of file: OpenFile<LogSpoolError>,
        to end: Int64,
        _ salt: UInt32,
        _ reading: inout Reading
    ) throws(LogSpoolError) {
        var window = Self.window
        while reading.batch.position.offset < end, !reading.isFull {
            let start = reading.batch.position.offset
            let count = min(end - start, window)
            let bytes = try file.read(Int(count), at: start)
            bytes.withUnsafeBytes { buffer in
                readFrames(
                    in: buffer,
                    from: start,
                    salt,
                    isWhole: count == end - start || buffer.count < count,
                    &reading
                )
            }
            if Int64(bytes.count) < count, !reading.isFull {
                // The file has become shorter than before.
                return skip(to: end, &reading)
            }
            // The frame is longer than the window, or damaged. To find out, the rest of the segment must be read.
            if reading.batch.position.offset == start { window = SpoolSegment.maximumSize }
        }
    }

    /// - Parameter base: The offset of the buffer in the segment.
    private mutating func readFrames(
        in buffer: UnsafeRawBufferPointer,
        from base: Int64,
        _ salt: UInt32,
        isWhole: Bool,
        _ reading: inout Reading
    ) {
        var offset = 0
        var budget = SpoolSegment.searchBudget(for: buffer.count)
        while true {
            switch SpoolSegment.step(buffer, at: offset, salt: salt, isWhole: isWhole, searching: &budget) {
            case .record(let range):
                let size = Int64(range.count)
                let isFirst = reading.batch.records.isEmpty
                let isOver =
                    reading.batch.records.count >= reading.limits.records
                    || size > reading.limits.bytes - reading.bytes
                guard isFirst || !isOver else {
                    reading.isFull = true
                    return
                }
                let payload = UnsafeRawBufferPointer(rebasing: buffer[range])
                if let record = try? LogRecordReader.record(in: payload) {
                    reading.batch.records.append(record)
                    if reading.batch.position < openingEnd { reading.batch.recovered += 1 }
                    reading.bytes += size
                    reading.move(to: base + Int64(range.upperBound), past: 1)
                } else {
                    skip(to: base + Int64(range.upperBound), &reading)
                }
                offset = range.upperBound
            case .damaged(let next):
                skip(to: base + Int64(next), &reading)
                offset = next
            case .torn: return skip(to: base + Int64(buffer.count), &reading)
            case .end, .incomplete: return
            }
        }
    }

    /// Skips an unreadable part and counts it.
    private mutating func skip(to offset: Int64, _ reading: inout Reading) {
        let start = reading.batch.position
        guard offset > start.offset else { return }
        reading.move(to: offset, past: 0)
        guard reading.batch.position > counted else { return }
        damagedBytes += offset - start.offset
        // An unreadable part directly after another one is counted as the same part.
        if damagedParts == 0 || counted != start {
            reading.batch.damagedParts += 1
            damagedParts += 1
        }
        counted = reading.batch.position
    }

    // MARK: Counting

    /// Counts the unacknowledged records of a segment that existed when the spool was opened or, with `all`, all
    /// unacknowledged records.
    ///
    /// Returns 0 if the segment can't be read.
    func count(_ number: UInt64, of view: View, all: Bool) -> Int {
        let segments = view.segments(upTo: all ? nil : openingEnd)
        let start = all ? front : openingFront
        guard number >= start.segment, let segment = segments.first(where: { $0.number == number }),
            segment.size <= SpoolSegment.maximumSize,
            let file = segment.file ?? (try? directory.files.open(directory.segment(number), .read)),
            let bytes = try? file.read(Int(segment.size), at: 0),
            case .sound(let salt) = SpoolSegment.header(bytes, number: number)
        else { return 0 }
        let offset = start.segment == number ? start.offset : 0
        let content = SpoolSegment.content(of: bytes, salt: salt, before: offset)
        return content.records - content.recordsBefore
    }

    // MARK: Acknowledging

    /// Moves the front.
    ///
    /// This process never delivers the records before it again.
    mutating func move(to position: LogSpoolPosition) {
        front = max(front, position)
        if !failures.isEmpty { failures = failures.filter { $0.key >= front.segment } }
    }

    /// Saves the front in the file.
    mutating func save() throws(LogSpoolError) {
        if positionFile.position != front { try positionFile.save(front) }
    }
}
