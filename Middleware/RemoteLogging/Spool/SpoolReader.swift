import HTTPChainCore

/// Records from the front of a ``LogSpool``, in the order in which they were logged.
public struct LogSpoolBatch: Sendable, Hashable {
    /// The records.
    public internal(set) var records: [LogRecord] = []
    /// What to acknowledge once they are done with.
    public internal(set) var position: LogSpoolPosition
    /// How many places between the records could not be read; each held one record or more.
    public internal(set) var damagedParts = 0
}

/// The front of a spool: what is read next, and what is done with.
struct SpoolReader: Sendable {
    /// How much is read at once.
    private static let window: Int64 = 262_144
    /// How often a segment that the disk cannot read is tried.
    private static let attempts = 3

    let directory: SpoolDirectory
    private(set) var front: LogSpoolPosition
    private var positionFile: SpoolPositionFile
    /// How far damage was counted, so that what is read again is not counted again.
    private var counted: LogSpoolPosition
    private var failing: (segment: UInt64, count: Int) = (0, 0)
    private(set) var damagedParts = 0
    private(set) var damagedBytes: Int64 = 0

    init(_ directory: SpoolDirectory, _ positionFile: SpoolPositionFile, front: LogSpoolPosition) {
        self.directory = directory
        self.positionFile = positionFile
        self.front = front
        counted = front
    }

    /// Where to read, as it was at one time.
    struct View {
        let sealed: [SealedSegment]
        let active: ActiveSegment?
    }

    struct Limits {
        let records: Int
        let bytes: Int64
    }

    private struct Segment {
        let number: UInt64
        let size: Int64
        let header: SpoolSegment.Header?
        let file: (any SpoolFile)?
    }

    /// A batch under way.
    private struct Reading {
        var batch: LogSpoolBatch
        var bytes: Int64 = 0
        var isFull = false
        let limits: Limits

        mutating func move(to offset: Int64) {
            batch.position = LogSpoolPosition(segment: batch.position.segment, offset: offset)
        }
    }

    // MARK: Reading

    mutating func batch(
        after start: LogSpoolPosition,
        of view: View,
        _ limits: Limits
    ) throws(LogSpoolError) -> LogSpoolBatch {
        var reading = Reading(batch: LogSpoolBatch(position: max(start, front)), limits: limits)
        var segments = view.sealed.map { Segment(number: $0.number, size: $0.size, header: $0.header, file: nil) }
        if let active = view.active {
            segments.append(
                Segment(number: active.number, size: active.end, header: .sound(salt: active.salt), file: active.file)
            )
        }
        for segment in segments where segment.number >= reading.batch.position.segment {
            if segment.number > reading.batch.position.segment {
                let offset = Int64(SpoolSegment.headerSize)
                reading.batch.position = LogSpoolPosition(segment: segment.number, offset: offset)
            }
            do throws(LogSpoolError) {
                try read(segment, &reading)
                if failing.segment == segment.number { failing = (0, 0) }
            } catch {
                // What was read before it is delivered first.
                if !reading.batch.records.isEmpty { break }
                guard error.isMediumFailure, giveUp(segment.number) else { throw error }
                skip(to: segment.size, &reading)
            }
            if reading.isFull { break }
        }
        return reading.batch
    }

    /// Whether the disk has failed so often to read a segment that it keeps others waiting no longer.
    private mutating func giveUp(_ segment: UInt64) -> Bool {
        failing = (segment, failing.segment == segment ? failing.count + 1 : 1)
        return failing.count >= Self.attempts
    }

    private mutating func read(_ segment: Segment, _ reading: inout Reading) throws(LogSpoolError) {
        guard reading.batch.position.offset < segment.size else { return }
        let opened =
            if let file = segment.file { file } else {
                try directory.files.openForReading(directory.segment(segment.number))
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
        of file: any SpoolFile,
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
                // The file has become shorter than it was.
                return skip(to: end, &reading)
            }
            // A frame that is longer than the window, or damaged: the rest of the segment tells.
            if reading.batch.position.offset == start { window = SpoolSegment.maximumSize }
        }
    }

    /// - Parameter base: Where in the segment the buffer begins.
    private mutating func readFrames(
        in buffer: UnsafeRawBufferPointer,
        from base: Int64,
        _ salt: UInt32,
        isWhole: Bool,
        _ reading: inout Reading
    ) {
        var offset = 0
        while true {
            switch SpoolSegment.step(buffer, at: offset, salt: salt, isWhole: isWhole) {
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
                    reading.bytes += size
                    reading.move(to: base + Int64(range.upperBound))
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

    /// Passes over what cannot be read, and counts it.
    private mutating func skip(to offset: Int64, _ reading: inout Reading) {
        let start = reading.batch.position
        guard offset > start.offset else { return }
        reading.move(to: offset)
        guard reading.batch.position > counted else { return }
        counted = reading.batch.position
        reading.batch.damagedParts += 1
        damagedParts += 1
        damagedBytes += offset - start.offset
    }

    // MARK: Acknowledging

    /// Moves the front; what is before it never comes again from this process.
    mutating func move(to position: LogSpoolPosition) {
        front = max(front, position)
    }

    /// Has the file tell the front.
    mutating func save() throws(LogSpoolError) {
        if positionFile.position != front { try positionFile.save(front) }
    }
}
