package import HTTPTypes

extension HTTPRequest {
    /// The target as a URL: absolute if scheme and authority are known, otherwise the reference alone.
    package var urlText: String {
        let path = path ?? ""
        guard let authority else { return path }
        return (scheme.map { $0 + "://" } ?? "//") + authority + path
    }
}
