public import HTTPTypes

/// The fields that described the content before a content coding (RFC 9110 §8.4) was undone: `Content-Encoding`, and
/// `Content-Length` where there was one.
///
/// A stage or transport that decodes the content of a response takes these out of the head and attaches them here.
/// Digests and lengths that the server gave are of the content as it was before.
public enum OriginalContentFields: ResponseOption {
    /// Nothing was decoded.
    public static var defaultValue: HTTPFields { [:] }
}

extension Response {
    /// Takes the fields out of the head that describe encoded content, and keeps them in ``OriginalContentFields``.
    ///
    /// What an earlier decoder kept stays: it saw the content as the server sent it.
    ///
    /// - Parameter rest: The codings that are still to be undone, as `Content-Encoding` lists them; none by default.
    public mutating func removeContentFields(leaving rest: String? = nil) {
        if options[OriginalContentFields.self].isEmpty {
            options[OriginalContentFields.self] = headers.describingContent
        }
        headers[.contentEncoding] = rest
        headers[.contentLength] = nil
    }
}

extension HTTPFields {
    fileprivate var describingContent: HTTPFields {
        HTTPFields(filter { $0.name == .contentEncoding || $0.name == .contentLength })
    }
}
