import Foundation
import HTTPChainCore

/// A buffer between a producer that can't be slowed down and one consumer.
///
/// It is in memory up to a watermark, and beyond that in temporary files.
///
/// One thread appends, one task reads, and a thread that may block on the disk writes. Bytes in memory are read before
/// those on disk. When all bytes on disk have been read, the files are deleted and memory is used again. The disk has a
/// queue of files of limited size, so that a slow reader frees space as it reads.
final class SpillBuffer: Sendable {
    fileprivate struct State {
        var chunks: [Data] = []
        var bytesInMemory = 0
        var segments: [Segment] = []
        var bytesOnDisk: Int64 = 0
        /// The chunks to write, in order, after those on disk.
        var unwritten: [Data] = []
        /// The number of bytes to write, including those being written.
        var unwrittenCount = 0
        var isWriting = false
        /// Whether the producer waits for the disk.
        var isThrottled = false
        var end: End = .open
        var reader: CheckedContinuation<Void, Never>?
    }

    fileprivate struct Segment {
        let file: TemporaryFile
        var start: Int64 = 0
        var end: Int64 = 0
    }

    fileprivate enum End {
        case open
        /// No more bytes will follow; pending bytes are read first.
        case finished((any Error)?)
        /// Pending chunks are discarded.
        case aborted(any Error)
    }

    fileprivate enum Next {
        case chunk(Data)
        case spilled(TemporaryFile, at: Int64, count: Int)
        case end
        case wait
    }

    private let watermark: Int
    private let limit: ByteCount
    private let segmentSize: Int64
    private let directory: URL
    private let access: FileAccess
    private let patience: Duration
    private let onFailure: @Sendable (any Error) -> Void
    private let state = Locked(State())
    private let written = DispatchSemaphore(value: 0)

    /// The number of bytes that wait in memory for a slow disk above which the producer waits, too.
    private static let unwrittenLimit = 8 * 1_048_576

    /// Small pending chunks are joined up to this size.
    ///
    /// Otherwise, if single bytes arrived, bookkeeping could cost a multiple of the watermark.
    static let joinedSize = 16_384

    /// - Parameters:
    ///   - watermark: The maximum size in memory.
    ///   - limit: The maximum size on disk.
    ///   - segmentSize: The approximate maximum size of one file.
    ///   - directory: The directory of the files.
    ///   - access: The access to the disk.
    ///   - patience: The time without progress of the disk after which the transfer fails.
    ///   - onFailure: A closure that receives a disk error.
    init(
        watermark: ByteCount,
        limit: ByteCount,
        segmentSize: ByteCount = .mebibytes(64),
        directory: URL = FileManager.default.temporaryDirectory,
        access: FileAccess = .standard,
        patience: Duration = .seconds(5),
        onFailure: @escaping @Sendable (any Error) -> Void = { _ in }
    ) {
        self.watermark = Int(clamping: watermark.bytes)
        self.limit = limit
        self.segmentSize = segmentSize.bytes
        self.directory = directory
        self.access = access
        self.patience = patience
        self.onFailure = onFailure
    }

    /// Adds bytes; bytes that are added after the end are dropped.
    ///
    /// Another thread writes to the disk, because all transfers may depend on the calling thread. The caller waits only
    /// if the disk is far behind, and not for long.
    ///
    /// - Throws: ``SpillLimitError`` if more than the limit is pending on disk; ``BodyError`` if the disk stalls.
    func append(_ data: Data) throws {
        guard !data.isEmpty else { return }
        let (starts, waits) = try state.withLock { state in
            guard case .open = state.end else { return (false, false) }
            if state.bytesOnDisk == 0, state.unwrittenCount == 0 {
                state.segments = []
                if state.bytesInMemory + data.count <= watermark {
                    state.keep(data)
                    return (false, false)
                }
            }
            let waiting = state.bytesOnDisk + Int64(state.unwrittenCount) + Int64(data.count)
            guard waiting <= limit.bytes else { throw SpillLimitError(limit: limit) }
            state.unwritten.append(data)
            state.unwrittenCount += data.count
            state.isThrottled = state.unwrittenCount > Self.unwrittenLimit
            defer { state.isWriting = true }
            return (!state.isWriting, state.isThrottled)
        }
        if starts { access.executor.submit { self.writeAll() } }
        if waits { try waitForDisk() }
        state.withLock { $0.reader.take() }?.resume()
    }

    private func waitForDisk() throws {
        guard written.wait(timeout: .now() + patience.inSeconds) == .timedOut else { return }
        let isStalled = state.withLock { state in
            defer { state.isThrottled = false }
            return state.isThrottled
        }
        // The disk made progress just in time, and has signalled.
        guard isStalled else { return written.wait() }
        let stalled = "the disk accepted nothing for \(patience)"
        throw BodyError(.file(path: directory.path, operation: "write to", code: ETIMEDOUT, message: stalled))
    }

    /// Writes pending chunks to disk until none are left.
    private func writeAll() {
        while let chunks = state.withLock({ $0.takeUnwritten() }) {
            do {
                for chunk in chunks { try write(chunk) }
            } catch {
                abort(throwing: error)
                onFailure(error)
            }
        }
    }

