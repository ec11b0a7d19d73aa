package import Foundation

/// A directory of its own for one test, removed with the last reference to the value.
package final class ScratchDirectory: Sendable {
    package let url: URL

    /// Names a directory that is not there yet, for code under test that makes its own.
    package init() {
        url = FileManager.default.temporaryDirectory.appendingPathComponent("httpchain-tests-\(UUID().uuidString)")
    }

    /// Makes the directory.
    package static func created() throws -> ScratchDirectory {
        let directory = ScratchDirectory()
        try FileManager.default.createDirectory(at: directory.url, withIntermediateDirectories: true)
        return directory
    }

    deinit {
        // A test may have forbidden itself to write.
        try? FileManager.default.setAttributes([.posixPermissions: 0o700], ofItemAtPath: url.path)
        try? FileManager.default.removeItem(at: url)
    }

    package var path: String { url.path }

    /// The names of what is in it, sorted; none when it is not there.
    package var names: [String] {
        ((try? FileManager.default.contentsOfDirectory(atPath: path)) ?? []).sorted()
    }

    /// The URL of a file in it.
    package func file(_ name: String) -> URL { url.appendingPathComponent(name) }

    /// Writes a file.
    @discardableResult
    package func file(_ name: String, _ content: Data) throws -> URL {
        let file = file(name)
        try content.write(to: file)
        return file
    }

    /// Makes a file of zeros that takes no room on the disk.
    package func emptyFile(_ name: String, size: UInt64) throws -> URL {
        let file = try file(name, Data())
        let handle = try FileHandle(forWritingTo: file)
        defer { try? handle.close() }
        try handle.truncate(atOffset: size)
        return file
    }

    /// The content of a file.
    package func content(of name: String) throws -> Data { try Data(contentsOf: file(name)) }
}
