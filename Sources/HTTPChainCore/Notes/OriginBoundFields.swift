public import HTTPTypes

/// The header fields of this request that are bound to an origin, as declared by stages.
///
/// A stage that adds a secret for one server declares it with ``Request/bindFields(_:to:)``. A stage that sends the
/// request elsewhere, such as a redirect, calls ``Request/removeFields(boundToOthersThan:)``.
package enum OriginBoundFieldsNote: RequestOption, RequestNote {
    /// No field is bound.
    package static var defaultValue: [HTTPField.Name: Origin] { [:] }
}

extension Request {
    /// Binds header fields to an origin: their values are secrets, and aren't sent to any other origin.
    ///
    /// Fields already present are marked with `HTTPField.DynamicTableIndexingStrategy.disallow`. The mark stays with
    /// them, so that outer stages (logs, errors) redact them too, regardless of their names.
    public mutating func bindFields(_ names: some Sequence<HTTPField.Name>, to origin: Origin) {
        for name in names {
            options[OriginBoundFieldsNote.self][name] = origin
            head.headerFields.markAsSecret(name)
        }
    }

    /// Removes the header fields that are bound to an origin other than the given one.
    ///
    /// - Parameter origin: The origin that the request goes to. If it is unknown (`nil`), all bound fields are removed.
    package mutating func removeFields(boundToOthersThan origin: Origin?) {
        guard options.contains(OriginBoundFieldsNote.self) else { return }
        let bound = options[OriginBoundFieldsNote.self]
        for (name, owner) in bound where owner != origin {
            head.headerFields[name] = nil
        }
        options[OriginBoundFieldsNote.self] = bound.filter { $0.value == origin }
    }
}

extension HTTPFields {
    /// Marks the fields of a name as secrets (RFC 7541 §7.1.3).
    package mutating func markAsSecret(_ name: HTTPField.Name) {
        guard contains(name) else { return }
        self[fields: name] = self[fields: name].map { field in
            var field = field
            field.indexingStrategy = .disallow
            return field
        }
    }
}
