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
/// It may be used from any thread. ``append(_:)`` makes one call of the system and does not wait for a reader.
public final class LogSpool: Sendable {
    /// Where the files are.
    public let directory: URL
    /// How much all files take at most.
    public let limit: ByteCount

    private let appender: Locked<SpoolAppender>
    /// Taken before the other.
    private let reader: Locked<SpoolReader>
    private let opening: LogSpoolReport
    /// Goes with the spool.
    private let lock: SpoolLock

    /// Opens a spool; what an earlier process has left is read through once, to count and check it.
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
        lock = opening.lock
        appender = Locked(opening.appender)
        reader = Locked(opening.reader)
        self.opening = LogSpoolReport(
            tornBytes: opening.tornBytes,
            foreignFiles: opening.foreignFiles,
            isPositionLost: opening.isPositionLost
        )
        removeFinished(before: opening.reader.front)
    }

    /// "files in" the directory, and the bound.
    public var summary: String { "files in \(directory.path), up to \(limit)" }

    /// Adds a record at the end.
    ///
    /// When it returns, the record is with the system: it survives the end of the process.
    ///
    /// - Throws: ``LogSpoolError``; then the record was not kept.
    public func append(_ record: LogRecord) throws(LogSpoolError) {
        var frame = try SpoolSegment.frame(record)
        let isSevere = record.level >= .warning
        let outcome = appender.withLock { appender in
            Result { () throws(LogSpoolError) in try appender.append(&frame, isSevere: isSevere) }
        }
        try outcome.get()
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
        let limits = SpoolReader.Limits(records: maximumRecords, bytes: maximumBytes.bytes)
        let outcome = reader.withLock { reader in
            Result { () throws(LogSpoolError) -> LogSpoolBatch? in
                let start = position ?? reader.front
                let view = appender.withLock { SpoolReader.View(sealed: $0.sealed, active: $0.active) }
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
        let outcome = reader.withLock { reader in
            reader.move(to: position)
            let saved = Result { () throws(LogSpoolError) in try reader.save() }
            // Even where that has failed: a segment that is gone does not come again either.
            removeFinished(before: reader.front)
            return saved
        }
        try outcome.get()
    }

    private func removeFinished(before position: LogSpoolPosition) {
        let (finished, directory) = appender.withLock { ($0.finished(before: position), $0.directory) }
        if finished.isEmpty { return }
        var gone: Set<UInt64> = []
        // The oldest first, so that what is left is the end. What cannot be removed now is tried again with the next.
        for segment in finished {
            guard (try? directory.files.remove(directory.segment(segment.number))) != nil else { break }
            gone.insert(segment.number)
        }
        try? directory.synchronize()
        appender.withLock { [gone] in $0.forget(gone) }
    }

    /// Whether everything was acknowledged.
    public var isEmpty: Bool { report.pendingBytes == 0 }

    /// What the spool holds, and what became of records.
    public var report: LogSpoolReport {
        var report = opening
        let front = reader.withLock { reader in
            report.damagedParts = reader.damagedParts
            report.damagedBytes = reader.damagedBytes
            return reader.front
        }
        appender.withLock { appender in
            report.bytes = appender.total
            report.pendingBytes = appender.pending(after: front)
            report.pendingRecords = report.pendingBytes == 0 ? 0 : max(1, appender.recordsEnd - front.index)
            report.segments = appender.sealed.count + (appender.active == nil ? 0 : 1)
            report.acceptedRecords = appender.accepted
            report.refusedRecords = appender.refused
            report.lastFailure = appender.lastFailure
        }
        return report
    }
}
