import HTTPChainSupport
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

    /// The range of a part of `multipart/byteranges`, and the complete length if the server sends it (RFC 9110 §14.4);
    /// `nil` without a valid `Content-Range` in bytes.
    public var contentRange: (range: Range<Int64>, completeLength: Int64?)? {
        guard let field = headers[.contentRange] else { return nil }
        let words = field.pieces(at: " ", omittingEmptySubsequences: true)
        guard words.count == 2, words[0].lowercased() == "bytes" else { return nil }
        let halves = words[1].pieces(at: "/", omittingEmptySubsequences: false)
        guard halves.count == 2 else { return nil }
        let ends = halves[0].pieces(at: "-", omittingEmptySubsequences: false).map(Self.number)
        guard ends.count == 2, let first = ends[0], let last = ends[1], first <= last, last < .max else { return nil }
        if halves[1] == "*" { return (first..<(last + 1), nil) }
        guard let length = Self.number(halves[1]), last < length else { return nil }
        return (first..<(last + 1), length)
    }

    private static func number(_ text: Substring) -> Int64? {
        text.utf8.allSatisfy { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) } ? Int64(text) : nil
    }
}
