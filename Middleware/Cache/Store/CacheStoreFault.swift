public import HTTPChainCore

/// Why a store could not do what it was asked.
///
/// It does not fail a call: the cache reports it as ``CacheEvent/storeFailure(_:_:)`` and goes on without the store.
/// Only the body of a large entry throws it to its reader: where its storage is damaged behind what was read already, in
/// place of wrong bytes, and where the store is closed meanwhile.
public struct CacheStoreFault: HTTPChainError, Hashable {
    /// The problem.
    #if hasAttribute(nonexhaustive)
    @nonexhaustive
    #endif
    public enum Problem: Sendable, Hashable {
        /// The stored bytes are not those that were written; they were removed.
        case damaged(String)
        /// A later version of this package wrote it.
        case newerFormat(String)
        /// Another process works on the store.
        case busy(String)
        /// The store at the path was closed by the application.
        case closed(String)
        /// The store at the path was suspended by the application, and not resumed yet.
        case suspended(String)
        /// The path cannot be trusted with what is stored, for the reason given.
        case unsafe(String, String)
        /// The server at the address that keeps the store did not do what it was asked, for the reason given.
        case server(String, String)
        /// The system refused; the code is `errno`, or the database's.
        case system(operation: String, path: String, code: Int32, message: String)
    }

    /// The problem.
    public let problem: Problem

    /// Makes a fault.
    public init(_ problem: Problem) {
        self.problem = problem
    }

    /// Always "cache store".
    public var stage: String { "cache store" }

    /// A description of what happened.
    public var reason: String { explanation.reason }

    /// Advice on what to do about it; `nil` if there is none.
    public var recoverySuggestion: String? { explanation.advice }

    private var explanation: Explanation {
        switch problem {
        case .damaged(let what):
            Explanation("\(what) is damaged and was dropped", "look at the disk when this comes again")
        case .newerFormat(let what):
            Explanation(
                "\(what) was written by a later version and is left alone",
                "remove it, or give this version another place"
            )
        case .busy(let what):
            Explanation("another process holds \(what)", "it is tried again with the next call")
        case .closed(let path): Explanation("the store at \(path) was closed", "make another store")
        case .suspended(let path): Explanation("the store at \(path) is suspended", "resume it")
        case .unsafe(let path, let why):
            Explanation(
                "\(path) is not used for stored responses: \(why)",
                "remove it, or give the store a place of its own"
            )
        case .server(let address, let why):
            Explanation("the server at \(address), which keeps stored responses, failed: \(why)", "look at the server")
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
