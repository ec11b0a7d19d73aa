import Foundation
import HTTPChainCore

@testable import HTTPChainRemoteLogging

/// A file system that fails when it is told to.
final class FaultySpoolFiles: SpoolFileSystem {
    enum Fault: String, CaseIterable, Sendable {
        /// The operation fails, and nothing is done; a write is cut short.
        case once
        /// The operation fails, though it was done.
        case late
        /// The operation and the five after it fail; writes are cut short.
        case burst
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
    private let base = SystemSpoolFiles()
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
            case .burst: return state.count < failing + 6 ? .fails : .works
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
        _ work: () throws(LogSpoolError) -> Result
    ) throws(LogSpoolError) -> Result {
        switch next(writes: writes) {
        case .works: return try work()
        case .fails: throw .injected
        case .failsLate:
            _ = try work()
            throw .injected
        }
    }

    func makeDirectory(_ path: String) throws(LogSpoolError) {
        try perform { () throws(LogSpoolError) in try base.makeDirectory(path) }
    }

    func names(in path: String) throws(LogSpoolError) -> [String] {
        try perform(writes: false) { () throws(LogSpoolError) in try base.names(in: path) }
    }

    func size(of path: String) throws(LogSpoolError) -> Int64? {
        try perform(writes: false) { () throws(LogSpoolError) in try base.size(of: path) }
    }

    func open(_ path: String, creating: Bool) throws(LogSpoolError) -> (any SpoolFile)? {
        try perform { () throws(LogSpoolError) in
            try base.open(path, creating: creating).map { FaultySpoolFile($0, self) }
        }
    }

    func openForReading(_ path: String) throws(LogSpoolError) -> (any SpoolFile)? {
        try perform(writes: false) { () throws(LogSpoolError) in
            try base.openForReading(path).map { FaultySpoolFile($0, self) }
        }
    }

    func remove(_ path: String) throws(LogSpoolError) {
        try perform { () throws(LogSpoolError) in try base.remove(path) }
    }

    func synchronizeDirectory(_ path: String) throws(LogSpoolError) {
        // The disk itself is not waited for: no test can see it.
        try perform {}
    }
}

extension LogSpoolError {
    static let injected = LogSpoolError(
        .system(operation: "do", path: "it", code: EIO, message: "injected")
    )
}

private final class FaultySpoolFile: SpoolFile {
    private let base: any SpoolFile
    private let system: FaultySpoolFiles

    init(_ base: any SpoolFile, _ system: FaultySpoolFiles) {
        self.base = base
        self.system = system
    }

    func read(into buffer: UnsafeMutableRawBufferPointer, at offset: Int64) throws(LogSpoolError) -> Int {
        try system.perform(writes: false) { () throws(LogSpoolError) in try base.read(into: buffer, at: offset) }
    }

    func write(_ bytes: UnsafeRawBufferPointer, at offset: Int64) throws(LogSpoolError) {
        let verdict = system.next(writes: true)
        var count = system.take(bytes.count)
        if case .fails = verdict { count /= 2 }
        try base.write(UnsafeRawBufferPointer(rebasing: bytes[..<count]), at: offset)
        guard case .works = verdict, count == bytes.count else { throw .injected }
    }

    func truncate(to size: Int64) throws(LogSpoolError) {
        try system.perform { () throws(LogSpoolError) in try base.truncate(to: size) }
    }

    func lock() throws(LogSpoolError) -> Bool {
        try system.perform(writes: false) { () throws(LogSpoolError) in try base.lock() }
    }

    func unlock() { base.unlock() }

    func synchronize() throws(LogSpoolError) {
        try system.perform {}
    }
}
