/// A value that a serializer stage encodes.
struct TypedValue: Sendable {
    let value: any Encodable & Sendable

    var typeName: String { String(describing: type(of: value)) }
}

extension HTTPBody {
    /// Makes a body from a typed value, which a serializer stage encodes.
    ///
    /// Reading it, or sending it through a chain without a serializer, throws an error.
    public static func value(_ value: some Encodable & Sendable) -> HTTPBody {
        HTTPBody(storage: .value(TypedValue(value: value)))
    }

    /// The typed value of the body, or `nil` if it isn't one.
    public var value: (any Encodable & Sendable)? {
        if case .value(let typed) = storage { typed.value } else { nil }
    }

    /// Whether the body is a typed value.
    package var hasValue: Bool { if case .value = storage { true } else { false } }

    var typedValueName: String? {
        if case .value(let typed) = storage { typed.typeName } else { nil }
    }
}
