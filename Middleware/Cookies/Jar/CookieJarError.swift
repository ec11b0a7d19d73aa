public import HTTPChainCore

/// Thrown if the file of a ``CookieJar`` can't be used.
public struct CookieJarError: HTTPChainError, Hashable {
    /// A reason why the file cannot be used.
    #if hasAttribute(nonexhaustive)
    @nonexhaustive
    #endif
    public enum Problem: Sendable, Hashable {
        /// The file is not of this format, or was edited manually.
        case damaged(line: Int)
        /// The file is larger than any jar becomes.
        case tooLarge
        /// The path is a directory, a link or a device.
        case notAFile
        /// The file belongs to another user.
        case ownedByAnother
        /// Other users can read the file.
        case readableByOthers(mode: UInt16)
        /// Another process has locked the file for ten seconds.
        case locked
        /// A system call failed.
        case system(operation: String, code: Int32, message: String)
    }

    /// The problem.
    public let problem: Problem
    /// The path of the file.
    public let path: String

    /// Always "CookieJar".
    public var stage: String { "CookieJar" }

    /// A description of the problem and the file.
    public var reason: String {
        switch problem {
        case .damaged(let line): "the cookie file \(path) is damaged in line \(line)"
        case .tooLarge: "the cookie file \(path) is too large"
        case .notAFile: "the cookie file \(path) is not a regular file"
        case .ownedByAnother: "the cookie file \(path) belongs to another user"
        case .readableByOthers(let mode):
            "the cookie file \(path) can be read by others (mode \(String(mode, radix: 8)))"
        case .locked: "the cookie file \(path) has been locked by another process for ten seconds"
        case .system(let operation, let code, let message):
            "could not \(operation) the cookie file \(path): \(message) (\(code))"
        }
    }

    /// Advice on what to do about it.
    public var recoverySuggestion: String? {
        switch problem {
        case .damaged, .tooLarge: "move it away to start with an empty one"
        case .notAFile, .ownedByAnother: "use another path"
        case .readableByOthers: "remove the permission: chmod 600"
        case .locked: "end the process that holds the lock, or try again"
        case .system: nil
        }
    }
}
