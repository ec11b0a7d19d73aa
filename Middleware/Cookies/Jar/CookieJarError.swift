public import HTTPChainCore

/// Thrown if the file of a ``CookieJar`` can't be used.
public struct CookieJarError: ExplainedError, Hashable {
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

    package var explanation: Explanation {
        switch problem {
        case .damaged(let line):
            Explanation(
                "the cookie file \(path) is damaged in line \(line)",
                "move it away to start with an empty one"
            )
        case .tooLarge:
            Explanation("the cookie file \(path) is too large", "move it away to start with an empty one")
        case .notAFile: Explanation("the cookie file \(path) is not a regular file", "use another path")
        case .ownedByAnother: Explanation("the cookie file \(path) belongs to another user", "use another path")
        case .readableByOthers(let mode):
            Explanation(
                "the cookie file \(path) can be read by others (mode \(String(mode, radix: 8)))",
                "remove the permission: chmod 600"
            )
        case .locked:
            Explanation(
                "the cookie file \(path) has been locked by another process for ten seconds",
                "end the process that holds the lock, or try again"
            )
        case .system(let operation, let code, let message):
            Explanation("could not \(operation) the cookie file \(path): \(message) (\(code))")
        }
    }
}
