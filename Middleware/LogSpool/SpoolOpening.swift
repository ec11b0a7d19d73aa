import HTTPChainCore

/// The findings in the directory of a spool when it is opened.
struct SpoolOpening {
    let lock: SpoolLock
    var appender: SpoolAppender
    var reader: SpoolReader
    /// The number of records that the last segment has that are not done with; of the others nobody has counted them
    /// yet.
    var recordsInLast = 0
    /// The bytes that a process which was killed had not written to the end.
    var tornBytes: Int64 = 0
    /// Things in the directory that are not the spool's.
    var foreignFiles = 0
    /// Whether it is not known how far an earlier process had come.
    var isPositionLost = false

    init(_ directory: SpoolDirectory, _ limits: SpoolLimits) throws(LogSpoolError) {
        let files = directory.files
        try directory.make()
        lock = try SpoolLock(directory)
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
            guard let status = try files.status(of: directory.segment(number)), status.kind == .regular else {
                foreignFiles += 1
                continue
            }
            // A file that is too long or too short is no segment. Of the others the header is read, and their records
            // when it is their turn: what opening takes does not grow with what was left.
            let canBeRead = status.size >= Int64(SpoolSegment.headerSize) && status.size <= SpoolSegment.maximumSize
            let isLeft = number >= saved?.segment ?? 0
            let header = canBeRead && isLeft ? try Self.header(number, directory) : .damaged
            segments.append(SealedSegment(number: number, size: status.size, header: header))
        }

        var active: ActiveSegment?
        if let last = segments.last, last.size < Int64(SpoolSegment.headerSize) {
            // A process was killed as it began it. Were it left, the next would take it for damaged.
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
        // A segment is begun once the one before it has its header.
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
    }

    /// - Returns: `nil` when it cannot be read now.
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

    /// - Returns: No header when it cannot be read now.
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

    /// Takes up the last segment where it was left, without what was not written to the end.
    ///
    /// - Returns: `nil` when another segment is to be begun instead.
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
        // Where less is left than was done with, what is added would be taken for done.
        if let saved, saved.segment == segment.number, saved.offset > end { return nil }
        if end < segment.size {
            guard (try? file.truncate(to: end)) != nil else { return nil }
            tornBytes += segment.size - end
        }
        return ActiveSegment(number: segment.number, file: file, salt: salt, end: end)
    }
}
