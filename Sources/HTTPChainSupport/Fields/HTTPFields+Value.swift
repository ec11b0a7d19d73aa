package import HTTPTypes

extension HTTPFields {
    /// Returns the value of a field like the subscript does: several lines of one name are joined (RFC 9110 §5.3).
    ///
    /// The subscript also joins a single line, which takes longer than a whole pass-through stage.
    package func value(of name: HTTPField.Name) -> String? {
        var only: String?
        for field in self where field.name == name {
            guard only == nil else { return self[name] }
            only = field.value
        }
        return only
    }
}
