public import Foundation
public import HTTPChainCore
public import HTTPChainRemoteLogging
import Logging

/// Stores log records in files until they are sent, even if the program is restarted in between.
///
/// ```swift
/// let shipper = LogShipper(
///     to: "https://logs.example.com/v1/logs",
///     format: .otlp,
///     resource: LogResource(serviceName: "Garden"),
///     over: transport,
///     spool: try LogSpool(directory: support.appendingPathComponent("log-spool"), limit: .mebibytes(64))
/// )
/// ```
///
/// A record that was written is delivered even if the process is killed (`kill -9`) immediately afterwards: the next
/// process that opens the directory delivers it before its own records, in order. Acknowledged records aren't delivered
/// again. If the process is killed between sending a batch and acknowledging it, that batch is delivered again. For
/// power failures, see ``LogSpoolDurability``.
///
/// - **Limits.** The total size of all files stays within the limit. The last tenth of it is reserved for records of
///   level `warning` and above. A record that doesn't fit is refused with ``LogSpoolError/Problem/full(limit:)``;
///   accepted records are never discarded to make room for it. Space is released one segment at a time, when all of its
///   records are acknowledged.
/// - **Failures.** If a disk is full, can't be written to or is gone, a record is refused. The partially written record
///   is removed, and records are accepted again once the disk works. A refused record is delivered only if the failing
///   disk wrote it without confirmation and the process ended before removing it.
/// - **Damage.** Each record has a checksum. Unreadable parts are skipped up to the next readable record.
/// - **Exclusive use.** Only one spool of one process can use a directory. Others are refused with
///   ``LogSpoolError/Problem/inUse(directory:)``. Files with other names aren't touched. Use ``suspend()`` and
///   ``resume()`` in an app that the system can suspend.
/// - **Privacy.** Directories that the spool creates are accessible only to this user (0700), and so are its files
///   (0600).
///
/// A spool may be used from any thread. A `LogShipper` appends records in groups on a separate thread, so logging never
/// waits for the disk.
public final class LogSpool: Sendable {
    /// The directory of the files.
    package let directory: URL
    /// The maximum size of all files together.
    package let limit: ByteCount

    /// This lock is held while a record is written, even if the disk is slow.
    private let appender: Locked<SpoolAppender>
    /// This lock is acquired before the other one, and held while records are read.
    private let reader: Locked<SpoolReader>
    /// A copy of the last state of both, for callers that must not wait for a stalled disk.
    private let seen: Locked<(appender: SpoolAppender, reader: SpoolReader)>
    /// The state found when the spool was opened.
    let findings: Findings
    /// The lock on the directory, released with the spool or when it is closed.
    private let lock: Locked<SpoolLock?>
    /// The content of the directory when the spool was last suspended.
    private let suspended = Locked<SpoolDirectory.Snapshot?>(nil)

    /// The records and files left by an earlier process.
    struct Findings: Sendable {
        /// The beginning and end of the records that the earlier process left.
        let front: LogSpoolPosition
        let end: LogSpoolPosition
        /// The segments, oldest first.
        let segments: [UInt64]
        /// The number of unacknowledged records in the last segment.
        let recordsInLast: Int
        /// The size in bytes of a partially written record, which was never accepted.
        let tornBytes: Int64
        /// The number of items in the directory that don't belong to the spool.
        let foreignFiles: Int
        /// Whether the saved position was damaged, so that acknowledged records are delivered again.
        let isPositionLost: Bool
    }

    /// Opens a spool.
    ///
    /// The time that this takes doesn't depend on the amount that an earlier process left. Only the last segment is
    /// read, to find its last complete record.
    ///
    /// - Parameters:
    ///   - directory: A file URL; the directory is created if it doesn't exist.
    ///   - limit: The maximum size of all files; 64 MiB by default.
    ///   - segmentSize: The maximum size of one file, and of a record; 1 MiB by default. It is at least 4 KiB, and at
    ///     most 16 MiB or a quarter of the limit.
    ///   - durability: The kinds of failures that records survive; the end of the process by default.
    /// - Throws: ``LogSpoolError`` if the directory is in use, has a later version, or can't be read or written.
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

