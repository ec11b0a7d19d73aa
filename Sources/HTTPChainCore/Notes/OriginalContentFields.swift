public import HTTPTypes

/// The fields that described the content before it was decoded; see ``Response/originalContentFields``.
package enum OriginalContentFieldsFact: ResponseOption {
    /// No fields: nothing was decoded.
    package static var defaultValue: HTTPFields { [:] }
}

extension Response {
    /// The fields that described the content before a content coding (RFC 9110 §8.4) was removed: `Content-Encoding`,
    /// and `Content-Length` if present.
    ///
    /// A stage or transport that decodes the content of a response moves these from the head to here. The server's
    /// digests and lengths refer to the content before decoding.
    public var originalContentFields: HTTPFields {
        get { options[OriginalContentFieldsFact.self] }
        set { options[OriginalContentFieldsFact.self] = newValue }
    }

    /// Moves the fields that describe encoded content from the head to ``originalContentFields``.
    ///
    /// Keeps the fields saved by an earlier decoder, which saw the content as the server sent it.
    ///
    /// - Parameter rest: The codings still to be decoded, as listed in `Content-Encoding`. Defaults to none.
    package mutating func removeContentFields(leaving rest: String? = nil) {
        if options[OriginalContentFieldsFact.self].isEmpty {
            options[OriginalContentFieldsFact.self] = headers.describingContent
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
