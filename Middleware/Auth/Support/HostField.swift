import HTTPTypes

extension HTTPRequest {
    /// Whether there is a `Host` field that differs from the URL: a transport may send the request there.
    var namesAnotherHost: Bool {
        guard let name = HostField.name, headerFields.contains(name) else { return false }
        return headerFields[name] != authority
    }
}

private enum HostField {
    static let name = HTTPField.Name("Host")
}
