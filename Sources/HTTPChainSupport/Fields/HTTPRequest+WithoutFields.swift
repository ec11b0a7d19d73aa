package import HTTPTypes

extension HTTPRequest {
    /// Method and target alone: a copy of the fields would make the stages inside copy them to change them.
    package var withoutFields: HTTPRequest {
        var target = self
        target.headerFields = [:]
        return target
    }
}
