public import HTTPChainCore

/// Thrown if a credential store's file can't be read or written; the error's text names the file.
public struct CredentialStoreError: ExplainedError, Hashable {
    /// A reason why the file cannot be used.
    #if hasAttribute(nonexhaustive)
    @nonexhaustive
    #endif
    public enum Problem: Sendable, Hashable {
        /// Users other than the owner can read or write the file; the value is its mode.
        case readableByOthers(mode: UInt16)
        /// The file belongs to another user.
        case ownedByAnother
        /// Users other than the owner can write to this parent directory (first), so they could replace the file.
        ///
        /// The second value is the directory's mode.
        case directoryWritableByOthers(String, mode: UInt16)
        /// This parent directory of the file belongs to another user.
        case directoryOwnedByAnother(String)
        /// The path isn't a regular file.
        case notAFile
        /// The file's content isn't valid for a store; the file was left unchanged.
        case corrupt
        /// The file is too large for a credential store.
        case tooLarge(ByteCount)
        /// Another process holds the store's lock.
        case locked
        /// The system refused an operation (first) with an error number (second) and its message (third).
        case system(operation: String, code: Int32, message: String)
    }

    /// The reason why the file cannot be used.
    public let problem: Problem
    /// The file's path.
    package let path: String

    package var failedStage: String { "FileCredentialStore" }

    package var explanation: Explanation {
        switch problem {
        case .readableByOthers(let mode):
            Explanation(
                "other users can reach \(path) (mode 0\(String(mode, radix: 8))), so its contents are not secret",
                "change the passwords in it, then: chmod 600 '\(path)'"
            )
        case .ownedByAnother:
            Explanation("\(path) belongs to another user", "use another file")
        case .directoryWritableByOthers(let directory, let mode):
            Explanation(
                "other users can write the directory \(directory) (mode 0\(String(mode, radix: 8))), and so replace "
                    + "\(path)",
                "use another directory, or: chmod go-w '\(directory)'"
            )
        case .directoryOwnedByAnother(let directory):
            Explanation(
                "the directory \(directory), on the way to \(path), belongs to another user",
                "use another directory"
            )
        case .notAFile:
            Explanation("\(path) is not a file", "name a file, which need not exist yet")
        case .corrupt:
            Explanation(
                "\(path) does not contain credentials in this store's format, and was left unchanged",
                "repair it, or move it away"
            )
        case .tooLarge(let limit):
            Explanation("\(path) is larger than \(limit), the limit of a credential store", "use another file")
        case .locked:
            Explanation("another process holds the lock \(path).lock", "end it, or try again later")
        case .system(let operation, _, let message):
            Explanation("the system did not \(operation) \(path): \(message)")
        }
    }
}
