import HTTPChainCore
public import HTTPTypes

/// The header fields of a received part, RFC 2046 §5.1.
public struct MultipartHead: Sendable, Hashable {
    /// The received fields; invalid UTF-8 becomes U+FFFD.
    public let headers: HTTPFields

    /// Makes a head from its fields.
    public init(headers: HTTPFields) {
        self.headers = headers
    }

    /// The disposition of the part; `nil` if it's missing or invalid.
    public var disposition: ContentDisposition? {
        headers[.contentDisposition].flatMap(ContentDisposition.init)
    }

    /// The name of the form field.
    public var name: String? { disposition?.name }

    /// The sender's file name; see ``ContentDisposition/fileName`` before writing to it.
    public var fileName: String? { disposition?.fileName }

    /// The part's Content-Type; without one, the part is plain text in US-ASCII, RFC 2046 §5.1.
    public var contentType: String? { headers[.contentType] }

    /// The range of a part of `multipart/byteranges`, and the complete length if the server sends it (RFC 9110 §14.4).
    ///
    /// `nil` without a valid `Content-Range` in bytes.
    public var contentRange: (range: Range<Int64>, completeLength: Int64?)? {
        ContentRange(headers).map { ($0.range, $0.length) }
    }
}
