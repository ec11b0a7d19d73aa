public import HTTPChainCore
import HTTPChainSupport

/// The error for an archive that can't be read, written or replayed.
public struct HARError: ExplainedError, Hashable {
    /// The problem.
    ///
    /// This is an open set: handle unknown cases in the same way as most others.
    #if hasAttribute(nonexhaustive)
    @nonexhaustive
    #endif
    public enum Problem: Sendable, Hashable {
        /// The file isn't JSON.
        ///
        /// Something else was expected at this byte.
        case malformed(offset: Int, expected: String)
        /// The file is truncated.
        case cut
        /// Arrays and objects are nested deeper than the `depth` of ``HARLimits`` allows.
        case tooDeep(limit: Int)
        /// The file is larger than the `size` of ``HARLimits`` allows.
        case tooLarge(limit: ByteCount)
        /// There are more entries than the `entries` of ``HARLimits`` allow.
        case tooManyEntries(limit: Int)
        /// A required member is missing.
        case missing(path: String)
        /// A member has the wrong type.
        case unexpected(path: String, expected: String)
        /// A file operation failed.
        case file(operation: String, path: String, message: String)
        /// Another writer has locked the file for too long.
        case locked(path: String)
        /// Entries arrived faster than they could be written, and this many were dropped.
        case dropped(count: Int)
        /// The content of an entry's response is missing or incomplete in the archive.
        case contentNotRecorded(entry: String, why: String)
        /// The response of an entry isn't valid HTTP.
        case invalidResponse(entry: String, why: String)
        /// The mode requires recording, but there is no transport to record from.
        case noTransport(mode: String)
    }

    /// The problem.
    public let problem: Problem
    /// The file, if known.
    public let path: String?

    init(_ problem: Problem, path: String? = nil) {
        self.problem = problem
        self.path = path
    }

    /// Returns the same error with a file's path.
    func of(_ path: String) -> HARError { self.path == nil ? HARError(problem, path: path) : self }

    /// Always "HAR".
    package var failedStage: String { "HAR" }

    package var explanation: Explanation {
        Explanation(((path.map { "\($0): " } ?? "") + sentence).printable(), advice)
    }

    private var sentence: String {
        switch problem {
        case .malformed(let offset, let expected): "the file is not JSON: \(expected) was expected at byte \(offset)"
        case .cut: "the file is truncated"
        case .tooDeep(let limit): "arrays and objects are nested more than \(limit) deep"
        case .tooLarge(let limit): "the file is larger than \(limit)"
        case .tooManyEntries(let limit): "the archive has more than \(limit) entries"
        case .missing(let path): "\(path) is missing"
        case .unexpected(let path, let expected): "\(path) is not \(expected)"
        case .file(let operation, let path, let message): "could not \(operation) \(path): \(message)"
        case .locked(let path): "\(path) is locked by another program"
        case .dropped(let count):
            count == 1
                ? "one entry was dropped: the disk is too slow" : "\(count) entries were dropped: the disk is too slow"
        case .contentNotRecorded(let entry, let why): "the content of \(entry) is not in the archive: \(why)"
        case .invalidResponse(let entry, let why): "the response of \(entry) cannot be replayed: \(why)"
        case .noTransport(let mode): "the mode \(mode) records, but there is no transport to record over"
        }
    }

    private var advice: String? {
        switch problem {
        case .malformed, .missing, .unexpected: "export the archive again, as HAR 1.2"
        case .cut: "read it with salvaging: true to get the complete entries"
        case .tooDeep, .tooLarge, .tooManyEntries: "raise the limit in HARLimits if the file is trusted"
        case .file: nil
        case .locked: "end the other program"
        case .dropped: "record smaller bodies, or to a faster disk"
        case .contentNotRecorded: "record it again with a larger body limit"
        case .invalidResponse: "remove the entry, or record it again"
        case .noTransport: "pass ReplayTransport a transport to record over"
        }
    }
}

extension HARError: FileFailure {
    package init(_ fault: FileFault) {
        self.init(.file(operation: fault.operation, path: fault.path, message: fault.message))
    }
}
