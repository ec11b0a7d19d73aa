public import HTTPChainCore

/// An error for a query that can't be written as a URL.
public struct ODataQueryError: HTTPChainError, Hashable {
    /// A problem with a query.
    #if hasAttribute(nonexhaustive)
    @nonexhaustive
    #endif
    public enum Problem: Sendable, Hashable {
        /// An invalid name, with a character that isn't allowed in an identifier.
        case invalidName(String)
        /// A key path without a name in the entity's ``ODataEntity/odataNames``.
        case unnamedKeyPath(String)
        /// An empty raw fragment.
        case emptyFragment
        /// An expression with more than 200 levels.
        case tooDeep
        /// A negative number of entities.
        case negativeCount(Int)
    }

    /// The problem.
    public let problem: Problem

    init(_ problem: Problem) { self.problem = problem }

    /// Always "OData".
    public var stage: String { "OData" }

    /// A sentence with the problem.
    public var reason: String {
        switch problem {
        case .invalidName(let name): "\"\(name)\" is not a valid name of an OData property, type or set"
        case .unnamedKeyPath(let path): "the key path \(path) has no OData name"
        case .emptyFragment: "a raw filter is empty"
        case .tooDeep: "an expression has more than \(ODataWriter.deepest) levels"
        case .negativeCount(let count): "\(count) is not a valid number of entities"
        }
    }

    /// A suggested fix.
    public var recoverySuggestion: String? {
        switch problem {
        case .invalidName: "use letters, digits and underscores, with \"/\" between the names of a path"
        case .unnamedKeyPath: "add it to odataNames of its type"
        case .emptyFragment: "leave the filter out"
        case .tooDeep: "use in(…) instead of a long chain of comparisons"
        case .negativeCount: "use zero or more"
        }
    }
}
