import Foundation
public import HTTPChainCore

/// The reason why a ``LogSpool`` couldn't be opened, or why an operation failed.
public struct LogSpoolError: ExplainedError, Hashable {
    /// The problem.
    #if hasAttribute(nonexhaustive)
    @nonexhaustive
    #endif
    public enum Problem: Sendable, Hashable {
        /// The spool is full.
        ///
        /// The record wasn't kept.
        case full(limit: ByteCount)
        /// The record is larger than a segment.
        ///
        /// The record wasn't kept.
        case recordTooLarge(ByteCount, limit: ByteCount)
        /// A value in the record is nested deeper than the limit.
        ///
        /// The record wasn't kept.
        case recordTooDeep(limit: Int)
        /// Another process, or another spool of this process, uses the directory.
        case inUse(directory: String)
        /// The spool was already closed.
        case closed(directory: String)
        /// The spool is suspended.
        case suspended(directory: String)
        /// Another process or spool used the directory while this one was suspended, so this one is closed.
        case usedMeanwhile(directory: String)
        /// A later version of this package wrote the file.
        case newerFormat(file: String)
        /// A system call failed.
        ///
        /// The code is `errno`.
        case system(operation: String, path: String, code: Int32, message: String)
    }

    /// The problem.
    public let problem: Problem

    /// Makes an error.
    package init(_ problem: Problem) {
        self.problem = problem
    }

    /// Always "log spool".
    package var failedStage: String { "log spool" }

    package var explanation: Explanation {
        switch problem {
        case .full(let limit):
            Explanation("the spool is full (\(limit))", "raise its limit, or find out why the receiver takes nothing")
        case .recordTooLarge(let size, let limit):
            Explanation(
                "a record of \(size) does not fit a segment (\(limit))",
                "raise the size of segments, or log less at once"
            )
        case .recordTooDeep(let limit):
            Explanation("a value in a record is nested more than \(limit) levels deep", "log it as text")
        case .inUse(let directory):
            Explanation(
                "\(directory) is in use by another process or another spool of this one",
                "give each a directory of its own"
            )
        case .closed(let directory):
            Explanation("the spool in \(directory) was closed", "open another one")
        case .suspended(let directory):
            Explanation("the spool in \(directory) is suspended", "resume it first")
        case .usedMeanwhile(let directory):
            Explanation(
                "\(directory) was used by another process while this spool was suspended, so this one is closed",
                "open another one"
            )
        case .newerFormat(let file):
            Explanation(
                "\(file) was written by a later version and left unchanged",
                "remove it, or give this version another directory"
            )
        case .system(let operation, let path, let code, let message):
            Explanation("cannot \(operation) \(path): \(message) (code \(code))")
        }
    }
}

extension LogSpoolError: FileFailure {
    package init(_ fault: FileFault) {
        self.init(.system(operation: fault.operation, path: fault.path, code: fault.code, message: fault.message))
    }

    /// Whether the disk itself couldn't be read, rather than a file that currently can't be opened.
    var isMediumFailure: Bool {
        if case .system(_, _, EIO, _) = problem { true } else { false }
    }
}
