/// What a spool asks of the system: few operations, so that tests can make each of them fail.
protocol SpoolFileSystem: Sendable {
    /// Makes a directory and those above it; one that is there already is fine.
    func makeDirectory(_ path: String) throws(LogSpoolError)
    /// The names in a directory.
    func names(in path: String) throws(LogSpoolError) -> [String]
    /// How long a file is; `nil` when it is not there, or not a plain file. Links are not followed.
    func size(of path: String) throws(LogSpoolError) -> Int64?
    /// Opens a file for reading and writing.
    ///
    /// - Returns: `nil` when it is not there and is not to be created.
    func open(_ path: String, creating: Bool) throws(LogSpoolError) -> (any SpoolFile)?
    /// Opens a file for reading; `nil` when it is not there.
    func openForReading(_ path: String) throws(LogSpoolError) -> (any SpoolFile)?
    /// Removes a file; one that is not there is fine.
    func remove(_ path: String) throws(LogSpoolError)
    /// Has the names in a directory survive a loss of power.
    func synchronizeDirectory(_ path: String) throws(LogSpoolError)
}

/// An open file, closed when the last reference goes.
///
/// Reads and writes name their offset.
protocol SpoolFile: AnyObject, Sendable {
    /// Fills a buffer from an offset on.
    ///
    /// - Returns: How many bytes there were; fewer than asked for only at the end.
    func read(into buffer: UnsafeMutableRawBufferPointer, at offset: Int64) throws(LogSpoolError) -> Int
    /// Writes all bytes; when it throws, any number of them may have been written.
    func write(_ bytes: UnsafeRawBufferPointer, at offset: Int64) throws(LogSpoolError)
    /// Cuts the file off.
    func truncate(to size: Int64) throws(LogSpoolError)
    /// Takes the advisory lock of the file without waiting; it ends with the process at the latest.
    ///
    /// - Returns: `false` when another open file has it.
    func lock() throws(LogSpoolError) -> Bool
    /// Gives the lock back.
    func unlock()
    /// Has the content survive a loss of power.
    func synchronize() throws(LogSpoolError)
}

extension SpoolFile {
    /// Up to `count` bytes from an offset on.
    func read(_ count: Int, at offset: Int64) throws(LogSpoolError) -> [UInt8] {
        guard count > 0 else { return [] }
        var failure: LogSpoolError?
        let bytes = [UInt8](unsafeUninitializedCapacity: count) { buffer, initialized in
            do throws(LogSpoolError) {
                initialized = try read(into: UnsafeMutableRawBufferPointer(buffer), at: offset)
            } catch {
                failure = error
            }
        }
        if let failure { throw failure }
        return bytes
    }

    func write(_ bytes: [UInt8], at offset: Int64) throws(LogSpoolError) {
        var failure: LogSpoolError?
        bytes.withUnsafeBytes { buffer in
            do throws(LogSpoolError) {
                try write(buffer, at: offset)
            } catch {
                failure = error
            }
        }
        if let failure { throw failure }
    }
}
