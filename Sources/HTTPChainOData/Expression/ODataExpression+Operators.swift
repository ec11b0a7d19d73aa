extension ODataExpression {
    /// Both sides are true.
    public static func && (left: ODataExpression, right: ODataExpression) -> ODataExpression {
        ODataExpression(.binary(.and, left.node, right.node))
    }

    /// At least one side is true.
    public static func || (left: ODataExpression, right: ODataExpression) -> ODataExpression {
        ODataExpression(.binary(.or, left.node, right.node))
    }

    /// The expression is not true.
    public static prefix func ! (expression: ODataExpression) -> ODataExpression {
        ODataExpression(.not(expression.node))
    }

    /// The negative of a number or a duration.
    public static prefix func - (expression: ODataExpression) -> ODataExpression {
        ODataExpression(.negate(expression.node))
    }

    /// The sum, including the sum of a date and a duration.
    public static func + (left: ODataExpression, right: ODataExpression) -> ODataExpression {
        ODataExpression(.binary(.add, left.node, right.node))
    }

    /// The difference, including the difference of two dates, or of a date and a duration.
    public static func - (left: ODataExpression, right: ODataExpression) -> ODataExpression {
        ODataExpression(.binary(.sub, left.node, right.node))
    }

    /// The product.
    public static func * (left: ODataExpression, right: ODataExpression) -> ODataExpression {
        ODataExpression(.binary(.mul, left.node, right.node))
    }

    /// The quotient, `div`.
    ///
    /// For integers the fraction is dropped.
    public static func / (left: ODataExpression, right: ODataExpression) -> ODataExpression {
        ODataExpression(.binary(.div, left.node, right.node))
    }

    /// The remainder.
    public static func % (left: ODataExpression, right: ODataExpression) -> ODataExpression {
        ODataExpression(.binary(.mod, left.node, right.node))
    }

    /// Whether the flags of an enumeration are set.
    ///
    /// - Parameter flags: The flags, made with ``ODataLiteral/enumeration(_:_:)``.
    public func has(_ flags: ODataLiteral) -> ODataExpression {
        ODataExpression(.binary(.has, node, .literal(flags)))
    }

    /// Whether the value is one of these values; `false` if there are none.
    public func isIn(_ values: [some ODataLiteralConvertible]) -> ODataExpression {
        // The ABNF doesn't allow an empty list.
        guard !values.isEmpty else { return .value(false) }
        return ODataExpression(.binary(.in, node, .list(values.map { .literal($0.odataLiteral) })))
    }
}
