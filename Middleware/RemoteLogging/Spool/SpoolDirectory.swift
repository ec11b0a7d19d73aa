import HTTPChainSupport

/// The directory of a spool, and the names of its files.
struct SpoolDirectory: Sendable {
    let path: String
    let files: Files<LogSpoolError>
    let durability: LogSpoolDurability

    var lock: String { path + "/lock" }
    var position: String { path + "/position" }

    func segment(_ number: UInt64) -> String { path + "/" + SpoolSegment.name(number) }

    func make() throws(LogSpoolError) {
        switch durability {
        case .process: try files.makeDirectory(path)
        case .power: try files.makeDurableDirectory(path)
        }
    }

    /// The parts of the directory's content that another process would change.
    struct Snapshot: Sendable, Equatable {
        var sizes: [UInt64: Int64] = [:]
        var position: LogSpoolPosition?
    }

    func snapshot() throws(LogSpoolError) -> Snapshot {
        var snapshot = Snapshot()
        for number in try files.names(in: path).compactMap({ SpoolSegment.number($0) }) {
            snapshot.sizes[number] = try files.status(of: segment(number))?.size
        }
        snapshot.position = try SpoolPositionFile(position, files, durability).position
        return snapshot
    }

    func synchronize() throws(LogSpoolError) {
        guard durability == .power else { return }
        try files.synchronizeDirectory(path)
    }
}

/// A lock that keeps other spools out of a directory as long as this object exists.
final class SpoolLock: Sendable {
    private let file: OpenFile<LogSpoolError>

    init(_ directory: SpoolDirectory) throws(LogSpoolError) {
        guard let file = try directory.files.open(directory.lock, .updateOrCreate), try file.lock() else {
            throw LogSpoolError(.inUse(directory: directory.path))
        }
        self.file = file
    }

    // Closing the file isn't enough, because a child process that was just started may also have it open.
    deinit { file.unlock() }
}

/// The kinds of failures that the records in a ``LogSpool`` survive.
public enum LogSpoolDurability: Sendable, Hashable {
    /// The end of the process at any point, including `kill -9`.
    ///
    /// The operating system has a record before `append` returns.
    ///
    /// After a power failure or a system crash, the newest records may be lost, and some acknowledged ones may be
    /// delivered again.
    case process
    /// Power failures, too.
    ///
    /// Each record and each acknowledgement waits for the disk, which takes milliseconds.
    case power
}
