public import HTTPChainCore

/// A query cannot be written as a URL.
public struct ODataQueryError: HTTPChainError, Hashable {
    /// A reason why a query cannot be written.
    #if hasAttribute(nonexhaustive)
    @nonexhaustive
    #endif
    public enum Problem: Sendable, Hashable {
        /// A name that is none: with a character that no identifier may have.
        case invalidName(String)
        /// A key path of a property that the entity's names do not have.
        case unnamedKeyPath(String)
        /// A raw fragment without text.
        case emptyFragment
        /// An expression of more than 200 levels.
        case tooDeep
        /// A number of entities below zero.
        case negativeCount(Int)
    }

    /// The problem.
    public let problem: Problem

    init(_ problem: Problem) { self.problem = problem }

    /// Always "OData".
    public var stage: String { "OData" }

    /// The sentence that says what is wrong.
    public var reason: String {
        switch problem {
        case .invalidName(let name): "\"\(name)\" is no name of an OData property, type or set"
        case .unnamedKeyPath(let path): "the key path \(path) has no OData name"
        case .emptyFragment: "a raw filter is empty"
        case .tooDeep: "an expression has more than \(ODataWriter.deepest) levels"
        case .negativeCount(let count): "\(count) is no number of entities"
        }
    }

    /// Advice on what to do about it.
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
