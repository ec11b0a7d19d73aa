public import Foundation

/// A file, or a range of one, read from disk each time.
struct FileBody: Sendable {
    let url: URL
    let range: Range<Int64>?
    /// Keeps a temporary file alive while a body refers to it.
    var keepAlive: TemporaryFile?
    var access = FileAccess.standard
    /// The size if it has been looked up, so that it isn't looked up again; `nil` before that.
    var knownSize: Int64?

    /// The length, if it is known from a range or ``knownSize``.
    var length: Int64? {
        guard let range else { return knownSize }
        let (count, overflows) = range.upperBound.subtractingReportingOverflow(range.lowerBound)
        return overflows ? nil : count
    }

    /// Returns the same file with its size looked up, on a thread that may wait for the disk.
    func measured() async throws -> FileBody {
        guard range == nil, knownSize == nil else { return self }
        var copy = self
        copy.knownSize = try await access.executor.run { [url, access] in
            try ContentFile.reading(url.path, access: access).contentLength
        }
        return copy
    }

    func open() async throws -> FileReader {
        try await access.executor.run { [self] in
            let file = try ContentFile.reading(url.path, access: access)
            let version = try file.version
            let size = version.size
            guard let range else {
                guard knownSize == nil || knownSize == size else { throw BodyError(.fileChanged(path: url.path)) }
                // Files in /proc report a size of 0 but have content, which differs each time.
                return size == 0 && knownSize == nil
                    ? FileReader(file: file, range: nil, version: nil, mayGrow: false, keepAlive: keepAlive)
                    : FileReader(file: file, range: 0..<size, version: version, mayGrow: false, keepAlive: keepAlive)
            }
            guard range.lowerBound >= 0, range.upperBound <= size else {
                throw BodyError(.rangeOutsideFile(path: url.path, range: range, fileSize: size))
            }
            return FileReader(file: file, range: range, version: version, mayGrow: true, keepAlive: keepAlive)
        }
    }
}

/// Reads an open file in chunks: a range, or to the end if the length is unknown.
struct FileReader: BodyReader, Sendable {
    private let file: ContentFile
    private var offset: Int64
    /// The end offset, or `nil` to read to the end of the file.
    private let end: Int64?
    private var isFinished = false
    /// The version of the file when it was opened, or `nil` if it can't be compared.
    private let version: FileVersion?
    private let mayGrow: Bool
    private let keepAlive: TemporaryFile?
    /// Whether data in the system's memory is read on the calling thread, which avoids a thread switch.
    private let readsImmediately: Bool
    /// Chunks already read, in reverse order.
    private var ahead: [Data] = []

    /// The number of chunks read at once.
    ///
    /// A system call, or dispatching a read to a thread that may block, costs as much as reading a chunk.
    private static let chunkCount = 4

    /// Blocks on disk access.
    init(file: ContentFile, range: Range<Int64>?, version: FileVersion?, mayGrow: Bool, keepAlive: TemporaryFile?) {
        self.file = file
        readsImmediately = version != nil && file.readsImmediately
        self.version = version
        self.mayGrow = mayGrow
        offset = range?.lowerBound ?? 0
        end = range?.upperBound
        self.keepAlive = keepAlive
    }

    nonisolated(nonsending) mutating func read() async throws -> Data? {
        if let chunk = ahead.popLast() { return chunk }
        guard !isFinished, offset != end else { return nil }
        try Task.checkCancellation()
        if readsImmediately, let chunk = try chunkInMemory() { return chunk }
        let chunks = try await file.access.executor.run { [file, offset, end, version, mayGrow] in
            let chunks = try Self.chunks(of: file, from: offset, to: end ?? .max)
            // Checks after reading, so that all chunks returned have the same version, and the last chunk of a changed
            // file isn't returned.
            if let version { try file.requireUnchanged(since: version, mayGrow: mayGrow) }
            return chunks
        }
        guard !chunks.isEmpty else {
            guard end == nil else { throw BodyError(.fileChanged(path: file.path)) }
            isFinished = true
            return nil
        }
        return first(of: chunks)
    }