    private func write(_ data: Data) throws {
        var last = state.withLock { $0.segments.last }
        if last.map({ $0.end >= segmentSize }) ?? true {
            let segment = Segment(file: try TemporaryFile(in: directory, access: access))
            state.withLock { $0.add(segment) }
            last = segment
        }
        guard let last else { return }
        // The bytes are written outside the lock. The reader never reads beyond the end, which is published after the
        // write.
        try last.file.content.write(data, at: last.end)
        let (reader, resumes) = state.withLock { state in
            state.publish(data.count)
            let resumes = state.isThrottled && state.unwrittenCount <= Self.unwrittenLimit / 2
            if resumes { state.isThrottled = false }
            return (state.reader.take(), resumes)
        }
        if resumes { written.signal() }
        reader?.resume()
    }

    /// Whether no chunks are pending.
    var isWritten: Bool { state.withLock { $0.unwrittenCount == 0 } }

    /// Marks the end of the bytes; the reader gets the pending bytes first, and then the error or the end.
    func finish(throwing error: (any Error)? = nil) {
        state.withLock { state in
            if case .open = state.end { state.end = .finished(error) }
            return state.reader.take()
        }?.resume()
    }

    /// Discards pending bytes and fails the reader immediately.
    func abort(throwing error: any Error) {
        let (reader, dropped, resumes) = state.withLock { state in
            if case .aborted = state.end {} else { state.end = .aborted(error) }
            let dropped = state.segments
            let resumes = state.isThrottled
            state.isThrottled = false
            state.unwritten = []
            state.unwrittenCount = 0
            state.chunks = []
            state.bytesInMemory = 0
            state.segments = []
            state.bytesOnDisk = 0
            return (state.reader.take(), dropped, resumes)
        }
        if resumes { written.signal() }
        reader?.resume()
        withExtendedLifetime(dropped) {}
    }

    /// Returns the next bytes; `nil` at the end.
    ///
    /// - Throws: The error that the producer finished or aborted with; ``BodyError`` if the file can't be read.
    nonisolated(nonsending) func read() async throws -> Data? {
        while true {
            switch try state.withLock({ try $0.next() }) {
            case .chunk(let data): return data
            case .end: return nil
            case .spilled(let file, let offset, let count):
                let data = try await access.executor.run { try file.content.read(at: offset, count: count) }
                guard !data.isEmpty else { throw BodyError(.fileChanged(path: file.url.path)) }
                state.withLock { $0.consume(data.count) }
                return data
            case .wait:
                await withCheckedContinuation { continuation in
                    let isReady = state.withLock { state in
                        if state.mustWait {
                            state.reader = continuation
                            return false
                        }
                        return true
                    }
                    if isReady { continuation.resume() }
                }
            }
        }
    }

    /// Whether a reader is waiting.
    var hasWaitingReader: Bool { state.withLock { $0.reader != nil } }

    /// Whether no more bytes will follow.
    var isFinished: Bool {
        state.withLock { state in
            if case .open = state.end { false } else { true }
        }
    }
}

extension SpillBuffer.State {
    /// Whether there are no bytes to read yet, but some may follow.
    fileprivate var mustWait: Bool {
        guard chunks.isEmpty, bytesOnDisk == 0 else { return false }
        return switch end {
        case .open: true
        case .finished: unwrittenCount > 0
        case .aborted: false
        }
    }

    fileprivate var isAborted: Bool {
        if case .aborted = end { true } else { false }
    }

    fileprivate mutating func takeUnwritten() -> [Data]? {
        guard !unwritten.isEmpty else {
            isWriting = false
            return nil
        }
        defer { unwritten = [] }
        return unwritten
    }

    fileprivate mutating func keep(_ data: Data) {
        bytesInMemory += data.count
        if let last = chunks.indices.last, chunks[last].count + data.count <= SpillBuffer.joinedSize {
            chunks[last].append(data)
        } else {
            chunks.append(data)
        }
    }

    fileprivate mutating func add(_ segment: SpillBuffer.Segment) {
        guard !isAborted else { return }
        segments.append(segment)
        // The reader may have reached the end of the previous one.
        dropReadSegments()
    }

    fileprivate mutating func publish(_ count: Int) {
        guard !isAborted, let last = segments.indices.last else { return }
        segments[last].end += Int64(count)
        bytesOnDisk += Int64(count)
        unwrittenCount -= count
    }

    fileprivate mutating func consume(_ count: Int) {
        guard !segments.isEmpty else { return }
        segments[0].start += Int64(count)
        bytesOnDisk -= Int64(count)
        dropReadSegments()
    }

    /// Releases the files that are fully read, except for the one being written.
    fileprivate mutating func dropReadSegments() {
        while segments.count > 1, segments[0].start == segments[0].end { segments.removeFirst() }
    }

    fileprivate mutating func next() throws -> SpillBuffer.Next {
        if case .aborted(let error) = end { throw error }
        if !chunks.isEmpty {
            let chunk = chunks.removeFirst()
            bytesInMemory -= chunk.count
            return .chunk(chunk)
        }
        if bytesOnDisk > 0, let first = segments.first {
            let count = Int(min(Int64(HTTPBody.chunkSize), first.end - first.start))
            return .spilled(first.file, at: first.start, count: count)
        }
        if mustWait { return .wait }
        switch end {
        case .open: return .wait
        case .finished(let error?): throw error
        case .finished(nil):
            segments = []
            return .end
        case .aborted(let error): throw error
        }
    }
}
