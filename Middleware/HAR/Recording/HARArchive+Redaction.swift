import Foundation
public import HTTPChainCore
import HTTPTypes

extension HARArchive {
    /// Returns the archive with secrets redacted everywhere: in URLs, header fields, cookies, parameters, contents, and
    /// the fields of other programs.
    ///
    /// Binary content is unchanged. Lengths and digests of changed content are corrected or removed.
    public func redacted(by redaction: Redaction = .standard) -> HARArchive {
        var archive = self
        archive.entries = entries.map { $0.redacted(by: redaction) }
        archive.pages = pages.map { page in
            var page = page
            page.title = HARText.url(page.title, redaction)
            page.customFields = redaction.values(page.customFields)
            return page
        }
        archive.comment = comment.map(redaction.text)
        archive.customFields = redaction.values(customFields)
        return archive
    }
}

extension HAREntry {
    /// Returns the entry with secrets redacted everywhere.
    public func redacted(by redaction: Redaction = .standard) -> HAREntry {
        var entry = self
        entry.request = request.redacted(by: redaction)
        entry.response = response.redacted(by: redaction)
        entry.comment = comment.map(redaction.text)
        entry.customFields = redaction.values(customFields)
        return entry
    }
}

extension HARRequest {
    /// Returns the request with secrets redacted everywhere.
    public func redacted(by redaction: Redaction = .standard) -> HARRequest {
        var request = self
        request.url = HARText.url(url, redaction)
        request.headers = redaction.harFields(headers)
        request.cookies = cookies.map { redaction.cookie($0, field: "cookie") }
        request.queryString = queryString.map { field in
            var field = field
            field.value = redaction.isSecret(pairName: field.name) ? Redaction.placeholder : redaction.text(field.value)
            return field
        }
        request.comment = comment.map(redaction.text)
        request.customFields = redaction.values(customFields)
        guard var data = postData else { return request }
        data.params = data.params.map { parameter in
            var parameter = parameter
            parameter.value = parameter.value.map {
                redaction.isSecret(name: parameter.name) ? Redaction.placeholder : redaction.text($0)
            }
            return parameter
        }
        let type = data.mimeType.isEmpty ? headers.values(of: "content-type").first : data.mimeType
        if let content = StoredContent(data.text, data.encoding, type, data.isTruncated, redaction), content.isRedacted,
            let text = content.text
        {
            data.text = text.text
            data.encoding = text.encoding
            HARText.adapt(&request.headers, to: content)
        }
        data.comment = data.comment.map(redaction.text)
        data.customFields = redaction.values(data.customFields)
        request.postData = data
        return request
    }
}

extension HARResponse {
    /// Returns the response with secrets redacted everywhere.
    public func redacted(by redaction: Redaction = .standard) -> HARResponse {
        var response = self
        response.headers = redaction.harFields(headers)
        response.cookies = cookies.map { redaction.cookie($0, field: "set-cookie") }
        response.redirectURL = HARText.url(redirectURL, redaction)
        response.comment = comment.map(redaction.text)
        response.customFields = redaction.values(customFields)
        response.content.comment = content.comment.map(redaction.text)
        response.content.customFields = redaction.values(content.customFields)
        let isTruncated = content.isTruncated
        if let stored = StoredContent(content.text, content.encoding, content.mimeType, isTruncated, redaction),
            stored.isRedacted, let text = stored.text
        {
            response.content.text = text.text
            response.content.encoding = text.encoding
            response.content.size = stored.size
            HARText.adapt(&response.headers, to: stored)
        }
        return response
    }
}

extension HARPostData {
    /// Whether only the beginning of the content was recorded.
    var isTruncated: Bool { customFields["_truncated"]?.bool == true }
}

extension HARContent {
    /// Whether only the beginning of the content was recorded.
    public var isTruncated: Bool { customFields["_truncated"]?.bool == true }
}

extension StoredContent {
    /// Makes the stored form of content in an archive; nil if there is none.
    fileprivate init?(
        _ text: String?,
        _ encoding: String?,
        _ type: String?,
        _ isTruncated: Bool,
        _ redaction: Redaction
    ) {
        guard let bytes = HARBytes.decode(text, encoding: encoding) else { return nil }
        let body = CapturedBody(chunks: [bytes], count: Int64(bytes.count), isTruncated: isTruncated)
        self.init(body, type: type, codings: nil, redaction: redaction, limit: .max)
        // Text in an archive is already decoded from its charset.
        if encoding == nil { isText = true }
    }
}

/// The bytes of content in an archive.
enum HARBytes {
    /// Returns the bytes; nil if there is no text, or it's invalid in its encoding.
    ///
    /// - Parameters:
    ///   - text: The text in an archive.
    ///   - encoding: Its encoding: "base64", or nil for text.
    ///   - type: The media type, whose `charset` is used to encode text; UTF-8 if it has none that is supported.
    static func decode(_ text: String?, encoding: String?, type: String? = nil) -> Data? {
        guard let text else { return nil }
        guard encoding?.lowercased() == "base64" else {
            return MediaType(type)?.charset.flatMap { encoded(text, in: $0) } ?? Data(text.utf8)
        }
        return Data(base64Encoded: text, options: .ignoreUnknownCharacters)
    }

    /// Encodes text in a charset; nil if that isn't supported or lacks characters.
    static func encoded(_ text: String, in charset: String) -> Data? {
        CharacterEncoding.named(charset).flatMap { text.data(using: $0) }
    }
}

extension Redaction {
    fileprivate func harFields(_ fields: [HARField]) -> [HARField] {
        fields.map { field in
            var field = field
            if let name = HTTPField.Name(field.name) {
                let values = field.lines.map { value(of: HTTPField(name: name, value: $0)) }
                field.value = values.joined(separator: "\n")
            } else if field.name.begins(with: ":") {
                // An HTTP/2 pseudo-header field, as Chrome writes it.
                field.value = url(field.value)
            } else {
                field.value = isSecret(name: field.name) ? Self.placeholder : text(field.value)
            }
            return field
        }
    }

    fileprivate func cookie(_ cookie: HARCookie, field: String) -> HARCookie {
        var cookie = cookie
        let isSecretField = HTTPField.Name(field).map { isSecret($0) } ?? true
        if isSecretField || isSecret(name: cookie.name) { cookie.value = Self.placeholder }
        cookie.customFields = values(cookie.customFields)
        return cookie
    }

    /// JSON members with secrets redacted.
    fileprivate func values(_ members: [String: JSONValue]) -> [String: JSONValue] {
        if members.isEmpty { return members }
        return Dictionary(
            members.map { name, value in
                (name, isSecret(name: name) ? .string(Self.placeholder) : self.value(value))
            }
        ) { _, last in last }
    }

    private func value(_ value: JSONValue) -> JSONValue {
        switch value {
        case .null, .bool, .integer, .number: value
        case .string(let text): .string(text.includes("://") ? url(text) : self.text(text))
        case .array(let elements): .array(elements.map(self.value))
        case .object(let members): .object(values(members))
        }
    }
}
