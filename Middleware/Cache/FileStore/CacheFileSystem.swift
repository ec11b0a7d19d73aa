/// What a store of files asks of the system: few operations, so that tests can make each of them fail.
///
/// All of them throw ``CacheStoreFault``.
protocol CacheFileSystem: Sendable {
    /// Makes a directory and those above it; one that is there already is fine.
    func makeDirectory(_ path: String) throws(CacheStoreFault)
    /// Shows the names in a directory, as bytes that are valid during the call.
    func list(_ path: String, _ visit: (UnsafeBufferPointer<UInt8>) -> Void) throws(CacheStoreFault)
    /// Opens a file; `nil` when it is not there.
    func open(_ path: String, _ mode: CacheFileMode) throws(CacheStoreFault) -> (any CacheFile)?
    /// Renames a file in one step, in place of what is there.
    func rename(_ path: String, to destination: String) throws(CacheStoreFault)
    /// Removes a file.
    ///
    /// - Returns: Whether it was there.
    @discardableResult
    func remove(_ path: String) throws(CacheStoreFault) -> Bool
    /// Has the names in a directory survive a loss of power.
    func synchronizeDirectory(_ path: String) throws(CacheStoreFault)
}

/// How a file is opened.
enum CacheFileMode: Sendable {
    case read
    /// Both ways; created where it is not there.
    case update
    /// Both ways; it must not be there.
    case create
}

/// An open file, closed when the last reference goes.
///
/// Reads and writes name their offset.
protocol CacheFile: AnyObject, Sendable {
    /// Its length, and whether it still has a name.
    func status() throws(CacheStoreFault) -> (size: Int64, isLinked: Bool)
    /// Fills a buffer from an offset on.
    ///
    /// - Returns: How many bytes there were; fewer than asked for only at the end.
    func read(into buffer: UnsafeMutableRawBufferPointer, at offset: Int64) throws(CacheStoreFault) -> Int
    /// Writes all bytes; when it throws, any number of them may have been written.
    func write(_ bytes: UnsafeRawBufferPointer, at offset: Int64) throws(CacheStoreFault)
    /// Cuts the file off.
    func truncate(to size: Int64) throws(CacheStoreFault)
    /// Takes the advisory lock of the file without waiting; it goes with the file.
    ///
    /// - Returns: `false` when another open file has it.
    func lock() throws(CacheStoreFault) -> Bool
    /// Gives the lock back.
    func unlock()
    /// Has the content survive a loss of power.
    func synchronize() throws(CacheStoreFault)
}

extension CacheFile {
    /// Up to `count` bytes from an offset on.
    func read(_ count: Int, at offset: Int64) throws(CacheStoreFault) -> [UInt8] {
        guard count > 0 else { return [] }
        var fault: CacheStoreFault?
        let bytes = [UInt8](unsafeUninitializedCapacity: count) { buffer, initialized in
            do throws(CacheStoreFault) {
                initialized = try read(into: UnsafeMutableRawBufferPointer(buffer), at: offset)
            } catch {
                fault = error
            }
        }
        if let fault { throw fault }
        return bytes
    }

    func write(_ bytes: [UInt8], at offset: Int64) throws(CacheStoreFault) {
        var fault: CacheStoreFault?
        bytes.withUnsafeBytes { buffer in
            do throws(CacheStoreFault) {
                try write(buffer, at: offset)
            } catch {
                fault = error
            }
        }
        if let fault { throw fault }
    }
}
