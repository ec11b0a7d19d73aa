public import HTTPChainCore

/// A failure of a store.
///
/// It doesn't fail a call: the cache reports it as ``CacheEvent/storeFailure(_:_:)`` and continues without the store. A
/// caller only sees it when reading the body of a large entry, if the storage is damaged beyond the part already read,
/// or if the store is closed in the meantime.
public struct CacheStoreFault: ExplainedError, Hashable {
    /// The problem.
    #if hasAttribute(nonexhaustive)
    @nonexhaustive
    #endif
    public enum Problem: Sendable, Hashable {
        /// The stored bytes differ from those written; they were removed.
        case damaged(String)
        /// The data was written by a later version of this package.
        case newerFormat(String)
        /// Another process is using the store.
        case busy(String)
        /// The application closed the store at the path.
        case closed(String)
        /// The application suspended the store at the path and hasn't resumed it yet.
        case suspended(String)
        /// The path isn't safe for stored responses, for the given reason.
        case unsafe(String, String)
        /// The store's server at the address failed an operation, for the given reason.
        case server(String, String)
        /// A system call failed; the code is `errno`, or the database's.
        case system(operation: String, path: String, code: Int32, message: String)
    }

    /// The problem.
    public let problem: Problem

    /// Creates a fault.
    public init(_ problem: Problem) {
        self.problem = problem
    }

    /// Always "cache store".
    package var failedStage: String { "cache store" }

    package var explanation: Explanation {
        switch problem {
        case .damaged(let what):
            Explanation("\(what) is damaged and was dropped", "check the disk if this happens again")
        case .newerFormat(let what):
            Explanation(
                "\(what) was written by a later version and was left unchanged",
                "remove it, or give this version another location"
            )
        case .busy(let what):
            Explanation("another process holds \(what)", "the next call tries again")
        case .closed(let path): Explanation("the store at \(path) was closed", "make another store")
        case .suspended(let path): Explanation("the store at \(path) is suspended", "resume it")
        case .unsafe(let path, let why):
            Explanation(
                "\(path) is not used for stored responses: \(why)",
                "remove it, or give the store a separate location"
            )
        case .server(let address, let why):
            Explanation("the server at \(address), which keeps stored responses, failed: \(why)", "check the server")
        case .system(let operation, let path, let code, let message):
            Explanation("cannot \(operation) \(path): \(message) (code \(code))")
        }
    }
}

extension CacheStoreFault: FileFailure {
    package init(_ fault: FileFault) {
        self.init(.system(operation: fault.operation, path: fault.path, code: fault.code, message: fault.message))
    }
}
