import HTTPChainCore
import HTTPChainSupport
import HTTPTypes

extension Request {
    /// A request of the upload itself: what the caller's request says of its sender, and nothing of its content.
    ///
    /// To another origin no credentials go along.
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

    /// Takes out the content with what is true of this message alone, and what counts the whole of it.
    mutating func removeMessageFields() {
        body = .empty
        for name: HTTPField.Name in [
            .contentLength, .contentMD5, .transferEncoding, .trailer, .expect, .contentDigest, .digest,
        ] {
            headers[name] = nil
        }
        options.remove(UploadProgress.self)
        options.remove(UploadReports.self)
        options.remove(RequestContentObserverOption.self)
        options.remove(ResumableUploadOption.self)
    }

    /// Whether a field describes the content or a condition on the target, which the upload's own URL does not share.
    private static func belongsToContentOrTarget(_ name: HTTPField.Name) -> Bool {
        let name = name.canonicalName
        return name.begins(with: "content-") || name.begins(with: "if-")
            || ["range", "repr-digest", "want-repr-digest", "want-content-digest", "idempotency-key"].contains(name)
    }
}

extension HTTPField.Name {
    fileprivate static let digest = Self(constant: "Digest")
}
