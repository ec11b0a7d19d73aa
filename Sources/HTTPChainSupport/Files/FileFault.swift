#if canImport(Darwin)
import Darwin
#elseif canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Android)
import Android
#endif

/// An error of a file operation.
package struct FileFault: Error, Sendable, Hashable {
    /// The operation, as a verb followed by a path: "open", "read the size of".
    package let operation: String
    package let path: String
    /// The value of `errno`.
    package let code: Int32
    /// The system's text for that code.
    package let message: String

    package init(operation: String, path: String, code: Int32, message: String) {
        self.operation = operation
        self.path = path
        self.code = code
        self.message = message
    }
}

extension FileFault {
    /// Whether the operation failed because it would have had to wait for a disk.
    package var isWait: Bool { Self.isWait(code) }

    /// Whether a code has the meaning of ``isWait``.
    package static func isWait(_ code: Int32) -> Bool { code == EAGAIN }

    /// Whether a code says that the system can't determine if it would have to wait, as with old kernels, sandboxes, and
    /// file systems without support.
    package static func isUnsupported(_ code: Int32) -> Bool {
        [ENOSYS, ENOTSUP, EOPNOTSUPP, EPERM, EINVAL, E2BIG].contains(code)
    }
}

/// An error that a stage makes from a file fault, so that its functions throw a single type.
package protocol FileFailure: Error, Sendable {
    init(_ fault: FileFault)
}

extension FileFailure {
    /// Performs an operation on a file or a file system, and throws its fault as this failure.
    static func wrapping<Result>(_ body: () throws(FileFault) -> Result) throws(Self) -> Result {
        do throws(FileFault) { return try body() } catch { throw Self(error) }
    }
}

extension FileFault: FileFailure {
    package init(_ fault: FileFault) {
        self = fault
    }
}
