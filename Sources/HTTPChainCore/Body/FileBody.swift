public import Foundation

/// A file, or a range of one, read in chunks each time anew.
struct FileBody: Sendable {
    let url: URL
    let range: Range<Int64>?
    /// Keeps a temporary file in being while a body refers to it.
    var keepAlive: TemporaryFile?
    var access = FileAccess.standard
    /// The size as it was looked up once, so that nobody has to ask the disk again; `nil` before that.
    var knownSize: Int64?

    /// The length, for which the disk is asked unless a range or ``knownSize`` says it.
    var length: Int64? {
        if let range {
            let (count, overflows) = range.upperBound.subtractingReportingOverflow(range.lowerBound)
            return overflows ? nil : count
        }
        if let knownSize { return knownSize }
        return try? ContentFile.reading(url.path, access: access).contentLength
    }

    /// The same file with its size looked up, on a thread that may wait for the disk.
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
                // The files of /proc have a size of 0 and content, which is another each time.
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

/// Reads an open file in chunks: a range, or to the end where the length is unknown.
struct FileReader: BodyReader, Sendable {
    private let file: ContentFile
    private var offset: Int64
    /// Where to stop; `nil` where only the end of the file tells.
    private let end: Int64?
    private var isFinished = false
    /// The version of the file when it was opened; `nil` where that says nothing.
    private let version: FileVersion?
    private let mayGrow: Bool
    private let keepAlive: TemporaryFile?
    /// Whether what the system has in memory is read where the reader is asked, which spares a change of threads.
    private let readsImmediately: Bool
    /// The chunks that were read already, the last of them first.
    private var ahead: [Data] = []

    /// The number of chunks that are read at once: to have a thread that may wait read one, or to ask the system
    /// for it, costs as much as to read it.
    private static let chunkCount = 4

    /// It asks the disk, and may block.
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
            // After reading: what was read before is of the same version then, and the last chunk is not handed out of
            // a file that is another.
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

    /// The next chunk, where the system has it in memory; nil where the disk has to be waited for.
    private mutating func chunkInMemory() throws -> Data? {
        guard let version, let end else { return nil }
        let count = Int(min(Int64(Self.chunkCount * HTTPBody.chunkSize), end - offset))
        // What describes an open file is in memory, too.
        guard count > HTTPBody.chunkSize else {
            // One chunk, as most files are, needs no list.
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

    /// Hands out the first of some chunks that were read, and keeps the others.
    private mutating func first(of chunks: [Data]) -> Data? {
        offset += chunks.reduce(0) { $0 + Int64($1.count) }
        ahead = chunks.reversed()
        return ahead.popLast()
    }

    /// The next chunks; none at the end of the file.
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
            // What was read is handed out first; the next read fails again.
            case .success, .failure: return chunks
            }
        }
        return chunks
    }
}

extension HTTPBody {
    /// The content of a file, or of a range of it, read when the body is.
    ///
    /// The file is opened for each read. A file that is missing, a directory, a pipe or a device, a range outside the
    /// file and a file that changes while it is read are ``BodyError``s then. A change is another size or time of
    /// modification, growth too; where a range is given the file may grow, as a log does. A receiver gets the error in
    /// place of the end, and no whole request. Reading waits for the disk on threads of
    /// the package's own, never on one of Swift's.
    ///
    /// - Parameters:
    ///   - url: A file URL.
    ///   - range: The bytes to take; all of the file by default.
    public static func file(_ url: URL, range: Range<Int64>? = nil) -> HTTPBody {
        HTTPBody(storage: .file(FileBody(url: url, range: range)))
    }

    /// The content of a file that is reached in a way of its own, for tests with a disk that fails or stalls.
    package static func file(_ url: URL, range: Range<Int64>? = nil, access: FileAccess) -> HTTPBody {
        HTTPBody(storage: .file(FileBody(url: url, range: range, access: access)))
    }

    /// Whether the disk has to be asked for ``length``.
    package var asksDiskForLength: Bool {
        if case .file(let file) = storage { file.range == nil && file.knownSize == nil } else { false }
    }

    /// The same body; the size of a whole file is looked up once, without blocking, so that ``length`` asks no disk.
    ///
    /// A file that cannot be reached stays as it is: reading it says why.
    ///
    /// - Throws: `CancellationError`.
    package func measured() async throws -> HTTPBody {
        guard asksDiskForLength, case .file(let file) = storage else { return self }
        do {
            return HTTPBody(storage: .file(try await file.measured()))
        } catch let error as CancellationError {
            throw error
        } catch {
            return self
        }
    }

    /// The ``length``, without blocking; `nil` when a file cannot be reached.
    ///
    /// - Throws: `CancellationError`.
    package func measuredLength() async throws -> Int64? {
        let body = try await measured()
        return body.asksDiskForLength ? nil : body.length
    }
}