    /// Reads the next chunk if the system has it in memory; returns nil if it would have to wait for the disk.
    private mutating func chunkInMemory() throws -> Data? {
        guard let version, let end else { return nil }
        let count = Int(min(Int64(Self.chunkCount * HTTPBody.chunkSize), end - offset))
        // The metadata of an open file is in memory, too.
        guard count > HTTPBody.chunkSize else {
            // A single chunk, as for most files, needs no array.
            guard let chunk = file.readImmediately(at: offset, count: count) else { return nil }
            try file.requireUnchanged(since: version, mayGrow: mayGrow)
            offset += Int64(chunk.count)
            return chunk
        }
        let chunks = file.chunksInMemory(at: offset, count: count)
        guard !chunks.isEmpty else { return nil }
        try file.requireUnchanged(since: version, mayGrow: mayGrow)
        return first(of: chunks)
    }

    /// Returns the first of several chunks, and keeps the others.
    private mutating func first(of chunks: [Data]) -> Data? {
        offset += chunks.reduce(0) { $0 + Int64($1.count) }
        ahead = chunks.reversed()
        return ahead.popLast()
    }

    /// Reads the next chunks; returns none at the end of the file.
    private static func chunks(of file: ContentFile, from start: Int64, to end: Int64) throws -> [Data] {
        var chunks: [Data] = []
        var offset = start
        while chunks.count < chunkCount, offset < end {
            let count = Int(min(Int64(HTTPBody.chunkSize), end - offset))
            let position = offset
            switch Result(catching: { try file.read(at: position, count: count) }) {
            case .success(let chunk) where !chunk.isEmpty:
                chunks.append(chunk)
                offset += Int64(chunk.count)
            case .failure(let error) where chunks.isEmpty: throw error
            // Chunks read before the failure are returned first; the next read fails again.
            case .success, .failure: return chunks
            }
        }
        return chunks
    }
}

extension HTTPBody {
    /// Makes a body from a file, or a range of it, which is read when the body is read.
    ///
    /// The file is opened for each read, which throws a ``BodyError`` if the file is missing, a directory, a pipe or a
    /// device, if the range is outside the file, or if the file changes while it is read. A change is a different size
    /// (including growth) or modification time; if a range is given, the file may grow, as a log does. The error is
    /// thrown before the end of the body, so that the receiver never gets a complete request. Reading waits for the
    /// disk on the package's own threads, never on Swift's.
    ///
    /// - Parameters:
    ///   - url: A file URL.
    ///   - range: The byte range. Defaults to the whole file.
    public static func file(_ url: URL, range: Range<Int64>? = nil) -> HTTPBody {
        HTTPBody(storage: .file(FileBody(url: url, range: range)))
    }

    /// Makes a body from a file with custom file access, for tests with a disk that fails or stalls.
    package static func file(_ url: URL, range: Range<Int64>? = nil, access: FileAccess) -> HTTPBody {
        HTTPBody(storage: .file(FileBody(url: url, range: range, access: access)))
    }

    /// Whether ``length`` is unknown only because it hasn't been looked up.
    package var isUnmeasuredFile: Bool {
        if case .file(let file) = storage { file.range == nil && file.knownSize == nil } else { false }
    }

    /// Returns the same body with the ``length`` of a whole file looked up on disk; other bodies are returned unchanged.
    ///
    /// A chain and the transports do so for each request. A file that can't be accessed is returned unchanged, and
    /// reading it throws the error. If its size changes afterwards, reading it throws a ``BodyError``.
    ///
    /// - Throws: `CancellationError`.
    public func measured() async throws -> HTTPBody {
        guard isUnmeasuredFile, case .file(let file) = storage else { return self }
        do {
            return HTTPBody(storage: .file(try await file.measured()))
        } catch let error as CancellationError {
            throw error
        } catch {
            return self
        }
    }

    /// Returns the ``length`` of the body, or of its file on disk; `nil` if a file can't be accessed.
    ///
    /// - Throws: `CancellationError`.
    package func measuredLength() async throws -> Int64? {
        try await measured().length
    }
}
