package import Foundation

/// A value that goes into a query or a form.
package enum ParameterValue: Sendable {
    /// No value: left out or empty, as ``ParameterEncoder/nils`` says.
    case null
    /// No value, and the value itself says that this is written.
    case empty
    /// Text.
    case text(String)
    /// A number.
    case number(Double)
    /// A truth value.
    case truth(Bool)
    /// A moment.
    case date(Date)
    /// Values in order.
    case list([ParameterValue])
    /// Named values in order; the names of properties are written in ``ParameterEncoder/keys``, those of data are not.
    case members([(name: String, value: ParameterValue)], areData: Bool)

    /// Makes what a value encodes, in the order it does; a dictionary sorted by key.
    ///
    /// A property whose value is nil is ``null``.
    package init(encoding value: any Encodable) throws {
        let node = ParameterNode()
        try node.encode(value, path: [])
        self = node.value
    }

    /// Whether there are values inside.
    package var isComposite: Bool {
        switch self {
        case .list, .members: true
        default: false
        }
    }

    /// Whether there is no value.
    package var isNull: Bool {
        if case .null = self { true } else { false }
    }
}

/// A value whose nil is to be written, whatever the encoder's style.
package protocol ExplicitNull: Encodable {
    /// Whether it is nil.
    var isExplicitNull: Bool { get }
}
