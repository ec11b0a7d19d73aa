import Foundation
import HTTPChainCore
import HTTPTypes

/// A source of the bytes of a request body, read on a thread of the platform.
protocol UploadSource: Sendable {
    /// Copies the next bytes into `buffer`, and returns their number; 0 at the end.
    ///
    /// It may block.
    func read(into buffer: UnsafeMutableRawBufferPointer) throws -> Int

    /// Makes ``read(into:)`` throw from now on, even a call that is blocked.
    func close()
}

/// The error for a body that is no longer needed.
struct UploadClosed: Error {}

/// A request body in a form that the platform accepts.
enum Upload: Sendable {
    case none
    case bytes(Data)
    /// A range of a file, with the body, which keeps the file alive.
    case file(URL, Range<Int64>, owner: HTTPBody)
    /// Any other stream, with its declared length.
    case stream(HTTPBody, length: Int64?)

    /// Whether there is no body.
    var isNone: Bool { if case .none = self { true } else { false } }

    /// The maximum size of a stream of known length that is read before it is sent.
    ///
    /// Such a stream then needs no separate thread, and its errors occur before anything is sent.
    private static let collectedSize: Int64 = 65_536

    /// - Parameters:
    ///   - wire: The request.
    ///   - memory: The maximum size in memory of a body that must be stored.
    ///   - limit: The maximum size of a body that must be stored.
    /// - Throws: Any error from reading a body that is stored; ``InvalidRequestError`` if it is larger than `limit`.
    init(_ wire: WireRequest, memory: ByteCount, limit: ByteCount) async throws {
        try await self.init(unstored: wire)
        guard PlatformBehaviour.storesStreamedUploads, case .stream(let body, let length) = self else { return }
        let stored: HTTPBody
        do {
            stored = try await HTTPBody.once(length: length) { try await body.makeReader() }
                .buffered(upTo: limit, memory: memory)
        } catch let error as BodyError where error.problem == .tooLarge(limit: limit) {
            throw InvalidRequestError(
                .unsupportedBody(
                    "the request body is larger than \(limit), and on Linux URLSession cannot send a stream before all "
                        + "of it is there; raise spillLimit, send a file, or use the AsyncHTTPClient transport"
                )
            )
        }
        if let bytes = stored.bytes {
            self = bytes.isEmpty ? .none : .bytes(bytes)
        } else if let file = stored.file, let length = stored.length {
            self = .file(file.url, 0..<length, owner: stored)
        }
    }

    private init(unstored wire: WireRequest) async throws {
        if let bytes = wire.body.bytes {
            self = bytes.isEmpty ? .none : .bytes(bytes)
        } else if let file = wire.body.file {
            // Opens the body, so that errors occur before anything is sent.
            _ = try await wire.body.makeReader()
            // The length is fixed here, so that a growing file can't exceed its Content-Length.
            guard let range = file.range ?? wire.contentLength.map({ 0..<$0 }) else {
                self = .stream(wire.body, length: nil)
                return
            }
            self = range.isEmpty ? .none : .file(file.url, range, owner: wire.body)
        } else if let length = wire.contentLength, length <= Self.collectedSize {
            let bytes = try await wire.body.collect(upTo: ByteCount(Self.collectedSize))
            self = bytes.isEmpty ? .none : .bytes(bytes)
        } else {
            self = .stream(wire.body, length: wire.contentLength)
        }
    }

    /// The number of bytes; `nil` if unknown until the end.
    var length: Int64? {
        switch self {
        case .none: 0
        case .bytes(let data): Int64(data.count)
        case .file(_, let range, _): Int64(range.count)
        case .stream(_, let length): length
        }
    }

    /// Whether an attempt before the last one may have reached the server.
    ///
    /// This depends on how often the platform requested the body, and whether it accepted bytes of the body, which it
    /// does only when it is connected.
    ///
    /// If the platform doesn't request the body, because there is none or the platform already has the bytes, it
    /// restarts silently. That doesn't matter for a method that may be repeated. For other methods, a restart is
    /// assumed.
    func mayHaveBeenSent(starts: Int, wasTaken: Bool, method: HTTPRequest.Method) -> Bool {
        switch self {
        case .none: !method.isIdempotent
        case .bytes where !PlatformBehaviour.asksForBytes: !method.isIdempotent
        case .bytes, .file, .stream: starts > 1 || wasTaken
        }
    }
}

/// An upload of bytes that are in memory or in a file, and therefore always available.
final class StoredUpload: UploadSource {
    private enum Content {
        case bytes(Data)
        case file(path: String, owner: HTTPBody)
    }

    private let content: Content
    private let rest: Locked<Range<Int64>?>
    /// The file; it is opened by the first read, which is on a thread that may block on the disk.
    private let opened = Locked<(file: ContentFile, version: FileVersion)?>(nil)

    init(_ bytes: Data) {
        content = .bytes(bytes)
        rest = Locked(0..<Int64(bytes.count))
    }

    init(file url: URL, range: Range<Int64>, owner: HTTPBody) {
        content = .file(path: url.path, owner: owner)
        rest = Locked(range)
    }

