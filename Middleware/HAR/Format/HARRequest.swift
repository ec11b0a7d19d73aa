public import Foundation
package import HTTPChainCore

/// The request of an exchange.
public struct HARRequest: HARPart, Sendable, Hashable {
    /// The method.
    public var method = "GET"
    /// The absolute URL, without a fragment.
    public var url = ""
    /// The HTTP version as the program wrote it; "unknown" if it didn't.
    package var httpVersion = "unknown"
    /// The cookies sent.
    package var cookies: [HARCookie] = []
    /// The header fields, in order.
    package var fields: [HARField] = []
    /// The query parameters, decoded.
    package var queryString: [HARField] = []
    /// The content.
    package var postData: HARPostData?
    /// The size of the head, in bytes; -1 if unknown.
    package var headersSize: Int64 = -1
    /// The size of the content as sent, in bytes; -1 if unknown.
    public var bodySize: Int64 = -1
    /// A comment by a user or a program.
    package var comment: String?
    /// Fields that aren't part of the specification.
    package var customFields: [String: JSONValue] = [:]

    init() {}

    /// Makes a request with the query parameters of the URL.
    package init(method: String, url: String, headers: [HARField] = [], postData: HARPostData? = nil) {
        self.method = method
        self.url = url
        fields = headers
        self.postData = postData
        queryString = URLParts(url).query.map { HARField(name: $0.name, value: $0.value ?? "") }
    }

    /// The header fields, in order, in the letter case that the program wrote.
    public var headers: [(name: String, value: String)] { fields.map { ($0.name, $0.value) } }

    /// The values of a header field, in order; the name is case-insensitive.
    public func values(of field: String) -> [String] { fields.values(of: field) }

    /// The media type of the content, as in `Content-Type`; `nil` if there is none.
    public var contentType: String? { postData.flatMap { $0.mimeType.isEmpty ? nil : $0.mimeType } }

    /// The content, with text encoded as UTF-8.
    ///
    /// `nil` if the archive doesn't contain it: there was no content, it wasn't recorded, or it is in a separate file.
    public var body: Data? { postData.flatMap { HARBytes.decode($0.text, encoding: $0.encoding) } }

    /// The file next to the archive that contains the content, if there is one.
    var contentFile: String? {
        guard let data = postData, data.text?.isEmpty != false else { return nil }
        return data.customFields["_file"]?.string
    }

    mutating func describe(_ members: inout HARMembers) throws(HARError) {
        members.text("method", &method)
        guard members.text("url", &url) else { throw members.missing("url") }
        members.text("httpVersion", &httpVersion)
        try members.objects("cookies", &cookies)
        try members.objects("headers", &fields)
        try members.objects("queryString", &queryString)
        try members.object("postData", &postData)
        members.integer("headersSize", &headersSize)
        members.integer("bodySize", &bodySize)
        members.text("comment", &comment)
    }
}

/// The content of a request in the archive.
package struct HARPostData: HARPart, Sendable, Hashable {
    /// The media type, as in `Content-Type`.
    package var mimeType = ""
    /// The content as text.
    package var text: String?
    /// The parameters of a form, if a program wrote these instead of the text.
    package var params: [HARParameter] = []
    /// The encoding of ``text``: "base64" for binary content, or `nil` for text.
    ///
    /// HAR 1.2 defines this only for responses, so it is written as `_encoding`.
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
    }

    mutating func describe(_ members: inout HARMembers) throws(HARError) {
        members.text("mimeType", &mimeType)
        members.text("text", &text)
        try members.objects("params", &params, omitsEmpty: true)
        if members.isRead { members.text("encoding", &encoding) }
        members.text("comment", &comment)
        members.text("_encoding", &encoding)
        if encoding?.isEmpty == true { encoding = nil }
    }
}

extension HARPostData {
    /// Replaces the content with that of a file.
    mutating func fill(_ content: CapturedBody) {
        text = content.bytes.base64EncodedString()
        encoding = "base64"
        if content.isTruncated { customFields["_truncated"] = true }
    }
}

/// A parameter of a form.
package struct HARParameter: HARPart, Sendable, Hashable {
    /// The parameter's name.
    package var name = ""
    /// Its value, or the content of the file.
    package var value: String?
    /// The name of the file.
    package var fileName: String?
    /// The media type of the file.
    package var contentType: String?
    /// A comment by a user or a program.
    package var comment: String?
    /// Fields that aren't part of the specification.
    package var customFields: [String: JSONValue] = [:]

    init() {}

    /// Makes a parameter.
    package init(name: String, value: String?) {
        self.name = name
        self.value = value
    }

    mutating func describe(_ members: inout HARMembers) {
        members.text("name", &name)
        members.text("value", &value)
        members.text("fileName", &fileName)
        members.text("contentType", &contentType)
        members.text("comment", &comment)
    }
}

extension HARRequest: DescribedValue, RedactedDisplay {
    /// The method and the URL, with secrets redacted, because an archive of another program may contain them.
    package var words: String { "\(method.printable()) \(Redaction.standard.url(url).printable())" }
}
