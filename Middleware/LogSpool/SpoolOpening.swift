import HTTPChainCore

/// What is found in the directory of a spool when it is opened.
struct SpoolOpening {
    let lock: SpoolLock
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
        var found: [UInt64: SpoolSegment.Content] = [:]
        var records = SpoolRecords()
        for number in numbers.sorted() {
            guard let status = try files.status(of: directory.segment(number)), status.kind == .regular else {
                foreignFiles += 1
                continue
            }
            let size = status.size
            var header: SpoolSegment.Header? = .damaged
            // What is done with is only still to be removed.
            if number >= saved?.segment ?? 0 {
                let offset = saved?.segment == number ? saved?.offset ?? 0 : 0
                let content: SpoolSegment.Content
                (header, content) = try Self.inspect(number, size, directory, before: offset)
                found[number] = content
                records = SpoolRecords(first: records.end - content.recordsBefore, count: content.records)
            }
            segments.append(SealedSegment(number: number, size: size, header: header, records: records))
        }

        var active: ActiveSegment?
        if let last = segments.last, last.size < Int64(SpoolSegment.headerSize) {
            // A process was killed as it began it. Were it left, the next would take it for damaged.
            if (try? files.remove(directory.segment(last.number))) != nil { segments.removeLast() }
        } else if let last = segments.last, let content = found[last.number] {
            active = Self.reopen(last, content, directory, after: saved, &tornBytes)
            if active != nil { segments.removeLast() }
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
        reader = SpoolReader(directory, positionFile, front: front, damagedParts: emptied.count)
    }

    /// - Returns: No header when it cannot be read now.
    private static func inspect(
        _ number: UInt64,
        _ size: Int64,
        _ directory: SpoolDirectory,
        before offset: Int64
    ) throws(LogSpoolError) -> (SpoolSegment.Header?, SpoolSegment.Content) {
        guard size <= SpoolSegment.maximumSize else { return (.damaged, SpoolSegment.Content()) }
        let path = directory.segment(number)
        guard let file = try? directory.files.open(path, .read), let bytes = try? file.read(Int(size), at: 0) else {
            return (nil, SpoolSegment.Content())
        }
        let header = SpoolSegment.header(bytes, number: number)
        switch header {
        case .newer: throw LogSpoolError(.newerFormat(file: path))
        case .damaged: return (header, SpoolSegment.Content())
        case .sound(let salt): return (header, SpoolSegment.content(of: bytes, salt: salt, before: offset))
        }
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
        return ActiveSegment(number: segment.number, file: file, salt: salt, end: end, records: segment.records)
    }
}
