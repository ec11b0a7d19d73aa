#if canImport(Darwin)
import Darwin
#elseif canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Android)
import Android
#endif

/// An operation on a file that the system refused.
package struct FileFault: Error, Sendable, Hashable {
    /// The operation, as a verb that a path can follow: "open", "read the size of".
    package let operation: String
    package let path: String
    /// The `errno`.
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
    /// Whether a disk would have to be waited for, where that was not allowed.
    package var isWait: Bool { Self.isWait(code) }
    /// Whether the system cannot tell whether it would have to wait.
    package var isUnsupported: Bool { Self.isUnsupported(code) }

    /// As ``isWait``, of a code.
    package static func isWait(_ code: Int32) -> Bool { code == EAGAIN }

    /// As ``isUnsupported``, of a code: kernels that are too old, sandboxes, and file systems that cannot.
    package static func isUnsupported(_ code: Int32) -> Bool {
        [ENOSYS, ENOTSUP, EOPNOTSUPP, EPERM, EINVAL, E2BIG].contains(code)
    }
}

/// An error that a stage makes of what the system refused, so that its functions throw one type.
package protocol FileFailure: Error, Sendable {
    init(_ fault: FileFault)
}

extension FileFault: FileFailure {
    package init(_ fault: FileFault) {
        self = fault
    }
}
