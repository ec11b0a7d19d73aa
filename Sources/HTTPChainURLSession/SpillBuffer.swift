import Foundation
import HTTPChainCore

/// Bytes between a producer that cannot be slowed down and one consumer: in memory up to a watermark, then in
/// temporary files, in order.
///
/// One thread appends, one task reads. What waits in memory is read before what waits on disk; once that is read empty
/// it is deleted and memory is used again. The disk holds a queue of files of bounded size, so that a reader that
/// follows at a distance gives space back as it goes.
final class SpillBuffer: Sendable {
    fileprivate struct State {
        var chunks: [Data] = []
        var bytesInMemory = 0
        var segments: [Segment] = []
        var bytesOnDisk: Int64 = 0
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
        /// What waits is thrown away.
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
    private let state = Locked(State())

    /// Small chunks that wait are joined up to this size, so that a trickle of single bytes cannot cost a multiple of
    /// the watermark in bookkeeping.
    fileprivate static let joinedSize = 16_384

    /// - Parameters:
    ///   - watermark: How much waits in memory.
    ///   - limit: How much waits on disk.
    ///   - segmentSize: How large one file grows, about.
    ///   - directory: Where the files are.
    init(
        watermark: ByteCount,
        limit: ByteCount,
        segmentSize: ByteCount = .mebibytes(64),
        directory: URL = FileManager.default.temporaryDirectory
    ) {
        self.watermark = Int(clamping: watermark.bytes)
        self.limit = limit
        self.segmentSize = segmentSize.bytes
        self.directory = directory
    }

    /// Adds bytes; those that come after the end are dropped.
    ///
    /// - Throws: ``SpillLimitError`` when more waits on disk than is allowed; ``BodyError`` when the disk refuses.
    func append(_ data: Data) throws {
        guard !data.isEmpty else { return }
        let segment: Segment? = try state.withLock { state in
            guard case .open = state.end else { return nil }
            if state.bytesOnDisk == 0 {
                state.segments = []
                if state.bytesInMemory + data.count <= watermark {
                    state.keep(data)
                    return nil
                }
            }
            guard state.bytesOnDisk + Int64(data.count) <= limit.bytes else { throw SpillLimitError(limit: limit) }
            if let last = state.segments.last, last.end < segmentSize { return last }
            let segment = Segment(file: try TemporaryFile(in: directory))
            state.segments.append(segment)
            return segment
        }
        if let segment {
            // Outside the lock: the reader never looks beyond the end that is published after the write.
            try segment.file.descriptor.write(data, at: segment.end)
            state.withLock { $0.publish(data.count) }
        }
        state.withLock { $0.takeReader() }?.resume()
    }

    /// Says that nothing more comes; the reader gets what waits, then the error or the end.
    func finish(throwing error: (any Error)? = nil) {
        state.withLock { state in
            if case .open = state.end { state.end = .finished(error) }
            return state.takeReader()
        }?.resume()
    }

    /// Throws away what waits and fails the reader at once.
    func abort(throwing error: any Error) {
        let (reader, dropped) = state.withLock { state in
            if case .aborted = state.end {} else { state.end = .aborted(error) }
            let dropped = state.segments
            state.chunks = []
            state.bytesInMemory = 0
            state.segments = []
            state.bytesOnDisk = 0
            return (state.takeReader(), dropped)
        }
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
                let data = try file.descriptor.read(at: offset, count: count)
                guard !data.isEmpty else { throw BodyError(.fileChanged(path: file.url.path)) }
                state.withLock { $0.consume(data.count) }
                return data
            case .wait:
                await withCheckedContinuation { continuation in
                    let isReady = state.withLock { state in
                        if case .open = state.end, !state.hasBytes {
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

    /// Whether nothing more comes.
    var isFinished: Bool {
        state.withLock { state in
            if case .open = state.end { false } else { true }
        }
    }
}

extension SpillBuffer.State {
    fileprivate var hasBytes: Bool {
        !chunks.isEmpty || bytesOnDisk > 0
    }

    fileprivate mutating func keep(_ data: Data) {
        bytesInMemory += data.count
        if let last = chunks.indices.last, chunks[last].count + data.count <= SpillBuffer.joinedSize {
            chunks[last].append(data)
        } else {
            chunks.append(data)
        }
    }

    fileprivate mutating func publish(_ count: Int) {
        guard let last = segments.indices.last else { return }
        segments[last].end += Int64(count)
        bytesOnDisk += Int64(count)
    }

    fileprivate mutating func consume(_ count: Int) {
        guard !segments.isEmpty else { return }
        segments[0].start += Int64(count)
        bytesOnDisk -= Int64(count)
        if segments[0].start == segments[0].end, segments.count > 1 { segments.removeFirst() }
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