    func read(into buffer: UnsafeMutableRawBufferPointer) throws -> Int {
        guard let range = rest.withLock({ $0 }) else { throw UploadClosed() }
        let wanted = Int(min(Int64(buffer.count), Int64(range.count)))
        guard wanted > 0 else { return 0 }
        let chunk: Data
        switch content {
        case .bytes(let data):
            let start = data.startIndex + Int(range.lowerBound)
            chunk = data[start..<start + wanted]
        case .file(let path, let owner):
            let (file, version) = try opened.withLock { opened in
                if let opened { return opened }
                let file = try ContentFile.reading(path, access: .standard)
                let new = (file, try file.version)
                opened = new
                return new
            }
            chunk = try file.read(at: range.lowerBound, count: wanted)
            guard !chunk.isEmpty else { throw BodyError(.fileChanged(path: file.path)) }
            try file.requireUnchanged(since: version, mayGrow: owner.file?.range != nil)
        }
        chunk.copyBytes(to: buffer)
        rest.withLock { rest in
            if rest != nil { rest = range.lowerBound + Int64(chunk.count)..<range.upperBound }
        }
        return chunk.count
    }

    func close() {
        rest.withLock { $0 = nil }
    }
}

/// An upload whose body is read by a task, while the platform consumes the bytes on another thread, a few chunks later.
final class PulledUpload: UploadSource {
    private struct State {
        var chunks: [Data] = []
        var count = 0
        var isEnded = false
        var isClosed = false
        var isReaderBlocked = false
        var writer: CheckedContinuation<Void, Never>?

        mutating func unblockReader() -> Bool {
            defer { isReaderBlocked = false }
            return isReaderBlocked
        }
    }

    /// The number of bytes to read ahead.
    private static let highWater = 4 * HTTPBody.chunkSize

    private let state = Locked(State())
    private let changed = DispatchSemaphore(value: 0)

    /// Reads the body to its end, as fast as the platform consumes it.
    ///
    /// The chunk that completes a declared length is passed on only when the body has ended. If the body turns out to
    /// be longer, the server therefore never treats it as complete.
    ///
    /// - Throws: Any error from reading; ``BodyError`` if the body doesn't match its declared length; ``UploadClosed``.
    nonisolated(nonsending) func pump(_ body: HTTPBody, length: Int64?) async throws {
        var reader = try await body.makeReader()
        var count: Int64 = 0
        var last: Data?
        while let chunk = try await reader.read() {
            count += Int64(chunk.count)
            if let length, count > length { throw BodyError(.longerThanDeclared(declared: length)) }
            if count == length {
                last = chunk
            } else {
                try await put(chunk)
            }
        }
        if let length, count < length { throw BodyError(.shorterThanDeclared(declared: length, actual: count)) }
        if let last { try await put(last) }
        let isBlocked = state.withLock { state in
            state.isEnded = true
            return state.unblockReader()
        }
        if isBlocked { changed.signal() }
    }

    nonisolated(nonsending) private func put(_ chunk: Data) async throws {
        let (isClosed, isBlocked) = state.withLock { state in
            // Small chunks are joined, so that there are few.
            if let last = state.chunks.indices.last, state.chunks[last].count + chunk.count <= SpillBuffer.joinedSize {
                state.chunks[last].append(chunk)
            } else {
                state.chunks.append(chunk)
            }
            state.count += chunk.count
            return (state.isClosed, state.unblockReader())
        }
        if isClosed { throw UploadClosed() }
        if isBlocked { changed.signal() }
        await withCheckedContinuation { continuation in
            let mayGoOn = state.withLock { state in
                if state.isClosed || state.count < Self.highWater { return true }
                state.writer = continuation
                return false
            }
            if mayGoOn { continuation.resume() }
        }
    }

    /// Whether the platform is waiting for bytes.
    var hasWaitingReader: Bool { state.withLock { $0.isReaderBlocked } }

    /// Whether reading the body is paused until the platform has consumed some bytes.
    var hasWaitingWriter: Bool { state.withLock { $0.writer != nil } }

    func read(into buffer: UnsafeMutableRawBufferPointer) throws -> Int {
        while true {
            let copied = try state.withLock { state -> (count: Int, writer: CheckedContinuation<Void, Never>?)? in
                if state.isClosed { throw UploadClosed() }
                if let chunk = state.chunks.first {
                    let count = min(chunk.count, buffer.count)
                    chunk.copyBytes(to: buffer, count: count)
                    state.count -= count
                    if count == chunk.count {
                        state.chunks.removeFirst()
                    } else {
                        state.chunks[0] = chunk.dropFirst(count)
                    }
                    return (count, state.count < Self.highWater ? state.writer.take() : nil)
                }
                if state.isEnded { return (0, nil) }
                state.isReaderBlocked = true
                return nil
            }
            if let (count, writer) = copied {
                writer?.resume()
                return count
            }
            changed.wait()
        }
    }

    func close() {
        let (writer, isBlocked) = state.withLock { state in
            state.isClosed = true
            state.chunks = []
            state.count = 0
            return (state.writer.take(), state.unblockReader())
        }
        writer?.resume()
        if isBlocked { changed.signal() }
    }
}
