import Foundation
import HTTPChainCore

/// A temporary file with the last `capacity` bytes written to it, as a ring.
struct SpillFile: Sendable {
    private let file: TemporaryFile
    private let capacity: Int64

    init(capacity: Int64) throws {
        file = try TemporaryFile()
        self.capacity = capacity
    }

    func write(_ bytes: Data, at offset: Int64) throws {
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
    func read(at offset: Int64, count: Int) throws -> Data {
        let place = offset % capacity
        let bytes = try file.content.read(at: place, count: Int(min(Int64(count), capacity - place)))
        guard !bytes.isEmpty else { throw BodyError(.fileChanged(path: file.url.path)) }
        return bytes
    }
}
