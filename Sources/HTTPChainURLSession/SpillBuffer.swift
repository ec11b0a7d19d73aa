import Foundation
import HTTPChainCore

/// Bytes between a producer that cannot be slowed down and one consumer: in memory up to a watermark, then in
/// temporary files, in order.
///
/// One thread appends, one task reads, and a thread that may wait for the disk writes. What waits in memory is read
/// before what waits on disk; once that is read empty it is deleted and memory is used again. The disk holds a queue of
/// files of bounded size, so that a reader that follows at a distance gives space back as it goes.
final class SpillBuffer: Sendable {
    fileprivate struct State {
        var chunks: [Data] = []
        var bytesInMemory = 0
        var segments: [Segment] = []
        var bytesOnDisk: Int64 = 0
        /// The chunks to be written, in order, after those on disk.
        var unwritten: [Data] = []
        /// With what is being written.
        var unwrittenCount = 0
        var isWriting = false
        /// Whether the producer waits for the disk.
        var isThrottled = false
        var end: End = .open
        var reader: CheckedContinuation<Void, Never>?

        mutating func takeReader() -> CheckedContinuation<Void, Never>? {
            let reader = self.reader
            self.reader = nil
            return reader
        }
    }

    fileprivate struct Segment {
        let file: TemporaryFile
        var start: Int64 = 0
        var end: Int64 = 0
    }

    fileprivate enum End {
        case open
        /// Nothing more comes; what waits is read first.
        case finished((any Error)?)
        /// The chunks that wait are discarded.
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

    /// How much waits for a disk that is slower than the network, in memory, before the producer waits too.
    private static let unwrittenLimit = 8 * 1_048_576

    /// Small chunks that wait are joined up to this size, so that a trickle of single bytes cannot cost a multiple of
    /// the watermark in bookkeeping.
    fileprivate static let joinedSize = 16_384

    /// - Parameters:
    ///   - watermark: How much waits in memory.
    ///   - limit: How much waits on disk.
    ///   - segmentSize: How large one file grows, about.
    ///   - directory: Where the files are.
    ///   - access: How the disk is reached.
    ///   - patience: How long a disk may take nothing before the transfer fails.
    ///   - onFailure: Is told what the disk refused.
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

    /// Adds bytes; those that come after the end are dropped.
    ///
    /// What goes to the disk is written by another thread: the caller's may be one that all transfers depend on. It
    /// waits only for a disk that is far behind, and not for long.
    ///
    /// - Throws: ``SpillLimitError`` when more waits on disk than is allowed; ``BodyError`` when the disk stalls.
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
        state.withLock { $0.takeReader() }?.resume()
    }

    private func waitForDisk() throws {
        guard written.wait(timeout: .now() + patience.inSeconds) == .timedOut else { return }
        let isStalled = state.withLock { state in
            defer { state.isThrottled = false }
            return state.isThrottled
        }
        // The disk was just in time, and has signalled.
        guard isStalled else { return written.wait() }
        let stalled = "the disk took nothing for \(patience)"
        throw BodyError(.file(path: directory.path, operation: "write to", code: ETIMEDOUT, message: stalled))
    }

    /// Writes what waits for the disk, until nothing does.
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
        // Outside the lock: the reader never looks beyond the end that is published after the write.
        try last.file.content.write(data, at: last.end)
        let (reader, resumes) = state.withLock { state in
            state.publish(data.count)
            let resumes = state.isThrottled && state.unwrittenCount <= Self.unwrittenLimit / 2
            if resumes { state.isThrottled = false }
            return (state.takeReader(), resumes)
        }
        if resumes { written.signal() }
        reader?.resume()
    }

    /// Whether nothing waits to be written.
    var isWritten: Bool { state.withLock { $0.unwrittenCount == 0 } }

    /// Says that nothing more comes; the reader gets what waits, then the error or the end.
    func finish(throwing error: (any Error)? = nil) {
        state.withLock { state in
            if case .open = state.end { state.end = .finished(error) }
            return state.takeReader()
        }?.resume()
    }

    /// Throws away what waits and fails the reader at once.
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
            return (state.takeReader(), dropped, resumes)
        }
        if resumes { written.signal() }
        reader?.resume()
        withExtendedLifetime(dropped) {}
    }

    /// The next bytes, or `nil` at the end.
    ///
    /// - Throws: What the producer finished or aborted with; ``BodyError`` when the file cannot be read.
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

    /// Whether somebody waits for bytes.
    var hasWaitingReader: Bool { state.withLock { $0.reader != nil } }

    /// Whether nothing more comes.
    var isFinished: Bool {
        state.withLock { state in
            if case .open = state.end { false } else { true }
        }
    }
}

extension SpillBuffer.State {
    /// Whether there is nothing for a reader yet, and something may come.
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
        // The reader may have come to the end of the one before.
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

    /// Gives up the files that are read to their end, but for the one that is written to.
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
