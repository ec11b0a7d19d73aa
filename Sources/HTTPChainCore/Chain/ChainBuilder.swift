/// Collects the stages of a chain from a block of code, outermost first.
///
/// A block may use `if`, `if let`, `else`, `switch` and `for`, and may give arrays of stages.
@resultBuilder
public enum ChainBuilder {
    /// One stage.
    public static func buildExpression(_ stage: some Middleware) -> [any Middleware] { [stage] }
    /// One stage whose type is not known statically.
    public static func buildExpression(_ stage: any Middleware) -> [any Middleware] { [stage] }
    /// Several stages in order.
    public static func buildExpression(_ stages: [any Middleware]) -> [any Middleware] { stages }
    /// A stage that may be missing.
    public static func buildExpression(_ stage: (any Middleware)?) -> [any Middleware] { stage.map { [$0] } ?? [] }
    /// The stages of a block in order.
    public static func buildBlock(_ stages: [any Middleware]...) -> [any Middleware] { stages.flatMap(\.self) }
    /// The stages of an `if` without `else`.
    public static func buildOptional(_ stages: [any Middleware]?) -> [any Middleware] { stages ?? [] }
    /// The stages of an `if` that holds.
    public static func buildEither(first stages: [any Middleware]) -> [any Middleware] { stages }
    /// The stages of an `else`.
    public static func buildEither(second stages: [any Middleware]) -> [any Middleware] { stages }
    /// The stages of a `for`.
    public static func buildArray(_ stages: [[any Middleware]]) -> [any Middleware] { stages.flatMap(\.self) }
    /// The stages of an `if #available`.
    public static func buildLimitedAvailability(_ stages: [any Middleware]) -> [any Middleware] { stages }
}
