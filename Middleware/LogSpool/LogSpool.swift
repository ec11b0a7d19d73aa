public import Foundation
public import HTTPChainCore
public import HTTPChainRemoteLogging
import Logging

/// Keeps log records in files until they are sent, from one run of the program to the next.
///
/// ```swift
/// let spool = try LogSpool(directory: support.appendingPathComponent("log-spool"), limit: .mebibytes(64))
/// try spool.append(record)
///
/// while let batch = try spool.nextBatch(maximumRecords: 512) {
///     try await send(batch.records)
///     try spool.acknowledge(batch.position)
/// }
/// ```
///
/// A record that was appended is delivered even when the process is killed (`kill -9`) right after: by the next
/// process that opens the directory, before its own records, in order. What was acknowledged does not come again.
/// Between the sending of a batch and its acknowledgement the process can still be killed; then the batch comes again.
/// A loss of power is another matter: see ``LogSpoolDurability``.
///
/// - **Bounds.** All files together stay within the limit. The last tenth of it is kept for records of level `warning`
///   and above. What does not fit is refused with ``LogSpoolError/Problem/full(limit:)``; nothing that was accepted is
///   thrown away for it. Space comes back a segment at a time, as everything in one is acknowledged.
/// - **Failures.** A disk that is full, cannot be written to or has gone away makes ``append(_:)`` throw; what was
///   written of that record is cut off, and once the disk is well again records are taken again. Only one that was
///   written, that a failing disk did not confirm and that could not be cut off before the process ended may come.
/// - **Damage.** Each record is under a checksum. What cannot be read is passed over, up to the next record that can,
///   and counted; see ``report``.
/// - **One at a time.** One spool of one process works in a directory; another is refused with
///   ``LogSpoolError/Problem/inUse(directory:)``. Files of other names in it are left alone.
/// - **Privacy.** Directories that it makes are for this user alone (0700), and so are its files (0600).
///
/// It may be used from any thread. ``append(_:)`` makes one call of the system and does not wait for a reader. A
/// `LogShipper` appends on a thread of its own, in groups, so that nothing that logs waits for the disk.
public final class LogSpool: Sendable {
    /// The directory of the files.
    public let directory: URL
    /// The largest size of all files together.
    public let limit: ByteCount

    /// Held while a record is written, however long the disk takes.
    private let appender: Locked<SpoolAppender>
    /// Taken before the other; held while records are read.
    private let reader: Locked<SpoolReader>
    /// How both were left, for who must not wait for a disk that stalls.
    private let seen: Locked<(appender: SpoolAppender, reader: SpoolReader)>
    /// The findings when the spool was opened.
    let findings: Findings
    /// Goes with the spool, or when it is closed.
    private let lock: Locked<SpoolLock?>

    /// The records and files that an earlier process has left.
    struct Findings: Sendable {
        /// Where its records begin and end.
        let front: LogSpoolPosition
        let end: LogSpoolPosition
        /// Its segments, the oldest first.
        let segments: [UInt64]
        /// The number of records that the last of them has that are not done with.
        let recordsInLast: Int
        /// How many bytes there were of a record that was never accepted.
        let tornBytes: Int64
        /// How many things in the directory are not the spool's.
        let foreignFiles: Int
        /// Whether it was damaged how far an earlier process had come, so that acknowledged records come again.
        let isPositionLost: Bool
    }

    /// Opens a spool, in the same short time whatever an earlier process has left: of that the last segment is read, to
    /// go on after what is whole in it.
    ///
    /// - Parameters:
    ///   - directory: A file URL; the directory is created where it is not there.
    ///   - limit: How much all files take at most; 64 MiB by default.
    ///   - segmentSize: How long one file becomes; 1 MiB by default. At least 4 KiB and at most 16 MiB or a quarter of
    ///     the limit, and no record is longer.
    ///   - durability: What records survive; the end of the process by default.
    /// - Throws: ``LogSpoolError`` when the directory is in use, is of a later version, or cannot be read or written.
    public convenience init(
        directory: URL,
        limit: ByteCount = .mebibytes(64),
        segmentSize: ByteCount = .mebibytes(1),
        durability: LogSpoolDurability = .process
    ) throws(LogSpoolError) {
        try self.init(
            directory: directory,
            limit: limit,
            segmentSize: segmentSize,
            durability: durability,
            files: SystemFiles()
        )
    }

