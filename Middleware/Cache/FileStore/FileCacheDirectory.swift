import HTTPChainCore
import HTTPChainSupport

/// The directory of a file store, and the names in it.
struct FileCacheDirectory: Sendable {
    /// A kind of file name.
    enum Kind: Hashable {
        case entry(UInt64)
        case body(UInt64)
        case temporary
    }

    let path: String
    let files: Files<CacheStoreFault>
    let durability: FileCacheDurability
    /// The store's own threads.
    let executor: FileExecutor

    var lock: String { path + "/lock" }
    var index: String { path + "/index" }

    func entry(_ id: UInt64) -> String { name(id, ".entry") }
    func body(_ id: UInt64) -> String { name(id, ".body") }

    private func name(_ id: UInt64, _ ending: String) -> String {
        var name = path
        // Called for each look-up, so it reserves the memory with one allocation.
        name.reserveCapacity(path.utf8.count + 17 + ending.utf8.count)
        name += "/"
        name += id.hexadecimal
        name += ending
        return name
    }

    /// Returns the kind of a name in the directory; `nil` if it isn't the store's.
    static func kind(_ name: UnsafeBufferPointer<UInt8>) -> Kind? {
        var id: UInt64 = 0
        guard name.count > 17, name[16] == UInt8(ascii: ".") else { return nil }
        for byte in name[..<16] {
            switch byte {
            case 0x30...0x39: id = id << 4 | UInt64(byte - 0x30)
            case 0x61...0x66: id = id << 4 | UInt64(byte - 0x61 + 10)
            default: return nil
            }
        }
        switch name.count {
        case 22 where name[17] == UInt8(ascii: "e"): return .entry(id)
        case 21 where name[17] == UInt8(ascii: "b"): return .body(id)
        case 20 where name[17] == UInt8(ascii: "t"): return .temporary
        default: return nil
        }
    }

    /// Creates an identifier; it is small, so that a composition of stores can derive its own identifier from it.
    static func makeID() -> UInt64 { UInt64.random(in: 1..<(1 << 48)) }

    /// Creates a file that is locked while it is open, so that no process treats it as abandoned.
    func makeTemporary() throws(CacheStoreFault) -> TemporaryCacheFile {
        var path = ""
        for _ in 0..<8 {
            path = self.path + "/" + UInt64.random(in: 0 ... .max).hexadecimal + ".tmp"
            guard let file = try files.open(path, .create) else { throw CacheStoreFault(.damaged(path)) }
            let temporary = TemporaryCacheFile(path: path, file: file, files: files, executor)
            // Another process may have treated the file as abandoned and removed it before it was locked.
            if try file.lock(), try file.status().links > 0 { return temporary }
        }
        throw CacheStoreFault(.busy(path))
    }

    /// Removes an abandoned temporary file.
    func removeLeftOver(_ path: String) {
        guard let file = try? files.open(path, .read), (try? file.lock()) ?? false else { return }
        _ = try? files.remove(path)
    }

    /// Removes the files of an entry, starting with the one that makes the entry visible.
    func remove(_ id: UInt64) throws(CacheStoreFault) {
        try files.remove(entry(id))
        try files.remove(body(id))
    }

    func make() throws(CacheStoreFault) {
        switch durability {
        case .process: try files.makeDirectory(path)
        case .power: try files.makeDurableDirectory(path)
        }
    }

    func synchronize() throws(CacheStoreFault) {
        guard durability == .power else { return }
        try files.synchronizeDirectory(path)
    }
}

/// A file that is being written; it is removed with its last reference, unless it was moved to its destination.
final class TemporaryCacheFile: Sendable {
    let file: OpenFile<CacheStoreFault>
    private let path: String
    private let files: Files<CacheStoreFault>
    private let executor: FileExecutor
    private let isMoved = Locked(false)

    init(
        path: String,
        file: OpenFile<CacheStoreFault>,
        files: Files<CacheStoreFault>,
        _ executor: FileExecutor
    ) {
        self.path = path
        self.file = file
        self.files = files
        self.executor = executor
    }

    deinit {
        guard !isMoved.withLock({ $0 }) else { return }
        // The last reference may be released by code that must not wait for a disk.
        executor.submit { [path, file, files] in
            _ = try? files.remove(path)
            file.unlock()
        }
    }

    func move(to destination: String) throws(CacheStoreFault) {
        try files.rename(path, to: destination)
        isMoved.withLock { $0 = true }
        // The file is no longer temporary, and extending it needs the lock. Closing it isn't enough to unlock it,
        // because a child process that has just been forked also has it open until it executes its program.
        file.unlock()
    }
}

/// The failures that stored entries survive.
public enum FileCacheDurability: Sendable, Hashable {
    /// Termination of the process at any point.
    ///
    /// Nothing is flushed to the disk, so a power loss may undo the newest entries and removals; damaged entries are
    /// detected and removed.
    case process
    /// Also a power loss.
    ///
    /// Each commit and removal waits for the disk; concurrent commits share the wait.
    case power
}
