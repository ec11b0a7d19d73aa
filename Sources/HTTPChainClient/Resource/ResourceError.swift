public import HTTPChainCore
import HTTPTypes

/// A resource was not saved or deleted, because it is not as it was read any more: somebody else changed it meanwhile.
///
/// The service answered 412 (RFC 9110 §13.1.1) to the validator that the resource was read with. Fetch it again, make the
/// changes to that, and save.
public struct LostUpdateError: HTTPChainError {
    /// The resource's type.
    public let resourceType: String
    /// The entity tag that it was read with; `nil` where it had its modification date alone.
    public let entityTag: String?
    /// The error that the service's answer led to.
    public let underlyingError: (any Error)?

    /// Makes the error, as for a mock.
    ///
    /// - Parameters:
    ///   - resourceType: The resource's type.
    ///   - entityTag: The entity tag that it was read with; none by default.
    ///   - underlyingError: What the service said; nothing by default.
    public init(resourceType: String, entityTag: String? = nil, underlyingError: (any Error)? = nil) {
        self.resourceType = resourceType
        self.entityTag = entityTag
        self.underlyingError = underlyingError
    }

    /// Always "Client".
    public var stage: String { "Client" }

    /// The sentence that names the resource.
    public var reason: String {
        let version = entityTag.map { "the version \($0)" } ?? "the version"
        return "the \(resourceType) was not changed: it is not \(version) any more that it was read as"
    }

    /// To fetch it again.
    public var recoverySuggestion: String? { "fetch it again, make the changes to what came, and save that" }

    /// The exchange of the error that the chain threw.
    public var exchange: ExchangeSnapshot? { (underlyingError as? any HTTPChainError)?.exchange }
}

/// A resource cannot be sent or understood.
public struct ResourceError: HTTPChainError, Hashable {
    /// Why.
    #if hasAttribute(nonexhaustive)
    @nonexhaustive
    #endif
    public enum Problem: Sendable, Hashable {
        /// The path of the type does not end with a variable after a slash.
        case pathWithoutIdentity(String)
        /// The property that the path needs is missing, or neither text nor an integer.
        case noIdentity(property: String)
        /// The encoded value, or the service's answer, is not a JSON object, or for a list, not an array of them.
        case notAnObject(String)
        /// The service did not accept the request, and no stage of the chain made an error of it.
        case status(Int)
    }

    /// Why.
    public let problem: Problem

    init(_ problem: Problem) {
        self.problem =
            if case .pathWithoutIdentity(let path) = problem {
                .pathWithoutIdentity(Redaction.standard.url(path))
            } else {
                problem
            }
    }

    /// Always "Client".
    public var stage: String { "Client" }

    /// Why, in words.
    public var reason: String {
        switch problem {
        case .pathWithoutIdentity(let path): "the resource path \"\(path)\" does not end with a variable"
        case .noIdentity(let property): "the resource has no \(property) that could go into its path"
        case .notAnObject(let what): "\(what) is not a JSON object"
        case .status(let code): "the service answered with the status \(code)"
        }
    }

    /// Advice on what to do about it.
    public var recoverySuggestion: String? {
        switch problem {
        case .pathWithoutIdentity: "end it like \"users/{id}\", with the property that tells one from the others"
        case .noIdentity: "save what the service sent, or fetch it first"
        case .notAnObject: "use a typed request for what is not an object; name the member with listMember for a list"
        case .status: "handle it, or give the chain a StatusValidationMiddleware and an ErrorHandlerMiddleware"
        }
    }
}

extension ResourceError {
    /// Whether the service refused a request for its precondition, whoever made an error of that.
    static func isFailedPrecondition(_ error: any Error) -> Bool {
        error.causes.contains { error in
            if case .status(412)? = (error as? ResourceError)?.problem { return true }
            if (error as? any ResponseError)?.response.status == .preconditionFailed { return true }
            return (error as? any HTTPChainError)?.exchange?.response?.status == .preconditionFailed
        }
    }
}
