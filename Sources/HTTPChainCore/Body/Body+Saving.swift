public import Foundation

extension HTTPBody {
    /// Writes the body to a file.
    ///
    /// The body is first written to a file next to its destination, and moved there when it is complete, so that a
    /// failure leaves no partial file and an existing file is unchanged. The file has the permissions of the file it
    /// replaces, or those that the process's umask allows for a new file. If the destination is a symbolic link, the
    /// file that it leads to is written, not the link. Blocking disk access happens on the package's own threads.
    ///
    /// - Parameters:
    ///   - destination: The file URL; its directory must exist.
    ///   - limit: The maximum number of bytes to write. Defaults to no limit.
    /// - Returns: The number of bytes written.
    /// - Throws: ``BodyError`` if the limit is exceeded, if the destination is a directory, a pipe, a socket or a device,
    ///   or if the file system fails; errors of reading the body.
    @discardableResult
    public func save(to destination: URL, upTo limit: ByteCount = .unlimited) async throws -> Int64 {
        try await save(to: destination, upTo: limit, access: .standard)
    }

    /// ``save(to:upTo:)`` with custom file access.
    @discardableResult
    package func save(to destination: URL, upTo limit: ByteCount = .unlimited, access: FileAccess) async throws -> Int64
    {
        let target = try await access.executor.run {
            try TemporaryFile.target(of: destination, Files(access.system))
        }
        let file = try await TemporaryFile.create(in: target.deletingLastPathComponent(), access: access)
        let count = try await write(to: file, upTo: limit)
        try await file.move(to: target)
        return count
    }

    /// Writes the body to a temporary file that is deleted unless it is moved.
    ///
    /// - Parameters:
    ///   - directory: The directory. Defaults to the system's directory for temporary files.
    ///   - limit: The maximum number of bytes to write. Defaults to no limit.
    /// - Throws: ``BodyError`` if the limit is exceeded or the file system fails; errors of reading the body.
    public func saveToTemporaryFile(
        in directory: URL = FileManager.default.temporaryDirectory,
        upTo limit: ByteCount = .unlimited
    ) async throws -> TemporaryFile {
        let file = try await TemporaryFile.create(in: directory)
        _ = try await write(to: file, upTo: limit)
        return file
    }

    /// Returns a replayable body with the same content.
    ///
    /// A replayable body is returned unchanged. A one-shot body is read to its end: into memory if it fits `memory`,
    /// otherwise into a temporary file that exists as long as the returned body.
    ///
    /// - Parameters:
    ///   - limit: The maximum number of bytes to read.
    ///   - memory: The maximum number of bytes to keep in memory. Defaults to 1 MiB.
    /// - Throws: ``BodyError`` if the limit is exceeded or the file system fails; errors of reading the body.
    package func buffered(upTo limit: ByteCount, memory: ByteCount = .mebibytes(1)) async throws -> HTTPBody {
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
            return file.body(size: writer.count)
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
