/// The type to which a change before encoding or after decoding applies.
enum ChangedType {
    /// Returns whether values of a type, or their elements, can be of the changed type.
    ///
    /// Returns `true` if this depends on the value.
    static func isIn<Changed>(_ type: Any.Type, _ changed: Changed.Type) -> Bool {
        // Values of any type can conform to a protocol, although the protocol itself is neither `Decodable` nor
        // `Encodable`.
        guard changed is any Decodable.Type || changed is any Encodable.Type else { return true }
        let whole = unwrapped(type)
        var types = [whole]
        if let array = whole as? any ArrayType.Type { types.append(unwrapped(array.element)) }
        return types.contains { $0 is Changed.Type || $0 == unwrapped(changed) }
    }

    private static func unwrapped(_ type: Any.Type) -> Any.Type {
        (type as? any OptionalType.Type).map { unwrapped($0.wrapped) } ?? type
    }
}

private protocol OptionalType {
    static var wrapped: Any.Type { get }
}

extension Optional: OptionalType {
    fileprivate static var wrapped: Any.Type { Wrapped.self }
}

private protocol ArrayType {
    static var element: Any.Type { get }
}

extension Array: ArrayType {
    fileprivate static var element: Any.Type { Element.self }
}
