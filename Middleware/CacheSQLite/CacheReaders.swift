#if SQLite
import Foundation
import HTTPChainCache
import HTTPChainCore

#if canImport(Darwin)
import Darwin
#elseif canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// Tells other stores of a database, of this process and of others, which bodies are being read.
///
/// Each store that reads has a file of its own in a directory beside the database, with the names of the entries in it,
/// and a lock on it (flock(2)): where nobody has the lock, the process was killed, and the file says nothing any more.
/// Nobody waits for a lock.
///
/// Whoever reads an entry names it first, and then looks whether it is there; whoever removes one commits that first,
/// and then looks who reads it. So either the reader finds it gone, or its blocks stay.
final class CacheReaders: Sendable {
    private struct State {
        var file: Int32 = -1
        var path = ""
        /// The entry that each place of the file names; 0 for none.
        var places: [Int64] = []
        var readers: [Int64: Int] = [:]
    }
    /// Names all entries.
    private static let everything: Int64 = -1
    /// The number of entries that a file names at most; who reads more names all.
    static let limit = 512

    let directory: String
    private let state = Locked(State())

    init(directory: String) {
        self.directory = directory
    }

    // MARK: - What this store reads

    /// Names an entry that is going to be read.
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
            // Where the database is closed, nobody is told.
            if left <= 0, state.file >= 0 { name(&state) }
        }
    }

    /// Names what is read, once the database is open again.
    func resume() {
        state.withLock { name(&$0) }
    }

    /// Takes the file away; it is there again with the next reader.
    func close() {
        state.withLock { state in
            if state.file >= 0 {
                unlink(state.path)
                release(state.file)
                state.file = -1
                state.places = []
            }
            // Where another has a file in it, it stays.
            rmdir(directory)
        }
    }

    /// Writes down all that is read, as far as the file does not say it.
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
        // Once each has a name of its own.
        if let everything { put(0, at: everything, &state) }
    }

    private func put(_ id: Int64, at place: Int, _ state: inout State) {
        state.places[place] = id
        _ = withUnsafeBytes(of: id.littleEndian) { pwrite(state.file, $0.baseAddress, $0.count, off_t(place * 8)) }
    }

    /// Makes a file and locks it; nil where there can be none, as in a directory that may not be written to.
    private func makeFile() -> (Int32, String)? {
        for _ in 0..<8 {
            mkdir(directory, 0o700)
            let path = "\(directory)/\(UInt64.random(in: 0 ... .max))"
            let file = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0o600)
            // Another may have removed the directory just then.
            guard file >= 0 else { continue }
            // One that looks for dead ones may have been quicker, and has removed it.
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
        _ = Self.close(file)
    }

    private static func close(_ file: Int32) -> Int32 {
        #if canImport(Darwin)
        Darwin.close(file)
        #elseif canImport(Glibc)
        Glibc.close(file)
        #elseif canImport(Musl)
        Musl.close(file)
        #endif
    }

    // MARK: - What others read

    /// Removes what processes have left behind that were killed.
    func removeLeftovers() {
        _ = unread([0])
        rmdir(directory)
    }

    /// Looks what others read; files of processes that have ended are removed.
    ///
    /// - Returns: Those of the entries that nobody else reads.
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
