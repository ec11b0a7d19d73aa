/// An element of a collection, in the filter of ``ODataExpression/any(_:_:)`` and similar methods.
public struct ODataElement<Element: ODataEntity, Entity: ODataEntity>: Sendable {
    let variable: ODataVariableName

    /// A property of the element by key path.
    public subscript<Value>(_ path: KeyPath<Element, Value>) -> ODataExpression<Entity> {
        guard let name = Element.name(of: path) else { return ODataExpression(.unnamed("\(path)")) }
        return self[name]
    }

    /// A property of the element by name, or by a path with slashes.
    public subscript(_ path: String) -> ODataExpression<Entity> {
        ODataExpression(.variable(variable, path: path))
    }

    /// The element itself, for a collection of values.
    public var value: ODataExpression<Entity> { ODataExpression(.variable(variable, path: "")) }
}

extension ODataExpression {
    /// Whether a filter is true for at least one element of a collection, OData URL Conventions 4.01 §5.1.1.13.1.
    ///
    /// ```swift
    /// ODataExpression<Person>.any(\.friends) { friend in friend[\.age] > 30 }    // Friends/any(x0:x0/Age gt 30)
    /// ```
    ///
    /// - Parameters:
    ///   - path: The collection.
    ///   - filter: The filter for the element; it may contain another `any` or `all`.
    public static func any<Element: ODataEntity>(
        _ path: KeyPath<Entity, [Element]>,
        _ filter: @escaping @Sendable (_ element: ODataElement<Element, Entity>) -> ODataExpression
    ) -> ODataExpression {
        lambda(.property(path), isAll: false, filter)
    }

    /// Whether a filter is true for all elements of a collection, OData URL Conventions 4.01 §5.1.1.13.2.
    ///
    /// - Parameters:
    ///   - path: The collection.
    ///   - filter: The filter for the element.
    public static func all<Element: ODataEntity>(
        _ path: KeyPath<Entity, [Element]>,
        _ filter: @escaping @Sendable (_ element: ODataElement<Element, Entity>) -> ODataExpression
    ) -> ODataExpression {
        lambda(.property(path), isAll: true, filter)
    }

    /// Whether a filter is true for at least one element of this collection, such as a collection of an outer element.
    public func any(
        _ filter: @escaping @Sendable (_ element: ODataElement<ODataAnyEntity, Entity>) -> ODataExpression
    ) -> ODataExpression {
        Self.lambda(self, isAll: false, filter)
    }

    /// Whether a filter is true for all elements of this collection, such as a collection of an outer element.
    public func all(
        _ filter: @escaping @Sendable (_ element: ODataElement<ODataAnyEntity, Entity>) -> ODataExpression
    ) -> ODataExpression {
        Self.lambda(self, isAll: true, filter)
    }

    /// Whether the collection has elements.
    public func isNotEmpty() -> ODataExpression { ODataExpression(.lambda(node, isAll: false, body: nil)) }

    private static func lambda<Element: ODataEntity>(
        _ collection: ODataExpression,
        isAll: Bool,
        _ filter: @escaping @Sendable (ODataElement<Element, Entity>) -> ODataExpression
    ) -> ODataExpression {
        ODataExpression(.lambda(collection.node, isAll: isAll) { filter(ODataElement(variable: $0)).node })
    }
}
