public import HTTPChainCore
package import HTTPChainSupport

/// The error for files of a ``FileUploadStore`` that can't be used.
public struct UploadStoreError: ExplainedError, Hashable {
    /// The problem.
    #if hasAttribute(nonexhaustive)
    @nonexhaustive
    #endif
    public enum Problem: Sendable, Hashable {
        /// A file is readable by others, with these permissions.
        case readableByOthers(mode: UInt16)
        /// A file belongs to another user.
        case ownedByAnother
        /// A file operation failed.
        case system(operation: String, code: Int32, message: String)
    }

    /// The problem.
    public let problem: Problem
    /// The file or directory.
    public let path: String

    init(_ problem: Problem, path: String) {
        self.problem = problem
        self.path = path
    }

    /// Always "FileUploadStore".
    public var stage: String { "FileUploadStore" }

    package var explanation: Explanation {
        switch problem {
        case .readableByOthers(let mode):
            Explanation(
                "\(path) can be read by others (mode \(String(mode, radix: 8)))",
                "remove it, and find out who changed it: uploads may be continued with what is in it"
            )
        case .ownedByAnother: Explanation("\(path) belongs to another user", "give the store a directory of its own")
        case .system(let operation, _, let message):
            Explanation("could not \(operation) \(path): \(message)", "check the disk and the permissions")
        }
    }
}

extension UploadStoreError: FileFailure {
    package init(_ fault: FileFault) {
        self.init(.system(operation: fault.operation, code: fault.code, message: fault.message), path: fault.path)
    }
}
