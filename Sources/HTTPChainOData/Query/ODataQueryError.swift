public import HTTPChainCore

/// An error for a query that can't be written as a URL.
public struct ODataQueryError: ExplainedError, Hashable {
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
        /// An expansion with a key, a path or a custom option, which only a query can have.
        case invalidExpansion(String)
    }

    /// The problem.
    public let problem: Problem

    init(_ problem: Problem) { self.problem = problem }

    package var failedStage: String { "OData" }
    package var explanation: Explanation {
        switch problem {
        case .invalidName(let name):
            Explanation(
                "\"\(name)\" is not a valid name of an OData property, type or set",
                "use letters, digits and underscores, with \"/\" between the names of a path"
            )
        case .unnamedKeyPath(let path):
            Explanation("the key path \(path) has no OData name", "add it to odataNames of its type")
        case .emptyFragment: Explanation("a raw filter is empty", "leave the filter out")
        case .tooDeep:
            Explanation(
                "an expression has more than \(ODataWriter.deepest) levels",
                "use isIn(…) instead of a long chain of comparisons"
            )
        case .negativeCount(let count):
            Explanation("\(count) is not a valid number of entities or levels", "use zero or more")
        case .invalidExpansion(let property):
            Explanation(
                "the expansion of \(property) has a key, a path or a custom option",
                "use these on the query itself"
            )
        }
    }
}
