package import HTTPTypes

extension HTTPRequest {
    /// The method and target only, because keeping a copy of the fields would force inner stages to copy them when they
    /// change one.
    package var withoutFields: HTTPRequest {
        var target = self
        target.headerFields = HTTPFields()
        return target
    }
}
