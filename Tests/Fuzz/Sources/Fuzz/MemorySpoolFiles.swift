import Foundation

@testable import HTTPChainCore
@testable import HTTPChainRemoteLogging
@testable import HTTPChainSupport

/// Files in memory for a log spool.
final class MemorySpoolFiles: FileSystem {
    fileprivate let files = Locked<[String: [UInt8]]>([:])

    func set(_ path: String, _ bytes: [UInt8]) { files.withLock { $0[path] = bytes } }

    func makeDirectory(_ path: String) throws(FileFault) {}

    func list(_ path: String, _ visit: (UnsafeBufferPointer<UInt8>) -> Void) throws(FileFault) {
        let names = files.withLock { $0.keys.filter { $0.hasPrefix(path + "/") }.map { $0.dropFirst(path.count + 1) } }
        for name in names { Array(name.utf8).withUnsafeBufferPointer(visit) }
    }

    func status(of path: String) throws(FileFault) -> FileStatus? {
        files.withLock { $0[path].map { FileStatus(size: Int64($0.count)) } }
    }

    func open(_ path: String, _ opening: FileOpening) throws(FileFault) -> (any File)? {
        let isThere = files.withLock { files in
            if opening.creation != .never, files[path] == nil { files[path] = [] }
            return files[path] != nil
        }
        return isThere ? MemorySpoolFile(path, self) : nil
    }

    func rename(_ path: String, to destination: String) throws(FileFault) -> Bool {
        files.withLock { $0[destination] = $0.removeValue(forKey: path) }
        return true
    }

    func remove(_ path: String) throws(FileFault) -> Bool { files.withLock { $0.removeValue(forKey: path) != nil } }

    func synchronizeDirectory(_ path: String) throws(FileFault) {}
}

private final class MemorySpoolFile: File {
    private let path: String
    private let system: MemorySpoolFiles

    init(_ path: String, _ system: MemorySpoolFiles) {
        self.path = path
        self.system = system
    }

    func status() throws(FileFault) -> FileStatus {
        FileStatus(size: system.files.withLock { Int64($0[path]?.count ?? 0) })
    }

    func setPermissions(_ permissions: UInt16) throws(FileFault) {}

    func read(into buffer: UnsafeMutableRawBufferPointer, at offset: Int64) throws(FileFault) -> Int {
        let bytes = system.files.withLock { $0[path] ?? [] }.dropFirst(Int(offset)).prefix(buffer.count)
        buffer.copyBytes(from: bytes)
        return bytes.count
    }

    func write(_ bytes: UnsafeRawBufferPointer, at offset: Int64) throws(FileFault) {
        let (bytes, start) = ([UInt8](bytes), Int(offset))
        system.files.withLock { [path] files in
            var content = files[path] ?? []
            let end = start + bytes.count
            if content.count < end { content += [UInt8](repeating: 0, count: end - content.count) }
            content.replaceSubrange(start..<end, with: bytes)
            files[path] = content
        }
    }

    func truncate(to size: Int64) throws(FileFault) {
        system.files.withLock { [path] files in files[path] = files[path].map { Array($0.prefix(Int(size))) } }
    }

    func lock() throws(FileFault) -> Bool { true }

    func unlock() {}

    func synchronize() throws(FileFault) {}
}
