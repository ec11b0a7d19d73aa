/// A value that a serializer stage turns into bytes.
struct TypedValue: Sendable {
    let value: any Encodable & Sendable

    var typeName: String { String(describing: type(of: value)) }
}

extension HTTPBody {
    /// A typed value, for a serializer stage to turn into bytes.
    ///
    /// Reading it, or sending it through a chain without a serializer, is an error that says so.
    public static func value(_ value: some Encodable & Sendable) -> HTTPBody {
        HTTPBody(storage: .value(TypedValue(value: value)))
    }

    /// The typed value, where the body is one; `nil` otherwise.
    public var value: (any Encodable & Sendable)? {
        if case .value(let typed) = storage { typed.value } else { nil }
    }

    var typedValueName: String? {
        if case .value(let typed) = storage { typed.typeName } else { nil }
    }
}
