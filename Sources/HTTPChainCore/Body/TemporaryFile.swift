public import Foundation

/// A file that is deleted when nobody refers to it any more, unless it was moved elsewhere.
public final class TemporaryFile: Sendable {
    /// Where the file is until it is moved.
    public let url: URL

    package let descriptor: FileDescriptor

    /// Creates an empty file that only this user can read.
    ///
    /// - Parameter directory: Where; the system's directory for temporary files by default.
    /// - Throws: ``BodyError`` when the file cannot be created.
    public init(in directory: URL = FileManager.default.temporaryDirectory) throws(BodyError) {
        url = directory.appendingPathComponent("httpchain-\(UUID().uuidString).tmp")
        descriptor = try FileDescriptor(url.path, .createExclusively)
    }

    deinit {
        try? FileManager.default.removeItem(at: url)
    }

    /// Moves the file to its place for good.
    ///
    /// On one volume the new file takes the place of an old one in one step: nobody sees half of either.
    ///
    /// - Parameters:
    ///   - destination: The new place; its directory must exist.
    ///   - replacing: Whether a file that is there already gives way; `true` by default.
    /// - Throws: ``BodyError`` or the file manager's error; the temporary file is then still where it was.
    public func move(to destination: URL, replacing: Bool = true) throws {
        guard replacing else { return try FileManager.default.moveItem(at: url, to: destination) }
        if try FileDescriptor.rename(url.path, to: destination.path) { return }
        let beside = destination.appendingPathExtension("httpchain-\(UUID().uuidString).tmp")
        do {
            try FileManager.default.copyItem(at: url, to: beside)
            _ = try FileDescriptor.rename(beside.path, to: destination.path)
        } catch {
            try? FileManager.default.removeItem(at: beside)
            throw error
        }
    }

    /// The content, as a body that keeps the file in being.
    public var body: HTTPBody {
        HTTPBody(storage: .file(FileBody(url: url, range: nil, keepAlive: self)))
    }
}
