import HTTPChainCore
package import HTTPTypes

/// The header fields of a received part, RFC 2046 §5.1.
package struct MultipartHead: Sendable, Hashable {
    /// The received fields; invalid UTF-8 becomes U+FFFD.
    package let headers: HTTPFields

    /// Makes a head from its fields.
    package init(headers: HTTPFields) {
        self.headers = headers
    }

    /// The disposition of the part; `nil` if it's missing or invalid.
    package var disposition: ContentDisposition? {
        headers[.contentDisposition].flatMap(ContentDisposition.init)
    }

    /// The name of the form field.
    package var name: String? { disposition?.name }

    /// The sender's file name; see ``ContentDisposition/fileName`` before writing to it.
    package var fileName: String? { disposition?.fileName }

    /// The part's Content-Type; without one, the part is plain text in US-ASCII, RFC 2046 §5.1.
    package var contentType: String? { headers[.contentType] }

    /// The range of a part of `multipart/byteranges`, and the complete length if the server sends it (RFC 9110 §14.4).
    ///
    /// `nil` without a valid `Content-Range` in bytes.
    package var contentRange: (range: Range<Int64>, completeLength: Int64?)? {
        ContentRange(headers).map { ($0.range, $0.length) }
    }
}
