package import Foundation

/// A file that a body is read from or written to, closed when the last reference is released.
///
/// Its functions block, except those that read data in memory. Call them on ``FileAccess/executor``.
package final class ContentFile: Sendable {
    package let path: String
    package let access: FileAccess
    private let file: OpenFile<BodyError>

    private init(_ path: String, _ opening: FileOpening, _ access: FileAccess) throws(BodyError) {
        self.path = path
        self.access = access
        guard let file = try Files<BodyError>(access.system).open(path, opening) else {
            throw BodyError(.missingFile(path: path))
        }
        self.file = file
    }

    /// Opens a file for reading.
    ///
    /// - Throws: ``BodyError`` if it can't be opened, or is a directory, a pipe, a socket or a device. These have no
    ///   length, and a transport would treat them as empty files.
    package static func reading(_ path: String, access: FileAccess) throws(BodyError) -> ContentFile {
        let file = try ContentFile(path, FileOpening(.never, isWritable: false, followsLinks: true), access)
        guard try file.file.status().kind == .regular else { throw BodyError(.notARegularFile(path: path)) }
        return file
    }

    /// Creates a file that doesn't exist yet.
    package static func creating(
        _ path: String,
        permissions: UInt16 = 0o600,
        access: FileAccess
    ) throws(BodyError) -> ContentFile {
        try ContentFile(path, FileOpening(.exclusive, isWritable: true, permissions: permissions), access)
    }

    package var size: Int64 {
        get throws(BodyError) { try file.status().size }
    }

    /// The number of bytes that reading returns, or `nil` if it is only known after reading: files in /proc report a
    /// size of 0 but have content.
    package var contentLength: Int64? {
        get throws(BodyError) {
            let size = try size
            guard size == 0 else { return size }
            let first = try read(at: 0, count: 1)
            return first.isEmpty ? 0 : nil
        }
    }

    /// The version of the file, for detecting later changes.
    package var version: FileVersion {
        get throws(BodyError) {
            let status = try file.status()
            return FileVersion(size: status.size, modified: status.modified)
        }
    }

    /// - Parameter mayGrow: Whether content may have been appended, which doesn't affect a requested range.
    /// - Throws: ``BodyError/Problem/fileChanged(path:)`` if the file has changed.
    package func requireUnchanged(since version: FileVersion, mayGrow: Bool) throws(BodyError) {
        let now = try self.version
        guard now == version || (mayGrow && now.size > version.size) else { throw BodyError(.fileChanged(path: path)) }
    }

    package var permissions: UInt16 {
        get throws(BodyError) { try file.status().permissions }
    }

    package func setPermissions(_ permissions: UInt16) throws(BodyError) {
        try file.setPermissions(permissions)
    }

    /// Reads up to `count` bytes from `offset`; returns no bytes only at the end of the file.
    package func read(at offset: Int64, count: Int) throws(BodyError) -> Data {
        try file.data(count, at: offset)
    }

    /// Whether ``readImmediately(at:count:)`` can succeed at all, even if the path contains a link.
    package var readsImmediately: Bool { access.system.readsImmediately(in: path) }

    /// Reads data that the system has in memory, like ``read(at:count:)`` but on any thread.
    ///
    /// - Returns: The data, or nil if it would have to wait for the disk, or at the end of the file.
    package func readImmediately(at offset: Int64, count: Int) -> Data? {
        guard let data = try? file.reading(immediately: true).data(count, at: offset), !data.isEmpty else { return nil }
        return data
    }

    /// Reads like ``readImmediately(at:count:)``, in several chunks; returns none if it would have to wait for the
    /// disk.
    package func chunksInMemory(at offset: Int64, count: Int) -> [Data] {
        (try? file.chunksInMemory(count, at: offset)) ?? []
    }

    package func write(_ data: Data, at offset: Int64) throws(BodyError) {
        try file.write(data, at: offset)
    }
}

/// The version of a file at a point in time.
///
/// Different content of the same size, written within one tick of the file system's clock (some milliseconds), isn't
/// detected.
package struct FileVersion: Sendable, Hashable {
    package let size: Int64
    package let modified: Int64
}

extension BodyError: FileFailure {
    package init(_ fault: FileFault) {
        self.init(.file(path: fault.path, operation: fault.operation, code: fault.code, message: fault.message))
    }
}
