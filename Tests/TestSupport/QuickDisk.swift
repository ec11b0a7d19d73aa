import Foundation
package import HTTPChainSupport

/// A disk in memory for many files: no operation takes longer where there are more of them.
///
/// It knows nothing of what a loss of power leaves, as ``MemoryDisk`` does, nor of directories and locks.
package final class QuickDisk: FileSystem {
    private let files = Locked<[String: QuickFile]>([:])

    package init() {}

    package func makeDirectory(_ path: String) throws(FileFault) {}

    package func list(_ path: String, _ visit: (UnsafeBufferPointer<UInt8>) -> Void) throws(FileFault) {
        let paths = files.withLock { Array($0.keys) }
        for path in paths { Array((path as NSString).lastPathComponent.utf8).withUnsafeBufferPointer(visit) }
    }

    package func status(of path: String) throws(FileFault) -> FileStatus? {
        try files.withLock { $0[path] }?.status()
    }

    package func open(_ path: String, _ opening: FileOpening) throws(FileFault) -> (any File)? {
        let (file, isNew) = files.withLock { files -> (QuickFile?, Bool) in
            if let file = files[path] { return (file, false) }
            guard opening.creation != .never else { return (nil, false) }
            let file = QuickFile()
            files[path] = file
            return (file, true)
        }
        guard isNew || opening.creation != .exclusive else { throw Self.fault("open", path, EEXIST) }
        return file
    }

    package func readsImmediately(in directory: String) -> Bool { true }

    package func openImmediately(_ path: String) throws(FileFault) -> (any File)? {
        files.withLock { $0[path] }
    }

    package func rename(_ path: String, to destination: String) throws(FileFault) -> Bool {
        let (isThere, replaced) = files.withLock { files -> (Bool, QuickFile?) in
            guard let file = files.removeValue(forKey: path) else { return (false, nil) }
            return (true, files.updateValue(file, forKey: destination))
        }
        guard isThere else { throw Self.fault("rename", path, ENOENT) }
        replaced?.removeName()
        return true
    }

    package func remove(_ path: String) throws(FileFault) -> Bool {
        let removed = files.withLock { $0.removeValue(forKey: path) }
        removed?.removeName()
        return removed != nil
    }

    package func synchronizeDirectory(_ path: String) throws(FileFault) {}

    private static func fault(_ operation: String, _ path: String, _ code: Int32) -> FileFault {
        FileFault(operation: operation, path: path, code: code, message: String(cString: strerror(code)))
    }
}

private final class QuickFile: File {
    private struct Content {
        /// In pieces, so that none is moved when the file grows.
        var pieces: [[UInt8]] = []
        var size = 0
        var links = 1
    }

    private static let pieceSize = 65_536
    private let content = Locked(Content())

    func removeName() { content.withLock { $0.links = 0 } }

    func status() throws(FileFault) -> FileStatus {
        content.withLock { FileStatus(size: Int64($0.size), links: $0.links) }
    }

    func read(into buffer: UnsafeMutableRawBufferPointer, at offset: Int64) throws(FileFault) -> Int {
        content.withLock { content in
            let end = min(Int(offset) + buffer.count, content.size)
            var place = Int(offset)
            while place < end {
                let (piece, start) = place.quotientAndRemainder(dividingBy: Self.pieceSize)
                let count = min(end - place, Self.pieceSize - start)
                UnsafeMutableRawBufferPointer(rebasing: buffer[(place - Int(offset))...])
                    .copyBytes(from: content.pieces[piece][start..<(start + count)])
                place += count
            }
            return max(0, end - Int(offset))
        }
    }

    func readImmediately(into buffer: UnsafeMutableRawBufferPointer, at offset: Int64) throws(FileFault) -> Int {
        try read(into: buffer, at: offset)
    }

    func write(_ bytes: UnsafeRawBufferPointer, at offset: Int64) throws(FileFault) {
        content.withLock { content in
            let end = Int(offset) + bytes.count
            Self.grow(&content, to: end)
            var place = Int(offset)
            while place < end {
                let (piece, start) = place.quotientAndRemainder(dividingBy: Self.pieceSize)
                let count = min(end - place, Self.pieceSize - start)
                let source = UnsafeRawBufferPointer(rebasing: bytes[(place - Int(offset))...].prefix(count))
                content.pieces[piece].withUnsafeMutableBytes { buffer in
                    UnsafeMutableRawBufferPointer(rebasing: buffer[start...]).copyMemory(from: source)
                }
                place += count
            }
        }
    }

    /// A small file has a piece of its size, and a larger one whole pieces.
    private static func grow(_ content: inout Content, to size: Int) {
        guard size > content.size else { return }
        content.size = size
        let last = (size - 1) / pieceSize
        for piece in max(0, content.pieces.count - 1)...last {
            if piece == content.pieces.count { content.pieces.append([]) }
            let wanted = last == 0 ? size : pieceSize
            let missing = wanted - content.pieces[piece].count
            if missing > 0 { content.pieces[piece] += [UInt8](repeating: 0, count: missing) }
        }
    }

    func truncate(to size: Int64) throws(FileFault) {
        content.withLock { content in
            guard Int(size) < content.size else { return Self.grow(&content, to: Int(size)) }
            content.pieces.removeLast(content.pieces.count - (Int(size) + Self.pieceSize - 1) / Self.pieceSize)
            content.size = Int(size)
            guard let last = content.pieces.indices.last else { return }
            let left = Int(size) - last * Self.pieceSize
            content.pieces[last].removeLast(content.pieces[last].count - left)
        }
    }

    func setPermissions(_ permissions: UInt16) throws(FileFault) {}

    func lock() throws(FileFault) -> Bool { true }

    func unlock() {}

    func synchronize() throws(FileFault) {}
}