    init(
        directory: URL,
        limit: ByteCount,
        segmentSize: ByteCount,
        durability: LogSpoolDurability,
        files: any FileSystem
    ) throws(LogSpoolError) {
        self.directory = directory
        self.limit = limit
        let place = SpoolDirectory(path: directory.path, files: Files(files), durability: durability)
        let opening = try SpoolOpening(place, SpoolLimits(limit, segmentSize: segmentSize))
        lock = Locked(opening.lock)
        appender = Locked(opening.appender)
        reader = Locked(opening.reader)
        seen = Locked((opening.appender, opening.reader))
        let front = opening.reader.front
        let segments = opening.appender.sealed.map(\.number) + [opening.appender.active?.number].compactMap { $0 }
        findings = Findings(
            front: front,
            end: opening.reader.openingEnd,
            segments: segments.filter { $0 >= front.segment },
            recordsInLast: opening.recordsInLast,
            tornBytes: opening.tornBytes,
            foreignFiles: opening.foreignFiles,
            isPositionLost: opening.isPositionLost
        )
        removeFinished(before: front)
    }

    /// "files in" the directory, and the bound.
    public var summary: String { "files in \(directory.path), up to \(limit)" }

    /// Adds a record at the end.
    ///
    /// When it returns, the record is with the system: it survives the end of the process.
    ///
    /// - Throws: ``LogSpoolError``; then the record was not kept.
    public func append(_ record: LogRecord) throws(LogSpoolError) {
        if let failure = append(contentsOf: [record]).first ?? nil { throw failure }
    }

    /// Adds records at the end, in their order, with as few calls of the system as can be: with
    /// ``LogSpoolDurability/power`` all that go into one segment wait for the disk once.
    ///
    /// When it returns, those that were kept are with the system, as with ``append(_:)``.
    ///
    /// - Returns: For each record why it was not kept; `nil` where it was.
    @discardableResult
    public func append(contentsOf records: [LogRecord]) -> [LogSpoolError?] {
        var frames: [SpoolFrame] = []
        frames.reserveCapacity(records.count)
        var failures: [Int: LogSpoolError] = [:]
        for (index, record) in records.enumerated() {
            do throws(LogSpoolError) {
                frames.append(SpoolFrame(bytes: try SpoolSegment.frame(record), isSevere: record.level >= .warning))
            } catch {
                failures[index] = error
            }
        }
        let refusals = Array(failures.values)
        var outcomes = write { [frames] appender in
            var frames = frames
            for refusal in refusals { appender.refuse(refusal) }
            return appender.append(&frames)
        }[...]
        if failures.isEmpty { return Array(outcomes) }
        return records.indices.map { index in failures[index] ?? outcomes.popFirst() ?? nil }
    }

    /// Reads records without removing them.
    ///
    /// What cannot be read is passed over, and counted in the batch, which may then have no records; it is acknowledged
    /// as any other.
    ///
    /// - Parameters:
    ///   - position: Where an earlier batch ended that is not acknowledged yet; `nil` for the front.
    ///   - maximumRecords: How many records at most; one at least.
    ///   - maximumBytes: How many bytes they may take on the disk together, unless the first alone takes more; 4 MiB
    ///     by default.
    /// - Returns: `nil` when there is nothing more to read.
    /// - Throws: ``LogSpoolError`` when the disk cannot be read. It is worth trying again: a part that the disk still
    ///   cannot read at the third attempt is passed over as damaged.
    public func nextBatch(
        after position: LogSpoolPosition? = nil,
        maximumRecords: Int,
        maximumBytes: ByteCount = .mebibytes(4)
    ) throws(LogSpoolError) -> LogSpoolBatch? {
        try nextBatch(after: position, upTo: nil, maximumRecords: maximumRecords, maximumBytes: maximumBytes)
    }

    /// Reads records, up to a position.
    func nextBatch(
        after position: LogSpoolPosition?,
        upTo end: LogSpoolPosition?,
        maximumRecords: Int,
        maximumBytes: ByteCount
    ) throws(LogSpoolError) -> LogSpoolBatch? {
        let limits = SpoolReader.Limits(records: maximumRecords, bytes: maximumBytes.bytes)
        let outcome = read { reader in
            Result { () throws(LogSpoolError) -> LogSpoolBatch? in
                let start = position ?? reader.front
                let view = try view(upTo: end)
                let batch = try reader.batch(after: start, of: view, limits)
                if !batch.records.isEmpty || batch.damagedParts > 0 { return batch }
                return nil
            }
        }
        return try outcome.get()
    }

