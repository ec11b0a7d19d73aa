package import HTTPTypes

extension HTTPFields {
    /// The value of a field, as the subscript gives it: lines of one name are joined (RFC 9110 §5.3).
    ///
    /// The subscript joins one line, too, which takes longer than all of a pass-through stage.
    package func value(of name: HTTPField.Name) -> String? {
        var only: String?
        for field in self where field.name == name {
            guard only == nil else { return self[name] }
            only = field.value
        }
        return only
    }
}
