import Foundation
package import HTTPChainSupport

/// The machine's file system on a disk that answers nothing until it is released.
///
/// What is asked of it meanwhile blocks its thread, as a network file system does whose server is gone.
package final class StallingFiles: FileSystem {
    private let system = SystemFiles()
    private let stall = DispatchSemaphore(value: 0)
    private let waiting = Locked(0)

    package init() {}

    /// How many threads wait for the disk now.
    package var waitingCount: Int { waiting.withLock { $0 } }

    /// Lets one operation go on.
    package func releaseOne() {
        stall.signal()
    }

    /// Lets everything go on, now and later.
    package func release() {
        for _ in 0..<100_000 { stall.signal() }
    }

    fileprivate func wait() {
        waiting.withLock { $0 += 1 }
        stall.wait()
        waiting.withLock { $0 -= 1 }
    }

    package func makeDirectory(_ path: String) throws(FileFault) {
        wait()
        try system.makeDirectory(path)
    }

    package func list(_ path: String, _ visit: (UnsafeBufferPointer<UInt8>) -> Void) throws(FileFault) {
        wait()
        try system.list(path, visit)
    }

    package func status(of path: String) throws(FileFault) -> FileStatus? {
        wait()
        return try system.status(of: path)
    }

    package func open(_ path: String, _ opening: FileOpening) throws(FileFault) -> (any File)? {
        wait()
        return try system.open(path, opening)
    }

    package func rename(_ path: String, to destination: String) throws(FileFault) -> Bool {
        wait()
        return try system.rename(path, to: destination)
    }

    package func remove(_ path: String) throws(FileFault) -> Bool {
        wait()
        return try system.remove(path)
    }

    package func synchronizeDirectory(_ path: String) throws(FileFault) {
        wait()
        try system.synchronizeDirectory(path)
    }
}
