import HTTPChainCore
import HTTPTypes

/// Credentials that are ready to be sent, created once and shared, so that they add no cost per call.
final class ReadyCredentials: Sendable, Hashable, CustomStringConvertible, CustomReflectable {
    /// The field, in an array; setting an array costs half as much as appending a field.
    let fields: [HTTPField]

    /// Makes the field, excluded from header compression tables (RFC 7541 §7.1.3).
    convenience init(_ name: HTTPField.Name, _ value: String) {
        self.init(HTTPField(name: name, value: value))
    }

    /// Uses a given field, excluded from header compression tables.
    init(_ field: HTTPField) {
        var field = field
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
