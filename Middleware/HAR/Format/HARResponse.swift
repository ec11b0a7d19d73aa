public import Foundation
package import HTTPChainCore

/// The response of an exchange.
public struct HARResponse: HARPart, Sendable, Hashable {
    /// The status.
    ///
    /// If there was no response, it is 0, or -1 in archives of Playwright.
    public var status = 0
    /// The reason phrase.
    public var statusText = ""
    /// The HTTP version as the program wrote it; "unknown" if it didn't.
    package var httpVersion = "unknown"
    /// The cookies that were set.
    package var cookies: [HARCookie] = []
    /// The header fields, in order.
    package var fields: [HARField] = []
    /// The content.
    package var content = HARContent.unknown
    /// The target of a redirect, as in `Location`; empty if there is none.
    package var redirectURL = ""
    /// The size of the head, in bytes; -1 if unknown.
    package var headersSize: Int64 = -1
    /// The size of the content as sent, in bytes; -1 if unknown.
    package var bodySize: Int64 = -1
    /// A comment by a user or a program.
    package var comment: String?
    /// Fields that aren't part of the specification.
    package var customFields: [String: JSONValue] = [:]

    init() {}

    /// Makes a response.
    package init(
        status: Int,
        statusText: String = "",
        headers: [HARField] = [],
        content: HARContent = HARContent(mimeType: "x-unknown")
    ) {
        self.status = status
        self.statusText = statusText
        fields = headers
        self.content = content
    }

    /// The header fields, in order, in the letter case that the program wrote.
    public var headers: [(name: String, value: String)] { fields.map { ($0.name, $0.value) } }

    /// The values of a header field, in order; the name is case-insensitive.
    public func values(of field: String) -> [String] { fields.values(of: field) }

    /// The media type of the content, as in `Content-Type`; `nil` if there is none.
    public var contentType: String? {
        content.mimeType.isEmpty || content.mimeType == "x-unknown" ? nil : content.mimeType
    }

    /// The content, with its content coding removed and text encoded as UTF-8.
    ///
    /// `nil` if the archive doesn't contain it: it wasn't recorded, or is in a separate file.
    public var body: Data? { HARBytes.decode(content.text, encoding: content.encoding) }

    /// The size of the decoded content, in bytes, whether it was recorded or not; -1 if unknown.
    public var contentSize: Int64 { content.size }

    /// Whether missing content is known to be empty, or belongs to a redirect, whose content browsers don't keep.
    ///
    /// Programs also write a size of 0 for content that they didn't keep. If there is no content coding,
    /// `Content-Length` decides.
    var hasNoContent: Bool {
        if (300..<400).contains(status) { return true }
        switch fields.declaredLength {
        case 0?: return true
        case _? where values(of: "content-encoding").isEmpty: return false
        default: return content.size == 0 || bodySize == 0
        }
    }

    mutating func describe(_ members: inout HARMembers) throws(HARError) {
        var code = Int64(status)
        members.integer("status", &code)
        status = Int(clamping: code)
        members.text("statusText", &statusText)
        members.text("httpVersion", &httpVersion)
        try members.objects("cookies", &cookies)
        try members.objects("headers", &fields)
        try members.object("content", &content)
        members.text("redirectURL", &redirectURL)
        members.integer("headersSize", &headersSize)
        members.integer("bodySize", &bodySize)
        members.text("comment", &comment)
    }
}

/// The decoded content of a response, without its content coding.
package struct HARContent: HARPart, Sendable, Hashable {
    /// The size of the decoded content, in bytes; -1 if unknown.
    package var size: Int64 = -1
    /// The number of bytes that the content coding saved.
    package var compression: Int64?
    /// The media type, as in `Content-Type`; "x-unknown" if there is none.
    package var mimeType = ""
    /// The content, encoded by ``encoding``; `nil` if it wasn't recorded.
    package var text: String?
    /// The encoding of ``text``: "base64" for binary content, or `nil` for text.
    package var encoding: String?
    /// A comment by a user or a program.
    package var comment: String?
    /// Fields that aren't part of the specification: `_truncated`, `_file`, and those of other programs.
    package var customFields: [String: JSONValue] = [:]

    init() {}

    /// Makes text content.
    package init(mimeType: String, text: String? = nil) {
        self.mimeType = mimeType
        self.text = text
        size = Int64(text?.utf8.count ?? 0)
    }

    /// The content of an exchange whose content isn't in the archive.
    static var unknown: HARContent {
        var content = HARContent()
        content.mimeType = "x-unknown"
        return content
    }

    mutating func describe(_ members: inout HARMembers) {
        var known = members.isRead ? nil : size
        members.integer("size", &known)
        members.integer("compression", &compression)
        members.text("mimeType", &mimeType)
        members.text("text", &text)
        members.text("encoding", &encoding)
        if encoding?.isEmpty == true { encoding = nil }
        size = known ?? HARBytes.decode(text, encoding: encoding).map { Int64($0.count) } ?? -1
        members.text("comment", &comment)
    }
}

extension HARResponse: DescribedValue, RedactedDisplay {
    /// The status.
    package var words: String { "\(status)" }
}
