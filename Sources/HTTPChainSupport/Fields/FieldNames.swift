package import HTTPTypes

extension HTTPField.Name {
    /// Makes a field name from a constant.
    ///
    /// For a name that isn't a constant, use the initializer that returns `nil`.
    ///
    /// - Precondition: `name` is a token (RFC 9110 §5.6.2).
    package init(constant name: StaticString) {
        guard let valid = Self("\(name)") else { preconditionFailure("\"\(name)\" is not a field name: write a token") }
        self = valid
    }
}

// Field names used by several modules.
extension HTTPField.Name {
    /// `Cache-Status` (RFC 9211).
    package static let cacheStatus = Self(constant: "Cache-Status")
    /// `Content-Digest` (RFC 9530 §2).
    package static let contentDigest = Self(constant: "Content-Digest")
    /// `Content-MD5` (RFC 1864).
    package static let contentMD5 = Self(constant: "Content-MD5")
    /// `Last-Event-ID` (HTML standard §9.2.4).
    package static let lastEventID = Self(constant: "Last-Event-ID")
    /// `Pragma` (RFC 9111 §5.4).
    package static let pragma = Self(constant: "Pragma")
    /// `Tus-Resumable` (tus 1.0.0).
    package static let tusResumable = Self(constant: "Tus-Resumable")
    /// `Upload-Length` (tus 1.0.0; draft-ietf-httpbis-resumable-upload).
    package static let uploadLength = Self(constant: "Upload-Length")
    /// `Upload-Offset` (tus 1.0.0; draft-ietf-httpbis-resumable-upload).
    package static let uploadOffset = Self(constant: "Upload-Offset")
}
