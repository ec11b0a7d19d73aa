#if SQLite
import Foundation
import HTTPChainCache
import HTTPChainCore
import HTTPChainSupport

/// Shows other stores of a database, in this process and in others, which bodies are being read.
///
/// Each store that reads has a separate file in a directory next to the database. The file lists the entries being
/// read, and is locked (flock(2)). If nobody holds the lock, the process was killed, and the file is obsolete. Nobody
/// waits for a lock.
///
/// A reader first lists an entry, and then checks that it exists. A removal is first committed, and then checks for
/// readers. Either the reader finds that the entry is gone, or its blocks are kept.
final class CacheReaders: Sendable {
    private struct State {
        var file: OpenFile<FileFault>?
        var path = ""
        /// The entry listed at each place of the file; 0 for none.
        var places: [Int64] = []
        var readers: [Int64: Int] = [:]
    }
    /// The value that represents all entries.
    private static let everything: Int64 = -1
    /// The maximum number of entries in a file; a store that reads more of them lists all entries.
    static let limit = 512

    let directory: String
    private let files = Files<FileFault>()
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
            guard count == 0 || state.file == nil else { return }
            name(&state)
        }
    }

    func end(_ id: Int64) {
        state.withLock { state in
            let left = (state.readers[id] ?? 1) - 1
            state.readers[id] = left > 0 ? left : nil
            // If the database is closed, there is no file to update.
            if left <= 0, state.file != nil { name(&state) }
        }
    }

    /// Lists the entries being read, once the database is open again.
    func resume() {
        state.withLock { name(&$0) }
    }

    /// Removes the file; the next reader creates it again.
    func removeFile() {
        state.withLock { state in
            if let file = state.file.take() {
                _ = try? files.remove(state.path)
                file.unlock()
                state.places = []
            }
            // Fails if another store has a file in the directory, which is then kept.
            rmdir(directory)
        }
    }

    /// Updates the file to list all entries being read.
    private func name(_ state: inout State) {
        if state.file == nil {
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
        // Removed once each entry is listed individually.
        if let everything { put(0, at: everything, &state) }
    }

    private func put(_ id: Int64, at place: Int, _ state: inout State) {
        state.places[place] = id
        withUnsafeBytes(of: id.littleEndian) { try? state.file?.write($0, at: Int64(place * 8)) }
    }

    /// Creates and locks a file; returns nil if that is impossible, as in a read-only directory.
    private func makeFile() -> (OpenFile<FileFault>, String)? {
        for _ in 0..<8 {
            mkdir(directory, 0o700)
            let path = "\(directory)/\(UInt64.random(in: 0 ... .max))"
            // Another store may have just removed the directory.
            guard let file = try? files.open(path, .create) else { continue }
            // A store that looks for obsolete files may have removed this one before it was locked.
            if (try? file.lock()) == true, (try? file.status().links > 0) == true { return (file, path) }
            file.unlock()
        }
        return nil
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
        let own = state.withLock { $0.file != nil ? $0.path : "" }
        var read: Set<Int64> = []
        for name in names {
            let path = "\(directory)/\(name)"
            if path.hasSameBytes(as: own) { continue }
            guard let file = try? files.open(path, .read) else { continue }
            defer { file.unlock() }
            if (try? file.lock()) == true {
                _ = try? files.remove(path)
                continue
            }
            guard let bytes = try? file.read(Self.limit * 8, at: 0) else { return [] }
            for offset in stride(from: 0, to: bytes.count - bytes.count % 8, by: 8) {
                read.insert(bytes.number(at: offset))
            }
        }
        return read.contains(Self.everything) ? [] : ids.filter { !read.contains($0) }
    }
}
#endif
