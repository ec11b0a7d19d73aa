#if SQLite
import Foundation
import HTTPChainCache
import HTTPChainCore

/// Shows other stores of a database, of this process and others, which bodies are being read.
///
/// Each store that reads has its own file in a directory next to the database. The file lists the entries being read,
/// and is locked (flock(2)): if nobody holds the lock, the process was killed, and the file is obsolete. Nobody waits
/// for a lock.
///
/// A reader first lists an entry, then checks that it exists. A removal is first committed, then checks for readers. So
/// either the reader finds the entry gone, or its blocks stay.
final class CacheReaders: Sendable {
    private struct State {
        var file: Int32 = -1
        var path = ""
        /// The entry listed at each place of the file; 0 for none.
        var places: [Int64] = []
        var readers: [Int64: Int] = [:]
    }
    /// Stands for all entries.
    private static let everything: Int64 = -1
    /// The maximum number of entries in a file; a store that reads more lists all entries.
    static let limit = 512

    let directory: String
    private let state = Locked(State())

    init(directory: String) {
        self.directory = directory
    }

    // MARK: - Reads by this store

    /// Lists an entry before it is read.
    func begin(_ id: Int64) {
        state.withLock { state in
            let count = state.readers[id] ?? 0
            state.readers[id] = count + 1
            guard count == 0 || state.file < 0 else { return }
            name(&state)
        }
    }

    func end(_ id: Int64) {
        state.withLock { state in
            let left = (state.readers[id] ?? 1) - 1
            state.readers[id] = left > 0 ? left : nil
            // If the database is closed, there is no file to update.
            if left <= 0, state.file >= 0 { name(&state) }
        }
    }

    /// Lists the entries being read, once the database is open again.
    func resume() {
        state.withLock { name(&$0) }
    }

    /// Removes the file; the next reader creates it again.
    func removeFile() {
        state.withLock { state in
            if state.file >= 0 {
                unlink(state.path)
                release(state.file)
                state.file = -1
                state.places = []
            }
            // The directory stays if another store has a file in it.
            rmdir(directory)
        }
    }

    /// Updates the file to list all entries being read.
    private func name(_ state: inout State) {
        if state.file < 0 {
            guard !state.readers.isEmpty, let (file, path) = makeFile() else { return }
            state.file = file
            state.path = path
            state.places = []
        }
        var named: Set<Int64> = []
        var everything: Int?
        for (place, id) in state.places.enumerated() where id != 0 {
            if id == Self.everything {
                everything = place
            } else if state.readers[id] != nil {
                named.insert(id)
            } else {
                put(0, at: place, &state)
            }
        }
        for id in state.readers.keys where !named.contains(id) {
            if let place = state.places.firstIndex(of: 0) {
                put(id, at: place, &state)
            } else if state.places.count < Self.limit {
                state.places.append(0)
                put(id, at: state.places.count - 1, &state)
            } else {
                if everything == nil { put(Self.everything, at: Self.limit - 1, &state) }
                return
            }
        }
        // Once each entry is listed individually.
        if let everything { put(0, at: everything, &state) }
    }

    private func put(_ id: Int64, at place: Int, _ state: inout State) {
        state.places[place] = id
        _ = withUnsafeBytes(of: id.littleEndian) { pwrite(state.file, $0.baseAddress, $0.count, off_t(place * 8)) }
    }

    /// Creates and locks a file; returns nil if that is impossible, as in a read-only directory.
    private func makeFile() -> (Int32, String)? {
        for _ in 0..<8 {
            mkdir(directory, 0o700)
            let path = "\(directory)/\(UInt64.random(in: 0 ... .max))"
            let file = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0o600)
            // Another store may have just removed the directory.
            guard file >= 0 else { continue }
            // A store looking for obsolete files may have removed it first.
            if flock(file, LOCK_EX | LOCK_NB) == 0, isThere(path, file) { return (file, path) }
            release(file)
        }
        return nil
    }

    private func isThere(_ path: String, _ file: Int32) -> Bool {
        var (one, other) = (stat(), stat())
        return lstat(path, &one) == 0 && fstat(file, &other) == 0 && one.st_ino == other.st_ino
    }

    private func release(_ file: Int32) {
        flock(file, LOCK_UN)
        close(file)
    }

    // MARK: - Reads by other stores

    /// Removes files left by killed processes.
    func removeLeftovers() {
        _ = unread([0])
        rmdir(directory)
    }

    /// Checks what other stores read, and removes files of processes that have ended.
    ///
    /// - Returns: The entries that no other store reads.
    func unread(_ ids: [Int64]) -> [Int64] {
        guard let names = try? FileManager.default.contentsOfDirectory(atPath: directory) else { return ids }
        let own = state.withLock { $0.file >= 0 ? $0.path : "" }
        var read: Set<Int64> = []
        for name in names {
            let path = "\(directory)/\(name)"
            if path == own { continue }
            let file = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW)
            guard file >= 0 else { continue }
            defer { release(file) }
            if flock(file, LOCK_EX | LOCK_NB) == 0 {
                unlink(path)
                continue
            }
            var bytes = [UInt8](repeating: 0, count: Self.limit * 8)
            let count = pread(file, &bytes, bytes.count, 0)
            guard count >= 0 else { return [] }
            bytes.withUnsafeBytes { buffer in
                for offset in stride(from: 0, to: count - count % 8, by: 8) {
                    read.insert(Int64(littleEndian: buffer.loadUnaligned(fromByteOffset: offset, as: Int64.self)))
                }
            }
        }
        return read.contains(Self.everything) ? [] : ids.filter { !read.contains($0) }
    }
}
#endif
