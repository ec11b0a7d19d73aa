/// Collects the stages of a chain from a closure, outermost first; see ``ListBuilder``.
public typealias ChainBuilder = ListBuilder<any Middleware>

/// Collects the elements of a list, such as the stages of a chain, from a closure.
///
/// The closure may use `if`, `if let`, `else`, `switch` and `for`, and may contain arrays of elements.
@resultBuilder
public enum ListBuilder<Element> {
    /// Several elements in order.
    public static func buildExpression(_ elements: [Element]) -> [Element] { elements }
    /// One element, or none.
    public static func buildExpression(_ element: Element?) -> [Element] { element.map { [$0] } ?? [] }
    /// The elements of a block in order.
    public static func buildBlock(_ elements: [Element]...) -> [Element] { elements.flatMap(\.self) }
    /// The elements of an `if` without `else`.
    public static func buildOptional(_ elements: [Element]?) -> [Element] { elements ?? [] }
    /// The elements of the first branch of a condition.
    public static func buildEither(first elements: [Element]) -> [Element] { elements }
    /// The elements of the second branch of a condition.
    public static func buildEither(second elements: [Element]) -> [Element] { elements }
    /// The elements of a `for`.
    public static func buildArray(_ elements: [[Element]]) -> [Element] { elements.flatMap(\.self) }
}
