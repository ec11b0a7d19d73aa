import HTTPChainCore
package import HTTPTypes

/// The header fields of a received part, RFC 2046 §5.1.
package struct MultipartHead: Sendable, Hashable {
    /// The received fields.
    ///
    /// Invalid UTF-8 is replaced by U+FFFD.
    package let headers: HTTPFields

    /// Makes a head from its fields.
    package init(headers: HTTPFields) {
        self.headers = headers
    }

    /// The disposition of the part; `nil` if it is missing or invalid.
    package var disposition: ContentDisposition? {
        headers[.contentDisposition].flatMap(ContentDisposition.init)
    }

    /// The name of the form field.
    package var name: String? { disposition?.name }

    /// The sender's file name.
    ///
    /// See ``ContentDisposition/fileName`` before using it as a destination.
    package var fileName: String? { disposition?.fileName }

    /// The part's Content-Type.
    ///
    /// If it has none, the part is plain text in US-ASCII, RFC 2046 §5.1.
    package var contentType: String? { headers[.contentType] }

    /// The range of a part of `multipart/byteranges`, and the complete length if the server sent it (RFC 9110 §14.4).
    ///
    /// `nil` if there is no valid `Content-Range` in bytes.
    package var contentRange: (range: Range<Int64>, completeLength: Int64?)? {
        ContentRange(headers).map { ($0.range, $0.length) }
    }
}
