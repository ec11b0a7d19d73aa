import HTTPChainSupport

/// An untyped expression tree.
indirect enum ODataNode: Sendable {
    case literal(ODataLiteral)
    /// A path of property names.
    case path(String)
    case variable(ODataVariableName, path: String)
    case not(ODataNode)
    case negate(ODataNode)
    case binary(ODataOperator, ODataNode, ODataNode)
    case list([ODataNode])
    case call(String, [ODataNode])
    /// A named parameter of a service's function.
    case named(String, ODataNode)
    case lambda(ODataNode, isAll: Bool, body: (@Sendable (ODataVariableName) -> ODataNode)?)
    case raw(String)
    /// A key path without a name, which fails when the query is built.
    case unnamed(String)
}

/// The variable of a lambda; each level has its own: `x0`, and inside it `x1`.
struct ODataVariableName: Sendable, Hashable {
    let level: Int

    var text: String { "x\(level)" }
}

/// The operators with two operands, OData URL Conventions 4.01 §5.1.1.
enum ODataOperator: String, Sendable, CaseIterable {
    case or, and
    case equal = "eq"
    case notEqual = "ne"
    case greater = "gt"
    case greaterOrEqual = "ge"
    case less = "lt"
    case lessOrEqual = "le"
    case add, sub, mul, div, mod
    case has, `in`

    /// The precedence of the operator, §5.1.1.17.
    var precedence: Int {
        switch self {
        case .or: 1
        case .and: 2
        case .equal, .notEqual: 3
        case .greater, .greaterOrEqual, .less, .lessOrEqual: 4
        case .add, .sub: 5
        case .mul, .div, .mod: 6
        case .has, .in: 8
        }
    }

    /// Whether `a op (b op c)` is `(a op b) op c`.
    var isAssociative: Bool { self == .or || self == .and }

    var isLogical: Bool { self == .or || self == .and }
}

/// Writes expression trees according to the OASIS ABNF, with only the necessary parentheses.
struct ODataWriter {
    /// The number of open lambdas.
    private var level = 0
    /// The maximum depth of a tree.
    static let deepest = 200
    private var depth = 0

    static func text(of node: ODataNode) throws(ODataQueryError) -> String {
        var writer = ODataWriter()
        return try writer.text(of: node)
    }

    private mutating func text(of node: ODataNode) throws(ODataQueryError) -> String {
        depth += 1
        defer { depth -= 1 }
        guard depth <= Self.deepest else { throw ODataQueryError(.tooDeep) }
        switch node {
        case .literal(let literal): return literal.text
        case .path(let path): return try ODataName.path(path)
        case .variable(let variable, let path):
            return path.isEmpty ? variable.text : "\(variable.text)/\(try ODataName.path(path))"
        case .not(let inner): return "not (\(try text(of: inner)))"
        case .negate(let inner): return "-(\(try text(of: inner)))"
        case .binary(let op, let left, let right):
            let left = try operand(left, of: op, isRight: false)
            let right = try operand(right, of: op, isRight: true)
            return "\(left) \(op.rawValue) \(right)"
        case .list(let items): return "(\(try list(items)))"
        case .call(let name, let arguments): return "\(try ODataName.path(name))(\(try list(arguments)))"
        case .named(let name, let value): return "\(try ODataName.path(name))=\(try text(of: value))"
        case .lambda(let collection, let isAll, let body):
            let path = try text(of: collection)
            let word = isAll ? "all" : "any"
            guard let body else { return "\(path)/\(word)()" }
            let variable = ODataVariableName(level: level)
            level += 1
            defer { level -= 1 }
            return "\(path)/\(word)(\(variable.text):\(try text(of: body(variable))))"
        case .raw(let text):
            guard !text.unicodeScalars.allSatisfy(\.properties.isWhitespace) else {
                throw ODataQueryError(.emptyFragment)
            }
            return "(\(text))"
        case .unnamed(let path): throw ODataQueryError(.unnamedKeyPath(path))
        }
    }

    private mutating func list(_ nodes: [ODataNode]) throws(ODataQueryError) -> String {
        var texts: [String] = []
        for node in nodes { texts.append(try text(of: node)) }
        return texts.joined(separator: ",")
    }

    private mutating func operand(
        _ node: ODataNode,
        of op: ODataOperator,
        isRight: Bool
    ) throws(ODataQueryError) -> String {
        let text = try text(of: node)
        return Self.needsBrackets(node, in: op, isRight: isRight) ? "(\(text))" : text
    }

    private static func needsBrackets(_ node: ODataNode, in op: ODataOperator, isRight: Bool) -> Bool {
        switch node {
        case .binary(let inner, _, _):
            // The ABNF doesn't allow chained comparisons, and services disagree on the precedence of `has` and `in`.
            // They are therefore written without parentheses only in logical expressions.
            if inner == .has || inner == .in { return !op.isLogical }
            if op.precedence != inner.precedence { return op.precedence > inner.precedence }
            return isRight ? !(inner == op && op.isAssociative) : false
        // `not` binds tighter than a comparison, and its own operand is in parentheses.
        case .not, .negate: return !op.isLogical
        default: return false
        }
    }
}

/// The names of properties, types and entity sets: identifiers (ABNF rule `odataIdentifier`), separated by dots and
/// slashes.
enum ODataName {
    static func path(_ text: String) throws(ODataQueryError) -> String {
        let segments = text.pieces(at: "/", omittingEmptySubsequences: false)
        for segment in segments {
            // $it, $this, $count and $root are defined in §5.1.1.11. An annotation begins with @.
            let names = Substring(segment.unicodeScalars.drop { $0 == "$" || $0 == "@" }).pieces(
                at: ".",
                omittingEmptySubsequences: false
            )
            guard !names.isEmpty, names.allSatisfy(isIdentifier) else { throw ODataQueryError(.invalidName(text)) }
        }
        return text
    }

    private static func isIdentifier(_ name: Substring) -> Bool {
        guard let first = name.unicodeScalars.first, first == "_" || first.properties.isAlphabetic,
            name.unicodeScalars.count <= 128
        else { return false }
        return name.unicodeScalars.allSatisfy { $0 == "_" || $0.properties.isIDContinue }
    }
}
