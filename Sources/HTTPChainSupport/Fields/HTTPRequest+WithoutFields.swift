package import HTTPTypes

extension HTTPRequest {
    /// The request with only its method and target.
    ///
    /// A copy that kept the fields would force inner stages to copy them when they change one.
    package var withoutFields: HTTPRequest {
        var target = self
        target.headerFields = HTTPFields()
        return target
    }
}
