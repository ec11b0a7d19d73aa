import Foundation
package import HTTPChainSupport

/// A file system that fails when it is told to.
package final class FaultyFiles: FileSystem {
    package enum Fault: String, CaseIterable, Sendable {
        /// The operation fails, and nothing is done; a write is cut short.
        case once
        /// The operation and the five after it fail; writes are cut short.
        case burst
        /// The operation fails, though it was done.
        case late
        /// From the operation on nothing works any more, as for a process that was killed; a write is cut short.
        case dead
        /// From the operation on nothing can be written, as on a disk that went read-only.
        case readOnly
    }

    private struct State {
        var count = 0
        var failing: Int?
        var fault = Fault.once
        /// How many bytes can still be written.
        var room = Int.max
    }
    private let base: any FileSystem
    private let state = Locked(State())
    fileprivate let waits: Bool

    /// Makes one on the disk of the machine, which is not waited for: no test can see it, and it takes time.
    package init() {
        base = SystemFiles()
        waits = false
    }

    /// Makes one on a disk in memory.
    package init(_ disk: MemoryDisk) {
        base = disk
        waits = true
    }

    /// How many operations there were.
    package var count: Int { state.withLock { $0.count } }

    package func fail(at operation: Int?, _ fault: Fault) {
        state.withLock { state in
            state.count = 0
            state.failing = operation
            state.fault = fault
        }
    }

    /// Has the disk take so many bytes more.
    package func fill(after room: Int) { state.withLock { $0.room = room } }

    fileprivate enum Verdict { case works, fails, failsLate }

    fileprivate func next(writes: Bool) -> Verdict {
        state.withLock { state in
            defer { state.count += 1 }
            guard let failing = state.failing, state.count >= failing else { return .works }
            switch state.fault {
            case .once: return state.count == failing ? .fails : .works
            case .burst: return state.count < failing + 6 ? .fails : .works
            case .late: return state.count == failing ? .failsLate : .works
            case .dead: return .fails
            case .readOnly: return writes ? .fails : .works
            }
        }
    }

    /// How many of so many bytes can be written.
    fileprivate func take(_ count: Int) -> Int {
        state.withLock { state in
            let taken = min(count, state.room)
            if state.room != .max { state.room -= taken }
            return taken
        }
    }

    fileprivate func perform<Result>(
        writes: Bool = true,
        _ work: () throws(FileFault) -> Result
    ) throws(FileFault) -> Result {
        switch next(writes: writes) {
        case .works: return try work()
        case .fails: throw FileFault.injected
        case .failsLate:
            _ = try work()
            throw FileFault.injected
        }
    }

    package func makeDirectory(_ path: String) throws(FileFault) {
        try perform { () throws(FileFault) in try base.makeDirectory(path) }
    }

    package func list(_ path: String, _ visit: (UnsafeBufferPointer<UInt8>) -> Void) throws(FileFault) {
        try perform(writes: false) { () throws(FileFault) in try base.list(path, visit) }
    }

    package func open(_ path: String, _ opening: FileOpening) throws(FileFault) -> (any File)? {
        try perform(writes: opening.isWritable) { () throws(FileFault) in
            try base.open(path, opening).map { FaultyFile($0, self) }
        }
    }

    package func rename(_ path: String, to destination: String) throws(FileFault) -> Bool {
        try perform { () throws(FileFault) in try base.rename(path, to: destination) }
    }

    package func status(of path: String) throws(FileFault) -> FileStatus? {
        try perform(writes: false) { () throws(FileFault) in try base.status(of: path) }
    }

    package func remove(_ path: String) throws(FileFault) -> Bool {
        try perform { () throws(FileFault) in try base.remove(path) }
    }

    package func synchronizeDirectory(_ path: String) throws(FileFault) {
        try perform { () throws(FileFault) in if waits { try base.synchronizeDirectory(path) } }
    }
}

extension FileFault {
    package static let injected = FileFault(operation: "do", path: "it", code: EIO, message: "injected")
}

private final class FaultyFile: File {
    private let base: any File
    private let system: FaultyFiles

    init(_ base: any File, _ system: FaultyFiles) {
        self.base = base
        self.system = system
    }

    func status() throws(FileFault) -> FileStatus {
        try system.perform(writes: false) { () throws(FileFault) in try base.status() }
    }

    func read(into buffer: UnsafeMutableRawBufferPointer, at offset: Int64) throws(FileFault) -> Int {
        try system.perform(writes: false) { () throws(FileFault) in try base.read(into: buffer, at: offset) }
    }

    func write(_ bytes: UnsafeRawBufferPointer, at offset: Int64) throws(FileFault) {
        let verdict = system.next(writes: true)
        var count = system.take(bytes.count)
        if case .fails = verdict { count /= 2 }
        try base.write(UnsafeRawBufferPointer(rebasing: bytes[..<count]), at: offset)
        guard case .works = verdict, count == bytes.count else { throw FileFault.injected }
    }

    func truncate(to size: Int64) throws(FileFault) {
        try system.perform { () throws(FileFault) in try base.truncate(to: size) }
    }

    func setPermissions(_ permissions: UInt16) throws(FileFault) {
        try system.perform { () throws(FileFault) in try base.setPermissions(permissions) }
    }

    func lock() throws(FileFault) -> Bool {
        try system.perform(writes: false) { () throws(FileFault) in try base.lock() }
    }

    func unlock() { base.unlock() }

    func synchronize() throws(FileFault) {
        try system.perform { () throws(FileFault) in if system.waits { try base.synchronize() } }
    }
}
