import HTTPChainCore

/// The state of a spool's directory when it is opened.
struct SpoolOpening {
    let lock: SpoolLock
    var appender: SpoolAppender
    var reader: SpoolReader
    let findings: LogSpool.Findings

    init(_ directory: SpoolDirectory, _ limits: SpoolLimits) throws(LogSpoolError) {
        let files = directory.files
        try directory.make()
        lock = try SpoolLock(directory)
        let positionFile = try SpoolPositionFile(directory.position, files, directory.durability)
        let saved = positionFile.position

        var foreignFiles = 0
        var numbers: [UInt64] = []
        for name in try files.names(in: directory.path) where ![".", "..", "lock", "position"].contains(name) {
            if let number = SpoolSegment.number(name) { numbers.append(number) } else { foreignFiles += 1 }
        }
        let next = max(numbers.max() ?? 0, saved?.segment ?? 0) + 1
        var segments: [SealedSegment] = []
        for number in numbers.sorted() {
            guard let status = try files.status(of: directory.segment(number)), status.kind == .regular else {
                foreignFiles += 1
                continue
            }
            // A file that is too long or too short isn't a segment. Only the headers of the others are read now, so
            // that the time for opening doesn't grow with the number of records left.
            let canBeRead = status.size >= Int64(SpoolSegment.headerSize) && status.size <= SpoolSegment.maximumSize
            let isLeft = number >= saved?.segment ?? 0
            let header = canBeRead && isLeft ? try Self.header(number, directory) : .damaged
            segments.append(SealedSegment(number: number, size: status.size, header: header))
        }

        var recordsInLast = 0
        var tornBytes: Int64 = 0
        var active: ActiveSegment?
        if let last = segments.last, last.size < Int64(SpoolSegment.headerSize) {
            // A process was killed while it created this segment. The next process would consider it damaged.
            if (try? files.remove(directory.segment(last.number))) != nil { segments.removeLast() }
        } else if let last = segments.last, last.number >= saved?.segment ?? 0 {
            segments.removeLast()
            let offset = saved?.segment == last.number ? saved?.offset ?? 0 : 0
            let (header, content) = Self.inspect(last, directory, before: offset)
            recordsInLast = content.records - content.recordsBefore
            let sealed = SealedSegment(number: last.number, size: last.size, header: header)
            active = Self.reopen(sealed, content, directory, after: saved, &tornBytes)
            if active == nil { segments.append(sealed) }
        }
        let first = segments.first?.number ?? active?.number ?? next
        let start = LogSpoolPosition(segment: first, offset: Int64(SpoolSegment.headerSize))
        appender = SpoolAppender(directory, limits, sealed: segments, active: active, nextNumber: next)
        let front = max(saved ?? start, start)
        // A segment is created only after the previous one has its header.
        let emptied = segments.filter { segment in
            segment.number >= front.segment && segment.number + 1 < next
                && segment.size < Int64(SpoolSegment.headerSize)
        }
        reader = SpoolReader(
            directory,
            positionFile,
            front: front,
            openingEnd: max(front, appender.end),
            damagedParts: emptied.count
        )
        findings = LogSpool.Findings(
            front: front,
            end: reader.openingEnd,
            segments: appender.segments.map(\.number).filter { $0 >= front.segment },
            recordsInLast: recordsInLast,
            tornBytes: tornBytes,
            foreignFiles: foreignFiles,
            isPositionLost: positionFile.isDamaged
        )
    }

    /// - Returns: `nil` if the header currently can't be read.
    private static func header(
        _ number: UInt64,
        _ directory: SpoolDirectory
    ) throws(LogSpoolError) -> SpoolSegment.Header? {
        let path = directory.segment(number)
        guard let file = try? directory.files.open(path, .read),
            let bytes = try? file.read(SpoolSegment.headerSize, at: 0)
        else { return nil }
        let header = SpoolSegment.header(bytes, number: number)
        if header == .newer { throw LogSpoolError(.newerFormat(file: path)) }
        return header
    }

    /// - Returns: No header if it currently can't be read.
    private static func inspect(
        _ segment: SealedSegment,
        _ directory: SpoolDirectory,
        before offset: Int64
    ) -> (SpoolSegment.Header?, SpoolSegment.Content) {
        guard case .sound(let salt) = segment.header else { return (segment.header, SpoolSegment.Content()) }
        let path = directory.segment(segment.number)
        guard let file = try? directory.files.open(path, .read),
            let bytes = try? file.read(Int(segment.size), at: 0)
        else { return (nil, SpoolSegment.Content()) }
        return (segment.header, SpoolSegment.content(of: bytes, salt: salt, before: offset))
    }

    /// Reopens the last segment at its end, and removes a partially written record.
    ///
    /// - Returns: `nil` if a new segment must be created instead.
    private static func reopen(
        _ segment: SealedSegment,
        _ content: SpoolSegment.Content,
        _ directory: SpoolDirectory,
        after saved: LogSpoolPosition?,
        _ tornBytes: inout Int64
    ) -> ActiveSegment? {
        guard case .sound(let salt) = segment.header,
            let file = try? directory.files.open(directory.segment(segment.number), .update)
        else { return nil }
        let end = Int64(content.end)
        // If the file is shorter than the acknowledged part, new records would count as acknowledged.
        if let saved, saved.segment == segment.number, saved.offset > end { return nil }
        if end < segment.size {
            guard (try? file.truncate(to: end)) != nil else { return nil }
            tornBytes += segment.size - end
        }
        return ActiveSegment(number: segment.number, file: file, salt: salt, end: end)
    }
}
