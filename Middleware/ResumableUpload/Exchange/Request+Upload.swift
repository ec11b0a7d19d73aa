import HTTPChainCore
import HTTPChainSupport
import HTTPTypes

extension Request {
    /// Makes a request for the upload's URL, with the caller's fields except those that describe the content.
    ///
    /// Credentials aren't sent to another origin.
    func ofUpload(_ method: HTTPRequest.Method, to url: String) -> Request {
        let origin = origin
        var request = self
        request.method = method
        request.url = url
        request.removeMessageFields()
        for name in Set(request.head.headerFields.map(\.name)) where Self.belongsToContentOrTarget(name) {
            request.headers[name] = nil
        }
        if request.origin != origin {
            request.removeCredentials(goingTo: request.origin, redaction: request.redaction)
        }
        return request
    }

    /// Removes the content, the fields that describe only this message, and the observers of the whole content.
    mutating func removeMessageFields() {
        body = .empty
        for name: HTTPField.Name in [
            .contentLength, .contentMD5, .transferEncoding, .trailer, .expect, .contentDigest, .digest,
        ] {
            headers[name] = nil
        }
        options.remove(UploadProgressNote.self)
        options.remove(UploadReportsNote.self)
        options.remove(RequestContentObserverNote.self)
        options.remove(ResumableUploadOption.self)
        options.remove(UploadMetadataOption.self)
    }

    /// Whether a field describes the content or a condition on the target.
    ///
    /// Such fields don't apply to the upload's URL.
    private static func belongsToContentOrTarget(_ name: HTTPField.Name) -> Bool {
        let name = name.canonicalName
        return name.begins(with: "content-") || name.begins(with: "if-")
            || ["range", "repr-digest", "want-repr-digest", "want-content-digest", "idempotency-key"].contains(name)
    }
}

extension HTTPField.Name {
    fileprivate static let digest = Self(constant: "Digest")
}
