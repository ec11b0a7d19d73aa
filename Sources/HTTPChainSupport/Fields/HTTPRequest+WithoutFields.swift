package import HTTPTypes

extension HTTPRequest {
    /// The method and target only: keeping a copy of the fields would force inner stages to copy them on change.
    package var withoutFields: HTTPRequest {
        var target = self
        target.headerFields = [:]
        return target
    }
}
