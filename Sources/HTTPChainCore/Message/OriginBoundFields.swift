public import HTTPTypes

/// The header fields of this request that belong to one origin, as far as stages declared them.
///
/// A stage that adds a secret for one server says so here, with ``Request/bindFields(_:to:)``; a stage that sends the request elsewhere, such as a
/// redirect, calls ``Request/removeFields(boundToOthersThan:)``.
public enum OriginBoundFields: RequestOption {
    /// No field is bound.
    public static var defaultValue: [HTTPField.Name: Origin] { [:] }
}

extension Request {
    /// Declares that header fields belong to one origin: their values are secrets, and go nowhere else.
    ///
    /// The fields that are there are marked with `HTTPField.DynamicTableIndexingStrategy.disallow`, which
    /// travels with them, so that stages further out (logs, errors) do not show them either, whatever their names.
    public mutating func bindFields(_ names: some Sequence<HTTPField.Name>, to origin: Origin) {
        for name in names {
            options[OriginBoundFields.self][name] = origin
            head.headerFields.markAsSecret(name)
        }
    }

    /// Removes the header fields that were declared to belong to another origin than the one given.
    ///
    /// - Parameter origin: Where the request will go; `nil` when that is not known, which removes them all.
    public mutating func removeFields(boundToOthersThan origin: Origin?) {
        guard options.contains(OriginBoundFields.self) else { return }
        let bound = options[OriginBoundFields.self]
        for (name, owner) in bound where owner != origin {
            head.headerFields[name] = nil
        }
        options[OriginBoundFields.self] = bound.filter { $0.value == origin }
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
