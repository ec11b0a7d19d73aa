import Foundation
import HTTPChainCore
import HTTPTypes

extension HARRequest {
    /// Makes the archived form of a request, with secrets redacted.
    ///
    /// Sent and recorded requests are compared in this form.
    init(
        _ head: HTTPRequest,
        url: String,
        content: StoredContent?,
        redaction: Redaction
    ) {
        self.init(method: head.method.rawValue, url: HARText.url(url, redaction))
        fields = HARText.fields(head.headerFields, redaction)
        cookies = HARText.cookies(in: fields)
        guard let content else {
            bodySize = 0
            return
        }
        bodySize = content.size
        HARText.adapt(&fields, to: content)
        guard content.bytes?.isEmpty == false || content.omission != nil || content.isTruncated else { return }
        var data = HARPostData(mimeType: fields.values(of: "content-type").first ?? "application/octet-stream")
        if let text = content.text {
            data.text = text.text
            data.encoding = text.encoding
        }
        data.comment = content.omission.map { "not recorded: \($0)" }
        if content.isTruncated { data.customFields["_truncated"] = true }
        postData = data
    }
}

extension HARResponse {
    /// Makes the archived form of a response, with secrets redacted.
    init(_ head: HTTPResponse, content: StoredContent, wireSize: Int64, redaction: Redaction) {
        self.init(status: head.status.code, statusText: redaction.text(head.status.reasonPhrase))
        fields = HARText.fields(head.headerFields, redaction)
        cookies = HARText.setCookies(in: fields)
        if let location = fields.values(of: "location").first, (300..<400).contains(status) { redirectURL = location }
        bodySize = wireSize
        HARText.adapt(&fields, to: content)
        self.content = HARContent(mimeType: fields.values(of: "content-type").first ?? "x-unknown")
        self.content.size = content.size
        if content.isDecoded, !content.isTruncated, wireSize >= 0 { self.content.compression = content.size - wireSize }
        if let text = content.text, !text.text.isEmpty {
            self.content.text = text.text
            self.content.encoding = text.encoding
        }
        self.content.comment = content.omission.map { "not recorded: \($0)" }
        if content.isTruncated { self.content.customFields["_truncated"] = true }
    }
}

/// The archived form of message parts.
enum HARText {
    /// The size to which URLs and field values are cut, in bytes.
    static let longest = 64 << 10

    /// Returns a URL without secrets and without characters that are invalid in URLs.
    static func url(_ url: String, _ redaction: Redaction) -> String {
        let placeholder = Redaction.placeholder.unicodeScalars
        let shown = redaction.url(url, upTo: longest)
        return String(shown.unicodeScalars.replacing(placeholder, with: "%3Credacted%3E".unicodeScalars))
    }

    /// Returns text without secrets.
    ///
    /// If all of it is a URL, as in the title of a page, it is redacted as a URL.
    static func textOrURL(_ text: String, _ redaction: Redaction) -> String {
        Redaction.isURL(text) ? url(text, redaction) : redaction.text(text)
    }

    static func fields(_ fields: HTTPFields, _ redaction: Redaction) -> [HARField] {
        fields.map { HARField(name: $0.name.rawName, value: redaction.value(of: $0, upTo: longest)) }
    }

    /// Adapts the fields that describe the content to the stored content.
    ///
    /// A length or digest of the original content would be wrong for redacted content.
    static func adapt(_ headers: inout [HARField], to content: StoredContent) {
        guard content.isRedacted || content.isDecoded else { return }
        for digest in ["content-digest", "repr-digest", "digest", "content-md5"] { headers.remove(digest) }
        let hadLength = !headers.values(of: "content-length").isEmpty
        headers.remove("content-length")
        if content.isRedacted, !content.isDecoded, !content.isTruncated, hadLength {
            headers.append(HARField(name: "Content-Length", value: "\(content.size)"))
        }
    }

    /// Returns the cookies of a request, or none if their values are secret.
    static func cookies(in headers: [HARField]) -> [HARCookie] {
        headers.values(of: "cookie").filter { $0 != Redaction.placeholder }.flatMap { value in
            value.pieces(at: ";").map { pair in
                let (name, value) = parts(of: pair)
                return HARCookie(name: name, value: value)
            }
        }
    }

    /// Returns the cookies set by a response, or none if their values are secret.
    static func setCookies(in headers: [HARField]) -> [HARCookie] {
        headers.values(of: "set-cookie").filter { $0 != Redaction.placeholder }.compactMap { value in
            var pieces = value.pieces(at: ";")[...]
            guard let pair = pieces.popFirst() else { return nil }
            let (name, value) = parts(of: pair)
            var cookie = HARCookie(name: name, value: value)
            for piece in pieces {
                let (attribute, value) = parts(of: piece)
                switch attribute.lowercased() {
                case "path": cookie.path = value
                case "domain": cookie.domain = value
                case "expires": cookie.expires = HTTPDate(value).map { HARDate.text($0.date) }
                case "httponly": cookie.httpOnly = true
                case "secure": cookie.secure = true
                default: break
                }
            }
            return cookie
        }
    }

    private static func parts(of pair: Substring) -> (name: String, value: String) {
        let halves = pair.pieces(at: "=", maxSplits: 1, omittingEmptySubsequences: false)
        return (
            (halves.first ?? "").trimming(),
            halves.count > 1 ? halves[1].trimming() : ""
        )
    }
}
