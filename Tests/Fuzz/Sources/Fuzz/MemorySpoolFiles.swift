import Foundation
import HTTPChainCore

@testable import HTTPChainRemoteLogging

/// Files in memory for a log spool.
final class MemorySpoolFiles: SpoolFileSystem {
    fileprivate let files = Locked<[String: [UInt8]]>([:])

    func set(_ path: String, _ bytes: [UInt8]) { files.withLock { $0[path] = bytes } }

    func makeDirectory(_ path: String) throws(LogSpoolError) {}

    func names(in path: String) throws(LogSpoolError) -> [String] {
        files.withLock { $0.keys.filter { $0.hasPrefix(path + "/") }.map { String($0.dropFirst(path.count + 1)) } }
    }

    func size(of path: String) throws(LogSpoolError) -> Int64? {
        files.withLock { $0[path].map { Int64($0.count) } }
    }

    func open(_ path: String, creating: Bool) throws(LogSpoolError) -> (any SpoolFile)? {
        let isThere = files.withLock { files in
            if creating, files[path] == nil { files[path] = [] }
            return files[path] != nil
        }
        return isThere ? MemorySpoolFile(path, self) : nil
    }

    func openForReading(_ path: String) throws(LogSpoolError) -> (any SpoolFile)? {
        try open(path, creating: false)
    }

    func remove(_ path: String) throws(LogSpoolError) { files.withLock { $0[path] = nil } }

    func synchronizeDirectory(_ path: String) throws(LogSpoolError) {}
}

private final class MemorySpoolFile: SpoolFile {
    private let path: String
    private let system: MemorySpoolFiles

    init(_ path: String, _ system: MemorySpoolFiles) {
        self.path = path
        self.system = system
    }

    func read(into buffer: UnsafeMutableRawBufferPointer, at offset: Int64) throws(LogSpoolError) -> Int {
        let bytes = system.files.withLock { $0[path] ?? [] }.dropFirst(Int(offset)).prefix(buffer.count)
        buffer.copyBytes(from: bytes)
        return bytes.count
    }

    func write(_ bytes: UnsafeRawBufferPointer, at offset: Int64) throws(LogSpoolError) {
        let (bytes, start) = ([UInt8](bytes), Int(offset))
        system.files.withLock { [path] files in
            var content = files[path] ?? []
            let end = start + bytes.count
            if content.count < end { content += [UInt8](repeating: 0, count: end - content.count) }
            content.replaceSubrange(start..<end, with: bytes)
            files[path] = content
        }
    }

    func truncate(to size: Int64) throws(LogSpoolError) {
        system.files.withLock { [path] files in files[path] = files[path].map { Array($0.prefix(Int(size))) } }
    }

    func lock() throws(LogSpoolError) -> Bool { true }

    func unlock() {}

    func synchronize() throws(LogSpoolError) {}
}
