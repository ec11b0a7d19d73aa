public import HTTPTypes

/// The header fields of this request that belong to one origin, as far as stages declared them.
///
/// A stage that adds a secret for one server says so here; a stage that sends the request elsewhere, such as a
/// redirect, calls ``Request/removeFields(boundToOthersThan:)``.
public enum OriginBoundFields: RequestOption {
    /// No field is bound.
    public static var defaultValue: [HTTPField.Name: Origin] { [:] }
}

extension Request {
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