    /// Has everything up to a position done with, so that it comes no more, in this process or the next.
    ///
    /// Files of which nothing is left to send are removed.
    ///
    /// - Parameter position: That of a batch. One before the front changes nothing.
    /// - Throws: ``LogSpoolError`` when it could not be written down: this process does not deliver the records again,
    ///   but the next may.
    public func acknowledge(_ position: LogSpoolPosition) throws(LogSpoolError) {
        let outcome = read { reader in
            if seen.withLock({ $0.appender.isClosed }) {
                return Result<Void, LogSpoolError>.failure(LogSpoolError(.closed(directory: directory.path)))
            }
            reader.move(to: position)
            let saved = Result { () throws(LogSpoolError) in try reader.save() }
            // Even where that has failed: a segment that is gone does not come again either.
            removeFinished(before: reader.front)
            return saved
        }
        try outcome.get()
    }

    private func write<Value: Sendable>(_ work: @Sendable (inout SpoolAppender) -> Value) -> Value {
        appender.withLock { appender in
            defer { seen.withLock { [appender] in $0.appender = appender } }
            return work(&appender)
        }
    }

    private func read<Value: Sendable>(_ work: @Sendable (inout SpoolReader) -> Value) -> Value {
        reader.withLock { reader in
            defer { seen.withLock { [reader] in $0.reader = reader } }
            return work(&reader)
        }
    }

    /// Where to read, as it is now.
    private func view(upTo end: LogSpoolPosition? = nil) throws(LogSpoolError) -> SpoolReader.View {
        let (view, isClosed) = seen.withLock {
            (
                SpoolReader.View(sealed: $0.appender.sealed, active: $0.appender.active, end: end),
                $0.appender.isClosed
            )
        }
        if isClosed { throw LogSpoolError(.closed(directory: directory.path)) }
        return view
    }

    /// Takes no more records, and lets another spool work in the directory; what is left stays for it.
    ///
    /// A spool that nobody holds any more closes by itself. What is asked of it afterwards fails with
    /// ``LogSpoolError/Problem/closed(directory:)``, but for ``report`` and ``isEmpty``.
    public func close() {
        // Not between a reading or an acknowledgement and its end.
        read { _ in write { $0.close() } }
        let held = lock.withLock { lock in
            defer { lock = nil }
            return lock
        }
        _ = held
    }

    private func removeFinished(before position: LogSpoolPosition) {
        let (finished, directory) = write { ($0.finished(before: position), $0.directory) }
        if finished.isEmpty { return }
        var gone: Set<UInt64> = []
        // The oldest first, so that what is left is the end. What cannot be removed now is tried again with the next.
        for segment in finished {
            guard (try? directory.files.remove(directory.segment(segment.number))) != nil else { break }
            gone.insert(segment.number)
        }
        try? directory.synchronize()
        write { [gone] in $0.forget(gone) }
    }

    /// Whether everything was acknowledged.
    public var isEmpty: Bool { report.pendingBytes == 0 }

    /// The report of what the spool holds, and of its records since it was opened; it does not wait for the disk.
    public var report: LogSpoolReport {
        let (appender, reader) = seen.withLock { $0 }
        return LogSpoolReport(
            bytes: appender.total,
            pendingBytes: appender.pending(after: reader.front),
            acceptedRecords: appender.accepted,
            refusedRecords: appender.refused,
            damagedParts: reader.damagedParts,
            lastFailure: appender.lastFailure
        )
    }

    /// Counts the records that are not acknowledged: it reads all files of them.
    ///
    /// - Throws: ``LogSpoolError`` when the spool was closed. What cannot be read is not counted.
    public func countPendingRecords() throws(LogSpoolError) -> Int {
        let view = try view()
        let numbers = view.sealed.map(\.number) + [view.active?.number].compactMap { $0 }
        let reader = seen.withLock { $0.reader }
        return numbers.reduce(0) { $0 + reader.count($1, of: view, all: true) }
    }

    // MARK: For a shipper

    /// Where the next record goes.
    var end: LogSpoolPosition { seen.withLock { $0.appender.end } }

    /// How many records of a segment an earlier process has left.
    func countRecovered(in segment: UInt64) -> Int {
        guard let view = try? view() else { return 0 }
        return seen.withLock { $0.reader }.count(segment, of: view, all: false)
    }

    /// The number of bytes that were passed over because they could not be read.
    var damagedBytes: Int64 { seen.withLock { $0.reader.damagedBytes } }
}
