package import HTTPTypes

extension HTTPFields {
    /// Returns the value of a field as the subscript does, joining several lines with the same name (RFC 9110 §5.3).
    ///
    /// The subscript does the work of joining even for a single line, which takes longer than a whole pass-through
    /// stage.
    package func value(of name: HTTPField.Name) -> String? {
        var only: String?
        for field in self where field.name == name {
            guard only == nil else { return self[name] }
            only = field.value
        }
        return only
    }
}
