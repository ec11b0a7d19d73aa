import Foundation
import HTTPChainCore
import HTTPChainSupport

/// The file of a jar; its first line has the format and the revision, and each further line has a cookie in JSON.
///
/// A change locks a separate file, because each change replaces the jar's file itself.
final class CookieFile: Sendable {
    private static let signature = "HTTPChain cookies 1 "
    /// The maximum size of a file; it is larger than that of any jar, even with the highest limits.
    private static let sizeLimit: Int64 = 64 << 20
    private static let pause = Duration.milliseconds(5)
    /// The number of attempts to get the lock.
    ///
    /// It is counted instead of the time, because on an overloaded machine time may pass while the lock is free.
    private static let attempts = Int(Duration.seconds(10) / pause)

    let keepsSessionCookies: Bool
    private let path: String
    private let access: FileAccess
    private let files: Files<FileFault>

    /// The cookies in the file.
    struct Content: Sendable {
        /// The first line of the file, which each change replaces; nil if there is no file.
        let revision: String?
        let cookies: [KeptCookie]
    }

    init(path: String, keepsSessionCookies: Bool, access: FileAccess = .standard) {
        self.path = path
        self.keepsSessionCookies = keepsSessionCookies
        self.access = access
        files = Files(access.system)
    }

    /// Reads the file; if it doesn't exist, there are no cookies.
    func read() async throws(CookieError) -> Content {
        try await access.executor.runToEnd { [self] () throws(CookieError) in try content() }
    }

    /// Reads the file if it has another revision; returns nil otherwise.
    func read(unless known: String?) async throws(CookieError) -> Content? {
        try await access.executor.runToEnd { [self] () throws(CookieError) in try content(unless: known) }
    }

    /// Reads the file if it has another revision, or returns nil; blocks.
    func content(unless known: String?) throws(CookieError) -> Content? {
        try currentRevision().hasSameBytes(as: known) ? nil : content()
    }

    /// Runs a change while other processes and other tasks are locked out, on a thread that may wait.
    func update(_ change: @escaping @Sendable () throws(CookieError) -> Void) async throws(CookieError) {
        // Not cancellable, because cookies set by a server must not be lost when the call is cancelled.
        for _ in 0..<Self.attempts {
            let isDone = try await access.executor.runToEnd { [self] () throws(CookieError) in
                guard let lock = try opened(path + ".lock", .updateOrCreate) else { return false }
                guard try failing({ () throws(FileFault) in try lock.lock() }) else { return false }
                defer { lock.unlock() }
                try change()
                return true
            }
            if isDone { return }
            await Task { try? await Task.sleep(for: Self.pause) }.value
        }
        throw CookieError(problem: .locked, path: path)
    }

    /// Replaces the file, and returns its revision; call it only in ``update(_:)``.
    func write(_ storage: CookieStorage) throws(CookieError) -> String {
        let now = Date()
        let kept = storage.keptCookies.filter {
            ($0.cookie.isPersistent || keepsSessionCookies) && !$0.cookie.isExpired(at: now)
        }
        let line = Self.signature + UUID().uuidString
        var bytes = Data((line + "\n").utf8)
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        for one in kept {
            // Encoding can't fail, because text and finite numbers are always encodable.
            guard let record = try? encoder.encode(CookieRecord(one)) else { continue }
            bytes += record
            bytes.append(UInt8(ascii: "\n"))
        }
        // A single name is enough, because the lock is held. Removing the file cleans up after killed processes.
        let temporary = path + ".new"
        do throws(CookieError) {
            _ = try failing { () throws(FileFault) in try files.remove(temporary) }
            guard let file = try opened(temporary, .create) else { return line }
            try failing { () throws(FileFault) in
                try file.write(bytes, at: 0)
                try file.synchronize()
                try files.rename(temporary, to: path)
            }
        } catch {
            _ = try? files.remove(temporary)
            throw error
        }
        return line
    }

    private func currentRevision() throws(CookieError) -> String? {
        guard let file = try opened(path, .read) else { return nil }
        let count = Self.signature.utf8.count + 36
        let bytes = try failing { () throws(FileFault) in try file.read(count, at: 0) }
        return String(decoding: bytes, as: UTF8.self)
    }

    private func content() throws(CookieError) -> Content {
        guard let file = try opened(path, .read) else { return Content(revision: nil, cookies: []) }
        let status = try failing { () throws(FileFault) in try file.status() }
        if let problem = problem(with: status) { throw CookieError(problem: problem, path: path) }
        let bytes = try failing { () throws(FileFault) in try file.data(Int(status.size), at: 0) }
        let lines = bytes.split(separator: UInt8(ascii: "\n"))
        let first = lines.first.map { String(decoding: $0, as: UTF8.self) } ?? ""
        guard first.begins(with: Self.signature) else { throw CookieError(problem: .damaged(line: 1), path: path) }
        let decoder = JSONDecoder()
        var cookies: [KeptCookie] = []
        for (index, line) in lines.enumerated().dropFirst() {
            guard let record = try? decoder.decode(CookieRecord.self, received: line) else {
                throw CookieError(problem: .damaged(line: index + 1), path: path)
            }
            cookies.append(record.kept)
        }
        return Content(revision: first, cookies: cookies)
    }

    private func problem(with status: FileStatus) -> CookieError.Problem? {
        if status.kind != .regular { return .notAFile }
        if status.owner != UInt32(geteuid()) { return .ownedByAnother }
        if status.permissions & 0o077 != 0 { return .readableByOthers(mode: status.permissions) }
        return status.size > Self.sizeLimit ? .tooLarge : nil
    }

    private func opened(_ path: String, _ opening: FileOpening) throws(CookieError) -> OpenFile<FileFault>? {
        try failing { () throws(FileFault) in try files.open(path, opening) }
    }

    private func failing<Result>(_ body: () throws(FileFault) -> Result) throws(CookieError) -> Result {
        do throws(FileFault) {
            return try body()
        } catch {
            throw CookieError(
                problem: .system(operation: error.operation, code: error.code, message: error.message),
                path: path
            )
        }
    }
}
