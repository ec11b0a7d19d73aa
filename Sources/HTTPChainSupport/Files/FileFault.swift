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

/// An error that a stage makes of what the system refused, so that its functions throw one type.
package protocol FileFailure: Error, Sendable {
    init(_ fault: FileFault)
}

extension FileFault: FileFailure {
    package init(_ fault: FileFault) {
        self = fault
    }
}
