public import Foundation

/// A file that is deleted when nobody refers to it any more, unless it was moved elsewhere.
public final class TemporaryFile: Sendable {
    /// The place of the file until it is moved.
    public let url: URL

    package let content: ContentFile

    /// Creates an empty file that only this user can read.
    ///
    /// It waits for the disk; a body that is saved creates its file elsewhere.
    ///
    /// - Parameter directory: Where; the system's directory for temporary files by default.
    /// - Throws: ``BodyError`` when the file cannot be created.
    public convenience init(in directory: URL = FileManager.default.temporaryDirectory) throws(BodyError) {
        try self.init(in: directory, access: .standard)
    }

    /// Creates an empty file, which blocks: call it on ``FileAccess/executor``.
    package init(in directory: URL, access: FileAccess) throws(BodyError) {
        url = directory.appendingPathComponent("httpchain-\(UUID().uuidString).tmp")
        content = try ContentFile.creating(url.path, access: access)
    }

    /// Creates an empty file without blocking.
    package static func create(in directory: URL, access: FileAccess = .standard) async throws -> TemporaryFile {
        try await access.executor.run { try TemporaryFile(in: directory, access: access) }
    }

    deinit {
        // The last reference may go anywhere, also where nothing may wait for a disk.
        content.access.executor.submit { [url, system = content.access.system] in
            _ = try? system.remove(url.path)
        }
    }

    /// Moves the file to its place for good.
    ///
    /// On one volume the new file takes the place of an old one in one step: nobody sees half of either. It then has
    /// the permissions of the file that it replaces, or those that a new file gets there: all that the process's umask
    /// leaves of reading and writing for everybody.
    ///
    /// - Parameters:
    ///   - destination: The new place; its directory must exist.
    ///   - replacing: Whether a file that is there already gives way; `true` by default.
    /// - Throws: ``BodyError`` or the file manager's error; the temporary file is then still where it was.
    public func move(to destination: URL, replacing: Bool = true) async throws {
        try await content.access.executor.runToEnd { [self] in try place(at: destination, replacing: replacing) }
    }

    private func place(at destination: URL, replacing: Bool) throws {
        let files = Files<BodyError>(content.access.system)
        try content.setPermissions(try Self.permissions(at: destination, files))
        guard replacing else { return try FileManager.default.moveItem(at: url, to: destination) }
        if try files.rename(url.path, to: destination.path) { return }
        let beside = destination.appendingPathExtension("httpchain-\(UUID().uuidString).tmp")
        do {
            try FileManager.default.copyItem(at: url, to: beside)
            try files.rename(beside.path, to: destination.path)
        } catch {
            try? FileManager.default.removeItem(at: beside)
            throw error
        }
    }

    /// The permissions that a file at `destination` is to have.
    private static func permissions(at destination: URL, _ files: Files<BodyError>) throws(BodyError) -> UInt16 {
        if let old = try files.status(of: destination.path), old.kind == .regular { return old.permissions }
        // The umask cannot be read without changing it for the whole process: a file made with it shows it.
        let probe = destination.deletingLastPathComponent()
            .appendingPathComponent("httpchain-\(UUID().uuidString).tmp").path
        let opening = FileOpening(.exclusive, isWritable: true, permissions: 0o666)
        defer { _ = try? files.remove(probe) }
        return try files.open(probe, opening)?.status().permissions ?? 0o600
    }

    /// The content, as a body that keeps the file in being.
    public var body: HTTPBody {
        HTTPBody(storage: .file(FileBody(url: url, range: nil, keepAlive: self, access: content.access)))
    }
}
