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
            let size = try file.size
            guard let range = range ?? knownSize.map({ 0..<$0 }) else {
                // The files of /proc have a size of 0 and content.
                return FileReader(file: file, range: size == 0 ? nil : 0..<size, keepAlive: keepAlive)
            }
            guard range.lowerBound >= 0, range.upperBound <= size else {
                throw self.range == nil
                    ? BodyError(.fileChanged(path: url.path))
                    : BodyError(.rangeOutsideFile(path: url.path, range: range, fileSize: size))
            }
            return FileReader(file: file, range: range, keepAlive: keepAlive)
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
    private let keepAlive: TemporaryFile?
    /// What was read already, the last of it first.
    private var ahead: [Data] = []

    /// How many chunks are read at once: to have a thread that may wait read one costs as much as to read it.
    private static let chunkCount = 4

    init(file: ContentFile, range: Range<Int64>?, keepAlive: TemporaryFile?) {
        self.file = file
        offset = range?.lowerBound ?? 0
        end = range?.upperBound
        self.keepAlive = keepAlive
    }

    nonisolated(nonsending) mutating func read() async throws -> Data? {
        if let chunk = ahead.popLast() { return chunk }
        guard !isFinished, offset != end else { return nil }
        try Task.checkCancellation()
        let chunks = try await file.access.executor.run { [file, offset, end] in
            try Self.chunks(of: file, from: offset, to: end ?? .max)
        }
        guard !chunks.isEmpty else {
            guard end == nil else { throw BodyError(.fileChanged(path: file.path)) }
            isFinished = true
            return nil
        }
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
    /// file and a file that shrinks while it is read are ``BodyError``s then. Reading waits for the disk on threads of
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
