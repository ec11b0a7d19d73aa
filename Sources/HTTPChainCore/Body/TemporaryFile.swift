public import Foundation
import HTTPChainSupport

/// A file that is deleted when its last reference is released, unless it was moved elsewhere.
public final class TemporaryFile: Sendable {
    /// The URL of the file until it is moved.
    public let url: URL

    package let content: ContentFile

    /// Creates an empty file that only this user can read; blocks, so call it on ``FileAccess/executor``.
    ///
    /// - Throws: ``BodyError`` if the file can't be created.
    package init(in directory: URL, access: FileAccess) throws(BodyError) {
        url = directory.appendingPathComponent("httpchain-\(UUID().uuidString).tmp")
        content = try ContentFile.creating(url.path, access: access)
    }

    /// Creates an empty file without blocking.
    package static func create(in directory: URL, access: FileAccess = .standard) async throws -> TemporaryFile {
        try await access.executor.run { try TemporaryFile(in: directory, access: access) }
    }

    deinit {
        // The last reference may be released anywhere, even on threads that must not block.
        content.access.executor.submit { [url, system = content.access.system] in
            _ = try? system.remove(url.path)
        }
    }

    /// Moves the file to its final place.
    ///
    /// On the same volume, the new file replaces an existing one atomically. The moved file has the permissions of the
    /// file it replaces, or those of a new file: reading and writing for everybody, restricted by the process's umask.
    /// If the destination is a symbolic link, the file that it leads to is replaced, not the link.
    ///
    /// - Parameters:
    ///   - destination: The new URL; its directory must exist.
    ///   - replacing: Whether to replace an existing file. Defaults to `true`.
    /// - Throws: ``BodyError`` or the file manager's error; the temporary file then stays in place. If the destination
    ///   is a directory, a pipe, a socket or a device, the error is ``BodyError/Problem/notARegularFile(path:)``.
    public func move(to destination: URL, replacing: Bool = true) async throws {
        try await content.access.executor.runToEnd { [self] in try place(at: destination, replacing: replacing) }
    }

    /// Returns the place of the file that a destination names, which may not exist yet; follows symbolic links, as
    /// opening the destination would.
    ///
    /// Anything other than a regular file is rejected, because a rename would replace it: a program that runs as root
    /// and saves to a device would destroy the device.
    static func target(of destination: URL, _ files: Files<BodyError>) throws -> URL {
        var target = destination
        // Linux also follows 40 links at most.
        for _ in 0...40 {
            guard let status = try files.status(of: target.path) else { return target }
            switch status.kind {
            case .regular: return target
            case .link:
                let next = try FileManager.default.destinationOfSymbolicLink(atPath: target.path)
                target =
                    next.begins(with: "/")
                    ? URL(fileURLWithPath: next)
                    : target.deletingLastPathComponent().appendingPathComponent(next)
            case .directory, .pipe, .socket, .device: throw BodyError(.notARegularFile(path: target.path))
            }
        }
        throw BodyError(.notARegularFile(path: destination.path))
    }

    private func place(at destination: URL, replacing: Bool) throws {
        let files = Files<BodyError>(content.access.system)
        let destination = replacing ? try Self.target(of: destination, files) : destination
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

    /// Returns the permissions for a file at `destination`.
    private static func permissions(at destination: URL, _ files: Files<BodyError>) throws(BodyError) -> UInt16 {
        if let old = try files.status(of: destination.path), old.kind == .regular { return old.permissions }
        // The umask can't be read without changing it for the whole process, but a file created with it shows it.
        let probe = destination.deletingLastPathComponent()
            .appendingPathComponent("httpchain-\(UUID().uuidString).tmp").path
        let opening = FileOpening(.exclusive, isWritable: true, permissions: 0o666)
        defer { _ = try? files.remove(probe) }
        return try files.open(probe, opening)?.status().permissions ?? 0o600
    }

    /// The content, as a body that keeps the file alive.
    public var body: HTTPBody { body(size: nil) }

    /// Returns the content as a body that keeps the file alive.
    ///
    /// - Parameter size: The number of bytes, if it is known.
    func body(size: Int64?) -> HTTPBody {
        HTTPBody(
            storage: .file(FileBody(url: url, range: nil, keepAlive: self, access: content.access, knownSize: size))
        )
    }
}
