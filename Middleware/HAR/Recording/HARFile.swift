public import Foundation
import HTTPChainCore
import HTTPChainSupport

/// A file to which entries are appended so that it is always a complete archive.
///
/// If the program is killed, only the entry being written is lost.
///
/// A single write replaces the end of the file (`]}}`) with the new entry and a new end. Appending to files of other
/// programs works in the same way: the text after the last entry is rewritten after the new one. A truncated file is
/// cut after its last complete entry. The file is locked while appending, so that several recorders, even in several
/// processes, can write to it.
struct HARFile: Sendable {
    /// The time to wait for another writer, in seconds.
    private static let patience = 10.0

    let path: String
    let limits: HARLimits
    private let files: Files<HARError>
    private let known = Locked<Layout?>(nil)

    /// The position of the next entry when the file was last written or read.
    private struct Layout: Sendable {
        /// The end of the last entry.
        var end: Int64
        var isEmpty: Bool
        /// The bytes after the last entry.
        var tail: [UInt8]
    }

    init(path: String, limits: HARLimits, system: any FileSystem = SystemFiles()) {
        self.path = path
        self.limits = limits
        files = Files(system)
    }

    /// The folder of bodies stored in separate files.
    var bodiesName: String { (path as NSString).lastPathComponent + ".bodies" }

    private var directory: String { (path as NSString).deletingLastPathComponent }

    /// Appends entries.
    ///
    /// This blocks, so call it on a file thread.
    func append(_ entries: [RecordedEntry]) throws(HARError) {
        if entries.isEmpty { return }
        do throws(HARError) {
            try write(entries)
        } catch {
            known.withLock { $0 = nil }
            throw error.of(path)
        }
    }

    private func write(_ entries: [RecordedEntry]) throws(HARError) {
        if !directory.isEmpty { try files.makeDirectory(directory) }
        // Bodies are written first, so that an entry never refers to a missing file.
        for file in entries.flatMap(\.files) { try writeBody(file.name, file.content) }
        let opening = FileOpening(.ifMissing, isWritable: true, followsLinks: true)
        guard let file = try files.open(path, opening) else { throw HARError(.locked(path: path)) }
        try lock(file)
        defer { file.unlock() }
        var layout = try layout(of: file)
        var bytes: [UInt8] = []
        for entry in entries {
            bytes += layout.isEmpty ? [0x0A] : Array(",\n".utf8)
            entry.entry.tree.write(to: &bytes)
            layout.isEmpty = false
        }
        let start = layout.end
        layout.end += Int64(bytes.count)
        try file.write(bytes + layout.tail, at: start)
        known.withLock { $0 = layout }
    }

    private func lock(_ file: OpenFile<HARError>) throws(HARError) {
        let start = ContinuousClock.now
        while try !file.lock() {
            if start.duration(to: .now).inSeconds > Self.patience { throw HARError(.locked(path: path)) }
            usleep(1000)
        }
    }

    /// Returns the position of the next entry.
    ///
    /// The known position is used if the end of the file is unchanged, even if another writer has appended entries in
    /// the meantime. Otherwise the file is read.
    private func layout(of file: OpenFile<HARError>) throws(HARError) -> Layout {
        let size = try file.status().size
        if size == 0 { return try begin(file) }
        if let known = known.withLock({ $0 }) {
            let end = size - Int64(known.tail.count)
            if end >= known.end, try file.read(known.tail.count, at: end) == known.tail {
                return Layout(end: end, isEmpty: known.isEmpty && end == known.end, tail: known.tail)
            }
        }
        if size > limits.size.bytes { throw HARError(.tooLarge(limit: limits.size)) }
        let data = try file.data(Int(size), at: 0)
        let content = try HARFileContent(data, limits: limits, salvaging: true)
        guard let entries = content.entries else {
            // The file contains only the beginning of an archive, without entries.
            try file.truncate(to: 0)
            return try begin(file)
        }
        var tail = Array(data[entries.end...])
        if content.isCut {
            tail = HARFileContent.tail
            try file.truncate(to: Int64(entries.end))
            try file.write(tail, at: Int64(entries.end))
        }
        return Layout(end: Int64(entries.end), isEmpty: entries.count == 0, tail: tail)
    }

    private func begin(_ file: OpenFile<HARError>) throws(HARError) -> Layout {
        let bytes = Array(HARArchive().data)
        try file.write(bytes, at: 0)
        let tail = HARFileContent.tail
        return Layout(end: Int64(bytes.count - tail.count), isEmpty: true, tail: tail)
    }

    private func writeBody(_ name: String, _ content: Data) throws(HARError) {
        let path = directory.isEmpty ? name : directory + "/" + name
        try files.makeDirectory((path as NSString).deletingLastPathComponent)
        guard let file = try files.open(path, .create) else { return }
        try file.write(content, at: 0)
    }
}

extension HARArchive {
    /// Reads a file.
    ///
    /// - Parameters:
    ///   - file: The file.
    ///   - limits: The size limits.
    ///   - salvaging: Whether to read the complete entries of a truncated file; `false` by default.
    /// - Throws: ``HARError``.
    public static func read(
        from file: URL,
        limits: HARLimits = HARLimits(),
        salvaging: Bool = false
    ) async throws(HARError) -> HARArchive {
        try await FileExecutor.shared.runToEnd { () throws(HARError) in
            try readBlocking(file.path, limits: limits, salvaging: salvaging)
        }
    }

    static func readBlocking(_ path: String, limits: HARLimits, salvaging: Bool) throws(HARError) -> HARArchive {
        do throws(HARError) {
            let opening = FileOpening(.never, isWritable: false, followsLinks: true)
            guard let open = try Files<HARError>().open(path, opening) else {
                throw HARError(.file(operation: "open", path: path, message: "there is no such file"))
            }
            let size = try open.status().size
            if size > limits.size.bytes { throw HARError(.tooLarge(limit: limits.size)) }
            return try HARArchive(open.data(Int(size), at: 0), limits: limits, salvaging: salvaging)
        } catch {
            throw error.of(path)
        }
    }

    /// Writes a file atomically: the old file is kept until the new one is complete.
    ///
    /// - Throws: ``HARError`` if a file operation fails.
    public func write(to file: URL) async throws(HARError) {
        let archive = self
        try await FileExecutor.shared.runToEnd { () throws(HARError) in try archive.writeBlocking(file.path) }
    }

    private func writeBlocking(_ path: String) throws(HARError) {
        let files = Files<HARError>()
        let directory = (path as NSString).deletingLastPathComponent
        if !directory.isEmpty { try files.makeDirectory(directory) }
        let draft = "\(path).\(UUID().uuidString).new"
        do throws(HARError) {
            guard let open = try files.open(draft, .create) else { return }
            try open.write(data, at: 0)
            try open.synchronize()
            try files.rename(draft, to: path)
        } catch {
            _ = try? files.remove(draft)
            throw error.of(path)
        }
    }
}
