// Comparisons in filters with values and between expressions, OData URL Conventions 4.01 §5.1.1.1.

/// The property equals the value.
public func == <Entity: ODataEntity, Value: ODataLiteralConvertible>(
    path: KeyPath<Entity, Value>,
    value: Value
) -> ODataExpression<Entity> {
    .property(path) == .value(value)
}

extension ODataExpression {
    /// The left side equals the right side.
    public static func == (left: ODataExpression, right: ODataExpression) -> ODataExpression {
        ODataExpression(.binary(.equal, left.node, right.node))
    }

    /// The left side equals the value.
    public static func == (left: ODataExpression, value: some ODataLiteralConvertible) -> ODataExpression {
        left == .value(value)
    }
}

/// The property does not equal the value.
public func != <Entity: ODataEntity, Value: ODataLiteralConvertible>(
    path: KeyPath<Entity, Value>,
    value: Value
) -> ODataExpression<Entity> {
    .property(path) != .value(value)
}

extension ODataExpression {
    /// The left side does not equal the right side.
    public static func != (left: ODataExpression, right: ODataExpression) -> ODataExpression {
        ODataExpression(.binary(.notEqual, left.node, right.node))
    }

    /// The left side does not equal the value.
    public static func != (left: ODataExpression, value: some ODataLiteralConvertible) -> ODataExpression {
        left != .value(value)
    }
}

/// The property is greater than the value.
public func > <Entity: ODataEntity, Value: ODataLiteralConvertible>(
    path: KeyPath<Entity, Value>,
    value: Value
) -> ODataExpression<Entity> {
    .property(path) > .value(value)
}

extension ODataExpression {
    /// The left side is greater than the right side.
    public static func > (left: ODataExpression, right: ODataExpression) -> ODataExpression {
        ODataExpression(.binary(.greater, left.node, right.node))
    }

    /// The left side is greater than the value.
    public static func > (left: ODataExpression, value: some ODataLiteralConvertible) -> ODataExpression {
        left > .value(value)
    }
}

/// The property is greater than or equal to the value.
public func >= <Entity: ODataEntity, Value: ODataLiteralConvertible>(
    path: KeyPath<Entity, Value>,
    value: Value
) -> ODataExpression<Entity> {
    .property(path) >= .value(value)
}

extension ODataExpression {
    /// The left side is greater than or equal to the right side.
    public static func >= (left: ODataExpression, right: ODataExpression) -> ODataExpression {
        ODataExpression(.binary(.greaterOrEqual, left.node, right.node))
    }

    /// The left side is greater than or equal to the value.
    public static func >= (left: ODataExpression, value: some ODataLiteralConvertible) -> ODataExpression {
        left >= .value(value)
    }
}

/// The property is less than the value.
public func < <Entity: ODataEntity, Value: ODataLiteralConvertible>(
    path: KeyPath<Entity, Value>,
    value: Value
) -> ODataExpression<Entity> {
    .property(path) < .value(value)
}

extension ODataExpression {
    /// The left side is less than the right side.
    public static func < (left: ODataExpression, right: ODataExpression) -> ODataExpression {
        ODataExpression(.binary(.less, left.node, right.node))
    }

    /// The left side is less than the value.
    public static func < (left: ODataExpression, value: some ODataLiteralConvertible) -> ODataExpression {
        left < .value(value)
    }
}

/// The property is less than or equal to the value.
public func <= <Entity: ODataEntity, Value: ODataLiteralConvertible>(
    path: KeyPath<Entity, Value>,
    value: Value
) -> ODataExpression<Entity> {
    .property(path) <= .value(value)
}

extension ODataExpression {
    /// The left side is less than or equal to the right side.
    public static func <= (left: ODataExpression, right: ODataExpression) -> ODataExpression {
        ODataExpression(.binary(.lessOrEqual, left.node, right.node))
    }

    /// The left side is less than or equal to the value.
    public static func <= (left: ODataExpression, value: some ODataLiteralConvertible) -> ODataExpression {
        left <= .value(value)
    }
}