    package init(
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
        findings = opening.findings
        removeFinished(before: findings.front)
    }

    /// The text "files in", the directory, and the limit.
    package var summary: String { "files in \(directory.path), up to \(limit)" }

    /// Adds a record at the end.
    ///
    /// When this returns, the operating system has the record, so that it survives the end of the process.
    ///
    /// - Throws: ``LogSpoolError`` if the record wasn't kept.
    package func append(_ record: LogRecord) throws(LogSpoolError) {
        if let failure = append(contentsOf: [record]).first ?? nil { throw failure }
    }

    /// Adds records at the end, in order, with as few system calls as possible.
    ///
    /// With ``LogSpoolDurability/power``, all records for one segment wait for the disk together.
    ///
    /// When this returns, the operating system has the kept records, as with `append(_:)`.
    ///
    /// - Returns: For each record, the reason why it wasn't kept, or `nil` if it was.
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
    /// Unreadable parts are skipped and counted in the batch. The batch may then have no records, but must be
    /// acknowledged in the same way.
    ///
    /// - Parameters:
    ///   - position: The end of an earlier batch that isn't acknowledged yet, or `nil` for the front.
    ///   - end: The position up to which records are read, or `nil` for the end of the spool.
    ///   - maximumRecords: The maximum number of records; at least one.
    ///   - maximumBytes: The maximum total size on disk; 4 MiB by default. The first record is read even if it is
    ///     larger.
    /// - Returns: `nil` if there is nothing more to read.
    /// - Throws: ``LogSpoolError`` if the disk can't be read. In that case, try again: if later records can be read, a
    ///   part that the disk can't read at the third attempt is skipped as damaged.
    package func nextBatch(
        after position: LogSpoolPosition? = nil,
        upTo end: LogSpoolPosition? = nil,
        maximumRecords: Int,
        maximumBytes: ByteCount = .mebibytes(4)
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

    /// Marks everything up to a position as done, so that neither this process nor the next one delivers it again.
    ///
    /// Files in which all records are acknowledged are removed.
    ///
    /// - Parameter position: The position of a batch. One before the front has no effect.
    /// - Throws: ``LogSpoolError`` if the position couldn't be saved. In that case, this process doesn't deliver the
    ///   records again, but the next one may.
    package func acknowledge(_ position: LogSpoolPosition) throws(LogSpoolError) {
        let outcome = read { reader in
            if let obstacle = seen.withLock({ $0.appender.obstacle }) {
                return Result<Void, LogSpoolError>.failure(LogSpoolError(obstacle))
            }
            reader.move(to: position)
            let saved = Result { () throws(LogSpoolError) in try reader.save() }
            // The segments are removed even if saving failed, because a removed segment isn't delivered again either.
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

    /// Returns a snapshot of the segments to read.
    private func view(upTo end: LogSpoolPosition? = nil) throws(LogSpoolError) -> SpoolReader.View {
        let (view, obstacle) = seen.withLock {
            (
                SpoolReader.View(sealed: $0.appender.sealed, active: $0.appender.active, end: end),
                $0.appender.obstacle
            )
        }
        if let obstacle { throw LogSpoolError(obstacle) }
        return view
    }

    /// Closes the spool, so that another spool can use the directory and continue with its records.
    ///
    /// A spool that is released closes itself. After closing, operations other than ``size`` and ``lastFailure`` fail
    /// with ``LogSpoolError/Problem/closed(directory:)``.
    public func close() {
        // This acquires both locks, so that the spool isn't closed during a read or an acknowledgement.
        read { _ in write { $0.close() } }
        unlock()
    }

    private func unlock() {
        // The lock on the directory is released outside the other locks.
        _ = lock.withLock { $0.take() }
    }

    /// Releases the lock on the directory while the app is suspended, until ``resume()`` is called.
    ///
    /// The system terminates an app that holds locks on files of its app group while it is suspended. Call this method
    /// in the background task that ends the app's work, after flushing the shipper. It waits for operations in
    /// progress. Until the spool is resumed, operations other than ``size`` and ``lastFailure`` fail with
    /// ``LogSpoolError/Problem/suspended(directory:)``. On a closed spool, it has no effect.
    public func suspend() {
        read { _ in
            write { appender in
                guard appender.obstacle == nil else { return }
                appender.obstacle = .suspended(directory: directory.path)
                suspended.withLock { [directory = appender.directory] in $0 = try? directory.snapshot() }
                unlock()
            }
        }
    }

    /// Allows operations again after ``suspend()``.
    ///
    /// On a spool that isn't suspended, it has no effect.
    ///
    /// - Throws: ``LogSpoolError`` with ``LogSpoolError/Problem/inUse(directory:)`` if another process is using the
    ///   directory; the spool then remains suspended. ``LogSpoolError/Problem/usedMeanwhile(directory:)`` if another
    ///   process used it in between; the spool is then closed.
    public func resume() throws(LogSpoolError) {
        let outcome = read { _ in
            write { appender in
                Result { () throws(LogSpoolError) in
                    guard case .suspended = appender.obstacle else { return }
                    let held = try SpoolLock(appender.directory)
                    guard let before = suspended.withLock({ $0 }), before == (try appender.directory.snapshot()) else {
                        appender.obstacle = .usedMeanwhile(directory: directory.path)
                        throw LogSpoolError(.usedMeanwhile(directory: directory.path))
                    }
                    lock.withLock { $0 = held }
                    appender.obstacle = nil
                }
            }
        }
        try outcome.get()
    }

    private func removeFinished(before position: LogSpoolPosition) {
        let (finished, directory) = write { ($0.finished(before: position), $0.directory) }
        if finished.isEmpty { return }
        var gone: Set<UInt64> = []
        // The oldest segments are removed first, so that the newest ones are left. If a segment can't be removed now,
        // this is tried again later.
        for segment in finished {
            guard (try? directory.files.remove(directory.segment(segment.number))) != nil else { break }
            gone.insert(segment.number)
        }
        try? directory.synchronize()
        write { [gone] in $0.forget(gone) }
    }

    /// Whether all records are acknowledged.
    package var isEmpty: Bool { report.pendingBytes == 0 }

    /// The size of all files on the disk.
    ///
    /// Reading it doesn't wait for the disk.
    public var size: ByteCount { ByteCount(report.bytes) }

    /// The most recent reason why a record wasn't kept, other than a full spool.
    ///
    /// Reading it doesn't wait for the disk.
    public var lastFailure: LogSpoolError? { report.lastFailure }

    /// The spool's content, and the counts of its records since it was opened.
    ///
    /// Reading it doesn't wait for the disk.
    package var report: LogSpoolReport {
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

    /// Counts the unacknowledged records by reading all of their files.
    ///
    /// - Throws: ``LogSpoolError`` if the spool was closed. Unreadable records aren't counted.
    package func countPendingRecords() throws(LogSpoolError) -> Int {
        let view = try view()
        let reader = seen.withLock { $0.reader }
        return view.segments(upTo: nil).reduce(0) { $0 + reader.count($1.number, of: view, all: true) }
    }

    // MARK: For a shipper

    /// The position of the next record.
    var end: LogSpoolPosition { seen.withLock { $0.appender.end } }

    /// Counts the records that an earlier process left in a segment.
    func countRecovered(in segment: UInt64) -> Int {
        guard let view = try? view() else { return 0 }
        return seen.withLock { $0.reader }.count(segment, of: view, all: false)
    }

    /// The number of bytes skipped because they couldn't be read.
    var damagedBytes: Int64 { seen.withLock { $0.reader.damagedBytes } }
}
