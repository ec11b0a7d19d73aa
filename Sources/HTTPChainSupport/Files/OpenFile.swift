package import Foundation

/// An open file for functions that throw their own error type; closed when the last copy is released.
package struct OpenFile<Failure: FileFailure>: Sendable {
    private let file: any File
    /// Whether reads fail instead of waiting for a disk.
    package let isImmediate: Bool

    package init(_ file: any File, isImmediate: Bool = false) {
        self.file = file
        self.isImmediate = isImmediate
    }

    /// Returns the same file, read with or without waiting for a disk.
    package func reading(immediately isImmediate: Bool) -> OpenFile { OpenFile(file, isImmediate: isImmediate) }

    /// Does the same as ``File/status()``.
    package func status() throws(Failure) -> FileStatus {
        try Failure.wrapping { () throws(FileFault) in try file.status() }
    }

    /// Does the same as ``File/read(into:at:)``.
    package func read(into buffer: UnsafeMutableRawBufferPointer, at offset: Int64) throws(Failure) -> Int {
        try Failure.wrapping { () throws(FileFault) in try read(buffer, offset) }
    }

    private func read(_ buffer: UnsafeMutableRawBufferPointer, _ offset: Int64) throws(FileFault) -> Int {
        isImmediate ? try file.readImmediately(into: buffer, at: offset) : try file.read(into: buffer, at: offset)
    }

    /// Reads `count` bytes from an offset, or fewer at the end of the file.
    package func read(_ count: Int, at offset: Int64) throws(Failure) -> [UInt8] {
        guard count > 0 else { return [] }
        return try Failure.wrapping { () throws(FileFault) in
            var fault: FileFault?
            let bytes = [UInt8](unsafeUninitializedCapacity: count) { buffer, initialized in
                do throws(FileFault) {
                    initialized = try read(UnsafeMutableRawBufferPointer(buffer), offset)
                } catch {
                    fault = error
                }
            }
            if let fault { throw fault }
            return bytes
        }
    }

    /// Reads `count` bytes from an offset, or fewer at the end of the file.
    package func data(_ count: Int, at offset: Int64) throws(Failure) -> Data {
        guard count > 0, let chunk = ChunkMemory(room: count) else { return Data() }
        let got = try read(into: UnsafeMutableRawBufferPointer(start: chunk.memory, count: count), at: offset)
        return chunk.take(count: got)
    }

    /// Reads up to `count` bytes from an offset in chunks of ``ChunkMemory/size``, stopping at the first byte that
    /// isn't in memory.
    package func chunksInMemory(_ count: Int, at offset: Int64) throws(Failure) -> [Data] {
        var buffers: [UnsafeMutableRawBufferPointer] = []
        var chunks: [Data] = []
        var rest = count
        while rest > 0 {
            let size = min(rest, ChunkMemory.size)
            guard let chunk = ChunkMemory(room: size) else { break }
            buffers.append(UnsafeMutableRawBufferPointer(start: chunk.memory, count: size))
            chunks.append(chunk.take(count: size))
            rest -= size
        }
        // The chunks aren't shared yet, so it is safe to write to their memory.
        var got = try Failure.wrapping { () throws(FileFault) in try file.readImmediately(into: buffers, at: offset) }
        return chunks.compactMap { chunk in
            defer { got -= min(got, chunk.count) }
            return got == 0 ? nil : chunk.prefix(got)
        }
    }

    /// Does the same as ``File/write(_:at:)``.
    package func write(_ bytes: UnsafeRawBufferPointer, at offset: Int64) throws(Failure) {
        try Failure.wrapping { () throws(FileFault) in try file.write(bytes, at: offset) }
    }

    /// Writes all bytes; if it throws, any number of them may have been written.
    package func write(_ bytes: some ContiguousBytes, at offset: Int64) throws(Failure) {
        let fault: FileFault? = bytes.withUnsafeBytes { buffer in
            do throws(FileFault) {
                try file.write(buffer, at: offset)
                return nil
            } catch {
                return error
            }
        }
        if let fault { throw Failure(fault) }
    }

    /// Does the same as ``File/truncate(to:)``.
    package func truncate(to size: Int64) throws(Failure) {
        try Failure.wrapping { () throws(FileFault) in try file.truncate(to: size) }
    }

    /// Does the same as ``File/setPermissions(_:)``.
    package func setPermissions(_ permissions: UInt16) throws(Failure) {
        try Failure.wrapping { () throws(FileFault) in try file.setPermissions(permissions) }
    }

    /// Does the same as ``File/lock()``.
    package func lock() throws(Failure) -> Bool {
        try Failure.wrapping { () throws(FileFault) in try file.lock() }
    }

    /// Does the same as ``File/unlock()``.
    package func unlock() {
        file.unlock()
    }

    /// Does the same as ``File/synchronize()``.
    package func synchronize() throws(Failure) {
        try Failure.wrapping { () throws(FileFault) in try file.synchronize() }
    }
}
