import HTTPChainCore

/// What is found in the directory of a spool when it is opened.
struct SpoolOpening {
    let lock: any SpoolFile
    var appender: SpoolAppender
    var reader: SpoolReader
    /// What a process that was killed had not written to the end.
    var tornBytes: Int64 = 0
    /// Things in the directory that are not the spool's.
    var foreignFiles = 0
    /// Whether it is not known how far an earlier process had come.
    var isPositionLost = false

    init(_ directory: SpoolDirectory, _ limits: SpoolLimits) throws(LogSpoolError) {
        let files = directory.files
        try files.makeDirectory(directory.path)
        guard let lock = try files.open(directory.lock, creating: true), try lock.lock() else {
            throw LogSpoolError(.inUse(directory: directory.path))
        }
        self.lock = lock
        let positionFile = try SpoolPositionFile(directory.position, files, directory.durability)
        isPositionLost = positionFile.isDamaged
        let saved = positionFile.position

        var numbers: [UInt64] = []
        for name in try files.names(in: directory.path) where ![".", "..", "lock", "position"].contains(name) {
            if let number = SpoolSegment.number(name) { numbers.append(number) } else { foreignFiles += 1 }
        }
        let next = max(numbers.max() ?? 0, saved?.segment ?? 0) + 1
        var segments: [SealedSegment] = []
        for number in numbers.sorted() {
            guard let size = try files.size(of: directory.segment(number)) else {
                foreignFiles += 1
                continue
            }
            // What is done with is only still to be removed.
            let isDone = number < saved?.segment ?? 0
            let header = isDone ? .damaged : try Self.header(of: number, size, directory)
            segments.append(SealedSegment(number: number, size: size, header: header))
        }

        var active: ActiveSegment?
        if let last = segments.last, last.number >= saved?.segment ?? 0 {
            // Nothing is lost with a segment that a process had not even begun.
            if last.size < Int64(SpoolSegment.headerSize) {
                segments[segments.count - 1] = SealedSegment(number: last.number, size: 0, header: .damaged)
            }
            active = Self.reopen(last, directory, after: saved, &tornBytes)
            if active != nil { segments.removeLast() }
        }
        let first = segments.first?.number ?? active?.number ?? next
        let start = LogSpoolPosition(segment: first, offset: Int64(SpoolSegment.headerSize))
        appender = SpoolAppender(directory, limits, sealed: segments, active: active, nextNumber: next)
        reader = SpoolReader(directory, positionFile, front: max(saved ?? start, start))
    }

    /// - Returns: `nil` when it cannot be read now.
    private static func header(
        of number: UInt64,
        _ size: Int64,
        _ directory: SpoolDirectory
    ) throws(LogSpoolError) -> SpoolSegment.Header? {
        guard size <= SpoolSegment.maximumSize else { return .damaged }
        let path = directory.segment(number)
        guard let file = try? directory.files.openForReading(path),
            let bytes = try? file.read(SpoolSegment.headerSize, at: 0)
        else { return nil }
        let header = SpoolSegment.header(bytes, number: number)
        if case .newer = header { throw LogSpoolError(.newerFormat(file: path)) }
        return header
    }

    /// Takes up the last segment where it was left, without what was not written to the end.
    ///
    /// - Returns: `nil` when another segment is to be begun instead.
    private static func reopen(
        _ segment: SealedSegment,
        _ directory: SpoolDirectory,
        after saved: LogSpoolPosition?,
        _ tornBytes: inout Int64
    ) -> ActiveSegment? {
        let start = Int64(SpoolSegment.headerSize)
        guard case .sound(let salt) = segment.header, segment.size >= start,
            let file = try? directory.files.open(directory.segment(segment.number), creating: false),
            let bytes = try? file.read(Int(segment.size - start), at: start)
        else { return nil }
        let end = start + Int64(SpoolSegment.end(of: bytes, salt: salt))
        // Where less is left than was done with, what is added would be taken for done.
        if let saved, saved.segment == segment.number, saved.offset > end { return nil }
        if end < segment.size {
            guard (try? file.truncate(to: end)) != nil else { return nil }
            tornBytes += segment.size - end
        }
        return ActiveSegment(number: segment.number, file: file, salt: salt, end: end)
    }
}
