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
    /// - Parameters:
    ///   - destination: The new place; its directory must exist.
    ///   - replacing: Whether a file that is there already gives way; `true` by default.
    /// - Throws: What the file manager throws; the temporary file is then still where it was.
    public func move(to destination: URL, replacing: Bool = true) throws {
        if replacing, FileManager.default.fileExists(atPath: destination.path) {
            _ = try FileManager.default.replaceItemAt(destination, withItemAt: url)
        } else {
            try FileManager.default.moveItem(at: url, to: destination)
        }
    }

    /// The content, as a body that keeps the file in being.
    public var body: Body {
        Body(storage: .file(FileBody(url: url, range: nil, keepAlive: self)))
    }
}
