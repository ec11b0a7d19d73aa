public import Foundation
public import HTTPChainCore
package import HTTPChainSupport

/// Stores uploads in files, so that another process can resume them.
///
/// ```swift
/// let store = FileUploadStore(directory: directory.appending(path: "Uploads"))
/// ```
///
/// Each upload is a separate file, readable only by this user (mode 0600). Files are replaced atomically, so that a
/// killed process leaves either the old or the new one. Several processes can share a directory. A damaged file is
/// ignored.
public struct FileUploadStore: UploadStore {
    /// The content of a file.
    private struct Record: Codable {
        var version = 1
        var url: String
        var offset: Int64
        var length: Int64
        var created: Date
        var expires: Date?
    }

    private let path: String
    private let limit: Int
    private let age: Duration
    private let time: any TimeSource
    private let access: FileAccess
    private let files: Files<UploadError>

    /// The maximum size of a file that is read.
    private static let sizeLimit: Int64 = 65_536
    private static let suffix = ".upload"
    private static let temporarySuffix = ".new"

    /// Makes a store in a directory, which is created when the first upload is stored.
    ///
    /// - Parameters:
    ///   - directory: A directory that only the store uses.
    ///   - limit: The maximum number of uploads; 1000 by default. Beyond it, the least recently updated one is removed.
    ///   - age: The time for which an upload is stored after its creation; 7 days by default.
    ///   - time: The clock for the age of uploads.
    public init(
        directory: URL,
        limit: Int = 1000,
        age: Duration = .seconds(7 * 86_400),
        time: any TimeSource = ChainEnvironment.live.time
    ) {
        self.init(directory: directory, limit: limit, age: age, time: time, access: .standard)
    }

    /// Makes a store with different file access, to test disk failures.
    package init(directory: URL, limit: Int, age: Duration, time: any TimeSource, access: FileAccess) {
        path = directory.path
        self.limit = max(1, limit)
        self.age = age
        self.time = time
        self.access = access
        files = Files(access.system)
    }

    /// Returns the upload of a key, or `nil` if there is none or it is too old.
    ///
    /// - Throws: ``UploadError``; `CancellationError` if the task is cancelled.
    public func upload(for key: UploadKey) async throws -> StoredUpload? {
        let upload = try await access.executor.run { try read(file(of: key)) }
        guard let upload, !isTooOld(upload) else { return nil }
        return upload
    }

    /// Stores an upload, replacing the key's existing one.
    ///
    /// If there are too many, the oldest is removed.
    ///
    /// - Throws: ``UploadError``.
    public func keep(_ upload: StoredUpload, for key: UploadKey) async throws {
        // This can't be cancelled, so that an upload created on the server isn't lost if its call is cancelled.
        try await access.executor.runToEnd { () throws(UploadError) in
            try files.makeDurableDirectory(path)
            let isNew = try files.status(of: file(of: key)) == nil
            try replace(file(of: key), with: upload)
            if isNew { try removeSurplus() }
        }
    }

    /// Removes the upload of a key, if there is one.
    ///
    /// - Throws: ``UploadError``.
    public func forget(_ key: UploadKey) async throws {
        try await access.executor.runToEnd { () throws(UploadError) in _ = try files.remove(file(of: key)) }
    }

    private func file(of key: UploadKey) -> String { "\(path)/\(key)\(Self.suffix)" }

    private func isTooOld(_ upload: StoredUpload) -> Bool {
        time.date.timeIntervalSince(upload.created) > age.inSeconds
    }

    private func read(_ file: String) throws(UploadError) -> StoredUpload? {
        guard let open = try files.open(file, .read) else { return nil }
        let status = try open.status()
        guard status.kind == .regular, status.size <= Self.sizeLimit else { return nil }
        guard status.owner == UInt32(geteuid()) else { throw UploadError(.ownedByAnother(path: file)) }
        guard status.permissions & 0o077 == 0 else {
            throw UploadError(.readableByOthers(path: file, mode: status.permissions))
        }
        let bytes = try open.data(Int(status.size), at: 0)
        guard let record = try? JSONDecoder().decode(Record.self, received: bytes), record.version == 1,
            record.offset >= 0, record.length >= record.offset, Origin(record.url) != nil
        else { return nil }
        return StoredUpload(
            url: Secret(record.url),
            offset: record.offset,
            length: record.length,
            created: record.created,
            expires: record.expires
        )
    }

    /// Replaces a file atomically: readers see either the old or the new content, even after a power failure.
    private func replace(_ file: String, with upload: StoredUpload) throws(UploadError) {
        let record = Record(
            url: upload.url.revealed,
            offset: upload.offset,
            length: upload.length,
            created: upload.created,
            expires: upload.expires
        )
        // Encoding texts and finite numbers can't fail.
        guard let bytes = try? JSONEncoder().encode(record) else { return }
        let temporary = "\(file).\(SystemRandom().next().hexadecimal)\(Self.temporarySuffix)"
        do throws(UploadError) {
            guard let open = try files.open(temporary, .create) else { return }
            try open.write(bytes, at: 0)
            try open.synchronize()
            try files.rename(temporary, to: file)
            try files.synchronizeDirectory(path)
        } catch {
            _ = try? files.remove(temporary)
            throw error
        }
    }

    /// Removes the oldest files beyond the limit, files that are too old, and temporary files of killed processes.
    private func removeSurplus() throws(UploadError) {
        let now = Date().timeIntervalSince1970
        var found: [(file: String, modified: Int64)] = []
        for name in try files.names(in: path) {
            let file = "\(path)/\(name)"
            let isTemporary = name.ends(with: Self.temporarySuffix)
            guard isTemporary || name.ends(with: Self.suffix), let status = try files.status(of: file) else { continue }
            let isLeftOver = now - Double(status.modified) / 1e9 > Self.longestWriting
            if isTemporary {
                if isLeftOver { try files.remove(file) }
            } else if let upload = try? read(file), isTooOld(upload) {
                try files.remove(file)
            } else {
                found.append((file, status.modified))
            }
        }
        guard found.count > limit else { return }
        for (file, _) in found.sorted(by: { $0.modified < $1.modified }).prefix(found.count - limit) {
            try files.remove(file)
        }
    }

    /// The maximum time for writing a file, in seconds: an hour.
    private static let longestWriting = 3600.0
}
