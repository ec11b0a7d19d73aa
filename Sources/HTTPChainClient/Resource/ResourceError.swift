package import HTTPChainCore
import HTTPChainSupport
import HTTPTypes

/// An error for a resource that wasn't saved or deleted because someone else changed it meanwhile.
///
/// The service responded with 412 (RFC 9110 §13.1.1) to the validator that the resource was read with. Fetch it again,
/// apply the changes, and save.
public struct LostUpdateError: ClientError {
    /// The resource's type.
    public let resourceType: String
    /// The entity tag that it was read with; `nil` if it had only a modification date.
    public let entityTag: String?
    /// The error for the service's response.
    package let cause: (any Error)?

    /// Creates the error, for example for a mock.
    ///
    /// - Parameters:
    ///   - resourceType: The resource's type.
    ///   - entityTag: The entity tag that it was read with; none by default.
    ///   - underlyingError: The error for the service's response; none by default.
    public init(resourceType: String, entityTag: String? = nil, underlyingError: (any Error)? = nil) {
        self.resourceType = resourceType
        self.entityTag = entityTag
        cause = underlyingError
    }

    package var explanation: Explanation {
        let version = entityTag.map { "the version \($0.printable())" } ?? "the version"
        return Explanation(
            "the \(resourceType) was not changed: it is no longer \(version) that was read",
            "fetch it again, apply the changes to the new version, and save it"
        )
    }
}

/// An error for a resource that can't be sent or decoded.
public struct ResourceError: ClientError, Hashable {
    /// The problem.
    #if hasAttribute(nonexhaustive)
    @nonexhaustive
    #endif
    public enum Problem: Sendable, Hashable {
        /// The type's path doesn't end with a variable after a slash.
        case pathWithoutIdentity(String)
        /// The property that the path needs is missing, or is neither text nor an integer.
        case noIdentity(property: String)
        /// The encoded value or the service's response isn't a JSON object, or for a list, an array of JSON objects.
        case notAnObject(String)
        /// The service rejected the request, and no stage of the chain threw an error for that.
        case status(Int)
    }

    /// The problem.
    public let problem: Problem

    init(_ problem: Problem) {
        self.problem =
            if case .pathWithoutIdentity(let path) = problem {
                .pathWithoutIdentity(Redaction.standard.url(path))
            } else {
                problem
            }
    }

    package var explanation: Explanation {
        switch problem {
        case .pathWithoutIdentity(let path):
            Explanation(
                "the resource path \"\(path)\" does not end with a variable",
                "end it with the property that identifies a resource, as in \"users/{id}\""
            )
        case .noIdentity(let property):
            Explanation(
                "the resource has no \(property) to put into its path",
                "save a resource that the service returned, or fetch it first"
            )
        case .notAnObject(let what):
            Explanation(
                "\(what) is not a JSON object",
                "use a typed request for other values; for a list inside an object, name its member with listMember"
            )
        case .status(let code):
            Explanation(
                "the service responded with the status \(code)",
                "handle it, or add StatusValidationMiddleware and ErrorHandlerMiddleware to the chain"
            )
        }
    }
}

extension ResourceError {
    /// Whether the service rejected a request because of its precondition, regardless of where the error was thrown.
    static func isFailedPrecondition(_ error: any Error) -> Bool {
        error.causes.contains { error in
            if case .status(412)? = (error as? ResourceError)?.problem { return true }
            if (error as? any ResponseError)?.response.status == .preconditionFailed { return true }
            return (error as? any HTTPChainError)?.exchange?.response?.status == .preconditionFailed
        }
    }
}
