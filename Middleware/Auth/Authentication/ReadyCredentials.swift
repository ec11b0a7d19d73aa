import HTTPChainCore
import HTTPTypes

/// Credentials that are ready to be sent: made once, and shared so that a call takes them along at no cost.
final class ReadyCredentials: Sendable, CustomStringConvertible, CustomReflectable {
    /// The one field: setting it as a list costs half of what appending it does.
    let fields: [HTTPField]
    /// The value of ``OriginBoundFields`` for a request that has no others.
    let bound: PreparedOption

    init(_ field: HTTPField, for origin: Origin) {
        fields = [field]
        bound = PreparedOption(OriginBoundFields.self, [field.name: origin])
    }

    /// The field's value.
    var value: String { fields[0].value }

    var description: String { Redaction.placeholder }
    var customMirror: Mirror { Mirror(self, children: []) }
}
