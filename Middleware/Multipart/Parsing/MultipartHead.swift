public import HTTPTypes

/// The header fields of a part that arrived, RFC 2046 §5.1.
public struct MultipartHead: Sendable, Hashable {
    /// The fields as they arrived; bytes that are not UTF-8 read as U+FFFD.
    public let headers: HTTPFields

    /// Takes the fields.
    public init(headers: HTTPFields) {
        self.headers = headers
    }

    /// What the part is for; `nil` when it does not say, or not in a way that can be read.
    public var disposition: ContentDisposition? {
        headers[.contentDisposition].flatMap(ContentDisposition.init)
    }

    /// The name of the form field.
    public var name: String? { disposition?.name }

    /// The file name that the sender chose; see ``ContentDisposition/fileName`` before writing to it.
    public var fileName: String? { disposition?.fileName }

    /// The part's Content-Type; a part without one is plain text in US-ASCII, RFC 2046 §5.1.
    public var contentType: String? { headers[.contentType] }
}
