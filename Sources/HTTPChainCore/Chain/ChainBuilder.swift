/// Collects the stages of a chain from a closure, outermost first.
///
/// The closure may use `if`, `if let`, `else`, `switch` and `for`, and may contain arrays of stages.
@resultBuilder
public enum ChainBuilder {
    /// One stage.
    public static func buildExpression(_ stage: some Middleware) -> [any Middleware] { [stage] }
    /// One stage whose type isn't known statically.
    public static func buildExpression(_ stage: any Middleware) -> [any Middleware] { [stage] }
    /// Several stages in order.
    public static func buildExpression(_ stages: [any Middleware]) -> [any Middleware] { stages }
    /// An optional stage.
    public static func buildExpression(_ stage: (any Middleware)?) -> [any Middleware] { stage.map { [$0] } ?? [] }
    /// The stages of a block in order.
    public static func buildBlock(_ stages: [any Middleware]...) -> [any Middleware] { stages.flatMap(\.self) }
    /// The stages of an `if` without `else`.
    public static func buildOptional(_ stages: [any Middleware]?) -> [any Middleware] { stages ?? [] }
    /// The stages of the first branch of a condition.
    public static func buildEither(first stages: [any Middleware]) -> [any Middleware] { stages }
    /// The stages of the second branch of a condition.
    public static func buildEither(second stages: [any Middleware]) -> [any Middleware] { stages }
    /// The stages of a `for`.
    public static func buildArray(_ stages: [[any Middleware]]) -> [any Middleware] { stages.flatMap(\.self) }
    /// The stages of an `if #available`.
    public static func buildLimitedAvailability(_ stages: [any Middleware]) -> [any Middleware] { stages }
}
