import Foundation

@testable import HTTPChainCore
@testable import HTTPChainSupport

/// Files in memory, for what keeps its state in a directory.
final class MemoryFiles: FileSystem {
    private let files = Locked<[String: MemoryFile]>([:])

    func set(_ path: String, _ bytes: [UInt8]) { files.withLock { $0[path] = MemoryFile(bytes) } }

    /// The names in a directory.
    func names(in path: String) -> [String] {
        files.withLock { $0.keys.filter { $0.hasPrefix(path + "/") }.map { String($0.dropFirst(path.count + 1)) } }
    }

    func makeDirectory(_ path: String) throws(FileFault) {}

    func list(_ path: String, _ visit: (UnsafeBufferPointer<UInt8>) -> Void) throws(FileFault) {
        for name in names(in: path) { Array(name.utf8).withUnsafeBufferPointer(visit) }
    }

    func status(of path: String) throws(FileFault) -> FileStatus? {
        files.withLock { $0[path] }?.now
    }

    func open(_ path: String, _ opening: FileOpening) throws(FileFault) -> (any File)? {
        files.withLock { files in
            if opening.creation != .never, files[path] == nil { files[path] = MemoryFile([]) }
            return files[path]
        }
    }

    func rename(_ path: String, to destination: String) throws(FileFault) -> Bool {
        files.withLock { files in
            files[destination]?.isNamed.withLock { $0 = false }
            files[destination] = files.removeValue(forKey: path)
        }
        return true
    }

    func remove(_ path: String) throws(FileFault) -> Bool {
        let removed = files.withLock { $0.removeValue(forKey: path) }
        removed?.isNamed.withLock { $0 = false }
        return removed != nil
    }

    func synchronizeDirectory(_ path: String) throws(FileFault) {}

    func readsImmediately(in path: String) -> Bool { true }
}

private final class MemoryFile: File {
    private let content: Locked<[UInt8]>
    fileprivate let isNamed = Locked(true)

    init(_ bytes: [UInt8]) {
        content = Locked(bytes)
    }

    fileprivate var now: FileStatus {
        FileStatus(size: content.withLock { Int64($0.count) }, links: isNamed.withLock { $0 ? 1 : 0 })
    }

    func status() throws(FileFault) -> FileStatus { now }

    func setPermissions(_ permissions: UInt16) throws(FileFault) {}

    func read(into buffer: UnsafeMutableRawBufferPointer, at offset: Int64) throws(FileFault) -> Int {
        let bytes = content.withLock { $0 }.dropFirst(Int(offset)).prefix(buffer.count)
        buffer.copyBytes(from: bytes)
        return bytes.count
    }

    func readImmediately(into buffer: UnsafeMutableRawBufferPointer, at offset: Int64) throws(FileFault) -> Int {
        try read(into: buffer, at: offset)
    }

    func readImmediately(into buffers: [UnsafeMutableRawBufferPointer], at offset: Int64) throws(FileFault) -> Int {
        var count = 0
        for buffer in buffers { count += try read(into: buffer, at: offset + Int64(count)) }
        return count
    }

    func write(_ bytes: UnsafeRawBufferPointer, at offset: Int64) throws(FileFault) {
        let (bytes, start) = ([UInt8](bytes), Int(offset))
        content.withLock { content in
            let end = start + bytes.count
            if content.count < end { content += [UInt8](repeating: 0, count: end - content.count) }
            content.replaceSubrange(start..<end, with: bytes)
        }
    }

    func truncate(to size: Int64) throws(FileFault) {
        content.withLock { $0 = Array($0.prefix(Int(size))) }
    }

    func lock() throws(FileFault) -> Bool { true }

    func unlock() {}

    func synchronize() throws(FileFault) {}
}
