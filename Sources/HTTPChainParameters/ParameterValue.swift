package import Foundation

/// A value for a query or a form.
package enum ParameterValue: Sendable {
    /// No value: omitted or empty, according to ``ParameterEncoder/nils``.
    case null
    /// No value, which is always written as an empty value.
    case empty
    /// Text.
    case text(String)
    /// A number.
    case number(Double)
    /// A Boolean.
    case truth(Bool)
    /// A date.
    case date(Date)
    /// Values in order.
    case list([ParameterValue])
    /// Named values in order; ``ParameterEncoder/keys`` applies to names of properties, but not to names that are data.
    case members([(name: String, value: ParameterValue)], areData: Bool)

    /// Encodes a value, keeping the order of its properties; a dictionary with string keys is sorted by key.
    ///
    /// A property that is nil is ``null``.
    package init(encoding value: any Encodable) throws {
        let node = ParameterNode()
        try node.encode(value, path: [])
        self = node.value
    }

    /// Whether it contains other values.
    package var isComposite: Bool {
        switch self {
        case .list, .members: true
        default: false
        }
    }

    /// Whether it is the absence of a value.
    package var isNull: Bool {
        if case .null = self { true } else { false }
    }
}

/// A value that is written even if it is nil, regardless of the encoder's settings.
package protocol ExplicitNull: Encodable {
    /// Whether it is nil.
    var isExplicitNull: Bool { get }
}
