#if AllTests
import Foundation
import HTTPChainCore
import HTTPChainSupport
import TestSupport

/// A file system that shows what is done with it before it is done; the hook may block.
final class HookedFiles: WrappedFiles {
    enum Operation: Sendable, Equatable {
        case open, create, rename, remove, list, lock, read, status
        case write(Int)
        case synchronize
    }

    let base: any FileSystem
    private let readsImmediately: Bool
    fileprivate let hook: @Sendable (Operation, String) -> Void

    /// - Parameter readsImmediately: Whether files are read without waiting for the disk where `base` can do so.
    init(
        _ base: any FileSystem = SystemFiles(),
        readsImmediately: Bool = false,
        _ hook: @escaping @Sendable (Operation, String) -> Void
    ) {
        self.base = base
        self.readsImmediately = readsImmediately
        self.hook = hook
    }

    func readsImmediately(in directory: String) -> Bool { readsImmediately && base.readsImmediately(in: directory) }

    func openImmediately(_ path: String) throws(FileFault) -> (any File)? {
        hook(.open, path)
        return try base.openImmediately(path).map { HookedFile($0, path, self) }
    }

    func list(_ path: String, _ visit: (UnsafeBufferPointer<UInt8>) -> Void) throws(FileFault) {
        hook(.list, path)
        try base.list(path, visit)
    }

    func open(_ path: String, _ opening: FileOpening) throws(FileFault) -> (any File)? {
        hook(opening.creation == .exclusive ? .create : .open, path)
        return try base.open(path, opening).map { HookedFile($0, path, self) }
    }

    func rename(_ path: String, to destination: String) throws(FileFault) -> Bool {
        hook(.rename, destination)
        return try base.rename(path, to: destination)
    }

    func remove(_ path: String) throws(FileFault) -> Bool {
        hook(.remove, path)
        return try base.remove(path)
    }

    func synchronizeDirectory(_ path: String) throws(FileFault) {
        hook(.synchronize, path)
        try base.synchronizeDirectory(path)
    }
}

private final class HookedFile: WrappedFile {
    let base: any File
    private let path: String
    private let system: HookedFiles

    init(_ base: any File, _ path: String, _ system: HookedFiles) {
        self.base = base
        self.path = path
        self.system = system
    }

    func status() throws(FileFault) -> FileStatus {
        system.hook(.status, path)
        return try base.status()
    }

    func read(into buffer: UnsafeMutableRawBufferPointer, at offset: Int64) throws(FileFault) -> Int {
        system.hook(.read, path)
        return try base.read(into: buffer, at: offset)
    }

    func readImmediately(into buffer: UnsafeMutableRawBufferPointer, at offset: Int64) throws(FileFault) -> Int {
        system.hook(.read, path)
        return try base.readImmediately(into: buffer, at: offset)
    }

    func write(_ bytes: UnsafeRawBufferPointer, at offset: Int64) throws(FileFault) {
        system.hook(.write(bytes.count), path)
        try base.write(bytes, at: offset)
    }

    func lock() throws(FileFault) -> Bool {
        system.hook(.lock, path)
        return try base.lock()
    }

    func synchronize() throws(FileFault) {
        system.hook(.synchronize, path)
        try base.synchronize()
    }
}

/// Stops a thread at one point, until a test lets it go on.
final class Barrier: Sendable {
    private let condition: @Sendable (HookedFiles.Operation, String) -> Bool
    private let isSet = Locked(false)
    private let isReached = Watched(false)
    private let gate = DispatchSemaphore(value: 0)

    /// - Parameter condition: Whether the thread that does this is stopped, once the barrier is set.
    init(_ condition: @escaping @Sendable (HookedFiles.Operation, String) -> Bool) {
        self.condition = condition
    }

    /// Stops the next one.
    func set() { isSet.withLock { $0 = true } }

    func pass(_ operation: HookedFiles.Operation, _ path: String) {
        guard isSet.withLock({ $0 }), condition(operation, path) else { return }
        let stops = isSet.withLock { isSet in
            defer { isSet = false }
            return isSet
        }
        guard stops else { return }
        isReached.update { $0 = true }
        gate.wait()
    }

    func reached() async throws { try await isReached.wait { $0 ? () : nil } }

    func release() { gate.signal() }
}
#endif
