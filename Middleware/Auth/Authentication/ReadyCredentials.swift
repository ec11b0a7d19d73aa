import HTTPChainCore
import HTTPTypes

/// Credentials that are ready to be sent: created once and shared, so that they cost a call nothing.
final class ReadyCredentials: Sendable, Hashable, CustomStringConvertible, CustomReflectable {
    /// The only field; setting it as a list costs half as much as appending it.
    let fields: [HTTPField]

    /// Makes the field, excluded from header compression tables (RFC 7541 §7.1.3).
    init(_ name: HTTPField.Name, _ value: String) {
        var field = HTTPField(name: name, value: value)
        field.indexingStrategy = .disallow
        fields = [field]
    }

    /// The field's value.
    var value: String { fields[0].value }

    var description: String { Redaction.placeholder }
    var customMirror: Mirror { Mirror(self, children: []) }

    static func == (lhs: ReadyCredentials, rhs: ReadyCredentials) -> Bool { lhs.fields == rhs.fields }

    func hash(into hasher: inout Hasher) { hasher.combine(fields) }
}
