import Foundation
import HTTPChainCore

@testable import HTTPChainCache

/// A file system that fails when it is told to.
final class FaultyFileSystem: FileSystem {
    enum Fault: String, CaseIterable, Sendable {
        /// The operation fails, and nothing is done; a write is cut short.
        case once
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
    private let base = SystemFiles()
    private let state = Locked(State())

    /// How many operations there were.
    var count: Int { state.withLock { $0.count } }

    func fail(at operation: Int?, _ fault: Fault) {
        state.withLock { state in
            state.count = 0
            state.failing = operation
            state.fault = fault
        }
    }

    /// Has the disk take so many bytes more.
    func fill(after room: Int) { state.withLock { $0.room = room } }

    fileprivate enum Verdict { case works, fails, failsLate }

    fileprivate func next(writes: Bool) -> Verdict {
        state.withLock { state in
            defer { state.count += 1 }
            guard let failing = state.failing, state.count >= failing else { return .works }
            switch state.fault {
            case .once: return state.count == failing ? .fails : .works
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

    func makeDirectory(_ path: String) throws(FileFault) {
        try perform { () throws(FileFault) in try base.makeDirectory(path) }
    }

    func list(_ path: String, _ visit: (UnsafeBufferPointer<UInt8>) -> Void) throws(FileFault) {
        try perform(writes: false) { () throws(FileFault) in try base.list(path, visit) }
    }

    func open(_ path: String, _ mode: FileOpening) throws(FileFault) -> (any File)? {
        let writes = mode.isWritable
        return try perform(writes: writes) { () throws(FileFault) in
            try base.open(path, mode).map { FaultyFile($0, self) }
        }
    }

    func rename(_ path: String, to destination: String) throws(FileFault) -> Bool {
        try perform { () throws(FileFault) in try base.rename(path, to: destination) }
    }

    func status(of path: String) throws(FileFault) -> FileStatus? {
        try perform(writes: false) { () throws(FileFault) in try base.status(of: path) }
    }

    func remove(_ path: String) throws(FileFault) -> Bool {
        try perform { () throws(FileFault) in try base.remove(path) }
    }

    func synchronizeDirectory(_ path: String) throws(FileFault) {
        // The disk itself is not waited for: that blocks a thread that all tests share, and no test can see it.
        try perform {}
    }
}

extension FileFault {
    static let injected = FileFault(operation: "do", path: "it", code: 5, message: "injected")
}

extension CacheStoreFault {
    static let injected = CacheStoreFault(FileFault.injected)
}

private final class FaultyFile: File {
    private let base: any File
    private let system: FaultyFileSystem

    init(_ base: any File, _ system: FaultyFileSystem) {
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
        try system.perform {}
    }
}
