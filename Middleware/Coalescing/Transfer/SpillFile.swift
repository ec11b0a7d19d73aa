import Foundation
import HTTPChainCore

/// A temporary file with the last `capacity` bytes written to it, as a ring.
///
/// Nothing of it blocks the caller. If the task is cancelled, its functions throw `CancellationError`.
struct SpillFile: Sendable {
    private let file: TemporaryFile
    private let capacity: Int64

    /// Creates the file.
    static func create(capacity: Int64) async throws -> SpillFile {
        SpillFile(file: try await .create(in: FileManager.default.temporaryDirectory), capacity: capacity)
    }

    func write(_ bytes: Data, at offset: Int64) async throws {
        try await file.content.access.executor.run { try writeWaiting(bytes, at: offset) }
    }

    private func writeWaiting(_ bytes: Data, at offset: Int64) throws {
        var rest = bytes
        var offset = offset
        while !rest.isEmpty {
            let place = offset % capacity
            let piece = rest.prefix(Int(min(Int64(rest.count), capacity - place)))
            try file.content.write(piece, at: place)
            rest = rest.dropFirst(piece.count)
            offset += Int64(piece.count)
        }
    }

    /// Reads up to `count` bytes.
    ///
    /// - Throws: ``BodyError`` if the file can't be read, or has become shorter.
    func read(at offset: Int64, count: Int) async throws -> Data {
        let place = offset % capacity
        let count = Int(min(Int64(count), capacity - place))
        let bytes = try await file.content.access.executor.run { try file.content.read(at: place, count: count) }
        guard !bytes.isEmpty else { throw BodyError(.fileChanged(path: file.url.path)) }
        return bytes
    }
}
