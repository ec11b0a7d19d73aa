public import Foundation

extension HTTPBody {
    /// Writes the body to a file.
    ///
    /// It is written beside its destination first and moved there when it is whole, so that a failure leaves no half
    /// a file and an existing one as it was. The file has the permissions of the one that it replaces, or those that
    /// the process's umask leaves to a new one. The disk is waited for on threads of the package's own.
    ///
    /// - Parameters:
    ///   - destination: The file URL; its directory must exist.
    ///   - limit: How much to write at most; no limit by default.
    /// - Returns: The number of bytes written.
    /// - Throws: ``BodyError`` for the limit and for what the file system refuses; what reading throws.
    @discardableResult
    public func save(to destination: URL, upTo limit: ByteCount = .unlimited) async throws -> Int64 {
        try await save(to: destination, upTo: limit, access: .standard)
    }

    /// ``save(to:upTo:)`` on a disk that is reached in a way of its own.
    @discardableResult
    package func save(to destination: URL, upTo limit: ByteCount = .unlimited, access: FileAccess) async throws -> Int64
    {
        let file = try await TemporaryFile.create(in: destination.deletingLastPathComponent(), access: access)
        let count = try await write(to: file, upTo: limit)
        try await file.move(to: destination)
        return count
    }

    /// Writes the body to a temporary file that is deleted unless it is moved.
    ///
    /// - Parameters:
    ///   - directory: Where; the system's directory for temporary files by default.
    ///   - limit: How much to write at most; no limit by default.
    /// - Throws: ``BodyError`` for the limit and for what the file system refuses; what reading throws.
    public func saveToTemporaryFile(
        in directory: URL = FileManager.default.temporaryDirectory,
        upTo limit: ByteCount = .unlimited
    ) async throws -> TemporaryFile {
        let file = try await TemporaryFile.create(in: directory)
        _ = try await write(to: file, upTo: limit)
        return file
    }

    /// A body with the same content that can be read again and again.
    ///
    /// A replayable body is returned as it is. A one-shot body is read to its end: into memory, and what goes beyond
    /// `memory` into a temporary file that lives as long as the returned body.
    ///
    /// - Parameters:
    ///   - limit: How much to read at most.
    ///   - memory: How much to keep in memory; 1 MiB by default.
    /// - Throws: ``BodyError`` for the limit and for what the file system refuses; what reading throws.
    public func buffered(upTo limit: ByteCount, memory: ByteCount = .mebibytes(1)) async throws -> HTTPBody {
        if isReplayable { return self }
        if let length, length > limit.bytes { throw BodyError(.tooLarge(limit: limit)) }
        var reader = try await makeReader()
        var bytes = Data()
        while let chunk = try await reader.read() {
            bytes.append(chunk)
            guard Int64(bytes.count) <= limit.bytes else { throw BodyError(.tooLarge(limit: limit)) }
            guard Int64(bytes.count) > memory.bytes else { continue }
            let file = try await TemporaryFile.create(in: FileManager.default.temporaryDirectory)
            var writer = ContentWriter(file.content)
            try await writer.append(bytes)
            bytes = Data()
            while let chunk = try await reader.read() {
                guard writer.count + Int64(chunk.count) <= limit.bytes else { throw BodyError(.tooLarge(limit: limit)) }
                try await writer.append(chunk)
            }
            try await writer.flush()
            return file.body
        }
        return HTTPBody(bytes)
    }

    private func write(to file: TemporaryFile, upTo limit: ByteCount) async throws -> Int64 {
        if let length = try await measuredLength(), length > limit.bytes { throw BodyError(.tooLarge(limit: limit)) }
        var reader = try await makeReader()
        var writer = ContentWriter(file.content)
        while let chunk = try await reader.read() {
            guard writer.count + Int64(chunk.count) <= limit.bytes else { throw BodyError(.tooLarge(limit: limit)) }
            try await writer.append(chunk)
        }
        try await writer.flush()
        return writer.count
    }
}
