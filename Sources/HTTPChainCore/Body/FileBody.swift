public import Foundation

/// A file, or a range of one, read in chunks each time anew.
struct FileBody: Sendable {
    let url: URL
    let range: Range<Int64>?
    /// Keeps a temporary file in being while a body refers to it.
    var keepAlive: TemporaryFile?

    var length: Int64? {
        if let range {
            let (count, overflows) = range.upperBound.subtractingReportingOverflow(range.lowerBound)
            return overflows ? nil : count
        }
        return try? FileDescriptor(url.path, .read).size
    }

    func open() throws(BodyError) -> FileReader {
        let file = try FileDescriptor(url.path, .read)
        let size = try file.size
        let range = range ?? 0..<size
        guard range.lowerBound >= 0, range.upperBound <= size else {
            throw BodyError(.rangeOutsideFile(path: url.path, range: range, fileSize: size))
        }
        return FileReader(file: file, range: range, keepAlive: keepAlive)
    }
}

/// Reads a range of an open file in chunks.
struct FileReader: BodyReader {
    private let file: FileDescriptor
    private var range: Range<Int64>
    private let keepAlive: TemporaryFile?

    init(file: FileDescriptor, range: Range<Int64>, keepAlive: TemporaryFile?) {
        self.file = file
        self.range = range
        self.keepAlive = keepAlive
    }

    nonisolated(nonsending) mutating func read() async throws -> Data? {
        guard !range.isEmpty else { return nil }
        try Task.checkCancellation()
        let chunk = try file.read(at: range.lowerBound, count: Int(min(Int64(HTTPBody.chunkSize), Int64(range.count))))
        guard !chunk.isEmpty else { throw BodyError(.fileChanged(path: file.path)) }
        range = range.lowerBound + Int64(chunk.count)..<range.upperBound
        return chunk
    }
}

extension HTTPBody {
    /// The content of a file, or of a range of it, read when the body is.
    ///
    /// The file is opened for each read. A file that is missing, a range outside it and a file that shrinks while it
    /// is read are ``BodyError``s then.
    ///
    /// - Parameters:
    ///   - url: A file URL.
    ///   - range: The bytes to take; all of the file by default.
    public static func file(_ url: URL, range: Range<Int64>? = nil) -> HTTPBody {
        HTTPBody(storage: .file(FileBody(url: url, range: range)))
    }
}
