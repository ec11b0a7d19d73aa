package import HTTPTypes

extension HTTPResponse.Status {
    /// The code, and the reason phrase if there is one: HTTP/2 has none.
    package var label: String {
        reasonPhrase.isEmpty ? "\(code)" : "\(code) \(reasonPhrase)"
    }
}
