import HTTPChainCore
import HTTPTypes

/// Credentials that are ready to be sent: made once, and shared so that a call takes them along at no cost.
final class ReadyCredentials: Sendable, Hashable, CustomStringConvertible, CustomReflectable {
    /// The one field: setting it as a list costs half of what appending it does.
    let fields: [HTTPField]

    /// Takes the value of a field, which is kept out of the tables of header compression (RFC 7541 §7.1.3).
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
