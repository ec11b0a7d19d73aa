package import HTTPTypes

extension HTTPFields {
    /// Returns the same value of a field as the subscript, which joins several lines with the same name (RFC 9110
    /// §5.3).
    ///
    /// The subscript prepares to join lines even if there is only one, which takes longer than a whole pass-through
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
