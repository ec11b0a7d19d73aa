public import HTTPChainCore

/// An error thrown if a cookie of a call can't be sent, or a file of cookies can't be used.
public struct CookieError: ExplainedError, Hashable {
    /// The problem.
    #if hasAttribute(nonexhaustive)
    @nonexhaustive
    #endif
    public enum Problem: Sendable, Hashable {
        /// The cookie with this name can't be sent with a call, because its name or value isn't allowed in the `Cookie`
        /// field.
        case unsendable(name: String)
        /// The line, counted from 1, isn't in the `cookies.txt` format.
        case invalidLine(Int)
        /// The file isn't in this format, or was edited manually.
        case damaged(line: Int)
        /// The file is larger than a jar can become.
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
    /// The path of the jar's file; empty if the error isn't about one.
    public let path: String

    package init(problem: Problem, path: String = "") {
        self.problem = problem
        self.path = path
    }

    /// "CookieMiddleware" for a cookie of a call, otherwise "CookieJar".
    package var failedStage: String { if case .unsendable = problem { "CookieMiddleware" } else { "CookieJar" } }

    package var explanation: Explanation {
        switch problem {
        case .unsendable(let name):
            Explanation(
                "the cookie \(name.debugDescription.printable()) of this call cannot be sent: its name or value has a "
                    + "semicolon, a control character or, in the name, an equals sign, or both are empty",
                "encode name and value first, for example as Base64url"
            )
        case .invalidLine(let line):
            Explanation(
                "line \(line) is not in the cookies.txt format",
                "give it a domain, TRUE or FALSE, a path, TRUE or FALSE, seconds, a name and a value, with tabs between "
                    + "them"
            )
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
