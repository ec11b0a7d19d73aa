import Foundation
public import HTTPChainCore
import HTTPTypes

extension HARArchive {
    /// Returns the archive with secrets redacted everywhere: in URLs, header fields, cookies, parameters, contents,
    /// comments, and the fields of other programs.
    ///
    /// Binary content, numbers, and dates are unchanged. Lengths and digests of changed content are corrected or
    /// removed.
    public func redacted(by redaction: Redaction = .standard) -> HARArchive {
        var archive = self
        archive.program = redaction.creator(program)
        archive.browser = browser.map(redaction.creator)
        archive.entries = entries.map { $0.redacted(by: redaction) }
        archive.pages = pages.map(redaction.page)
        archive.comment = comment.map(redaction.text)
        archive.customFields = redaction.members(customFields)
        return archive
    }
}

extension HAREntry {
    /// Returns the entry with secrets redacted everywhere.
    package func redacted(by redaction: Redaction = .standard) -> HAREntry {
        var entry = self
        entry.pageref = pageref.map { HARText.textOrURL($0, redaction) }
        entry.request = request.redacted(by: redaction)
        entry.response = response.redacted(by: redaction)
        entry.cache = redaction.value(cache)
        entry.durations.redactAside(by: redaction)
        entry.serverIPAddress = serverIPAddress.map(redaction.text)
        entry.connection = connection.map(redaction.text)
        entry.redactAside(by: redaction)
        return entry
    }
}

extension HARRequest {
    /// Returns the request with secrets redacted everywhere.
    package func redacted(by redaction: Redaction = .standard) -> HARRequest {
        var request = self
        request.url = HARText.url(url, redaction)
        request.fields = fields.map(redaction.headerField)
        request.cookies = cookies.map { redaction.cookie($0, field: "cookie") }
        request.queryString = queryString.map(redaction.queryParameter)
        request.redactAside(by: redaction)
        guard var data = postData else { return request }
        let type = data.mimeType.isEmpty ? fields.values(of: "content-type").first : data.mimeType
        // In the text of multipart content, `code` and `key` aren't secrets, just as in other text.
        let isMultipart = MediaType(type)?.essence.begins(with: "multipart/") == true
        data.params = data.params.map { redaction.formParameter($0, isMultipart: isMultipart) }
        if let content = StoredContent(data.text, data.encoding, type, data.isTruncated, redaction), content.isRedacted,
            let text = content.text
        {
            data.text = text.text
            data.encoding = text.encoding
            HARText.adapt(&request.fields, to: content)
        }
        data.mimeType = redaction.text(data.mimeType)
        data.redactAside(by: redaction)
        request.postData = data
        return request
    }
}

extension HARResponse {
    /// Returns the response with secrets redacted everywhere.
    package func redacted(by redaction: Redaction = .standard) -> HARResponse {
        var response = self
        response.statusText = redaction.text(statusText)
        response.fields = fields.map(redaction.headerField)
        response.cookies = cookies.map { redaction.cookie($0, field: "set-cookie") }
        response.redirectURL = HARText.url(redirectURL, redaction)
        response.redactAside(by: redaction)
        response.content.mimeType = redaction.text(content.mimeType)
        response.content.redactAside(by: redaction)
        let isTruncated = content.isTruncated
        if let stored = StoredContent(content.text, content.encoding, content.mimeType, isTruncated, redaction),
            stored.isRedacted, let text = stored.text
        {
            response.content.text = text.text
            response.content.encoding = text.encoding
            response.content.size = stored.size
            HARText.adapt(&response.fields, to: stored)
        }
        return response
    }
}

extension HARPostData {
    /// Whether only the beginning of the content was recorded.
    package var isTruncated: Bool { customFields["_truncated"]?.bool == true }
}

extension HARContent {
    /// Whether only the beginning of the content was recorded.
    package var isTruncated: Bool { customFields["_truncated"]?.bool == true }
}

extension HARPart {
    /// Redacts the comment and the fields of other programs.
    fileprivate mutating func redactAside(by redaction: Redaction) {
        comment = comment.map(redaction.text)
        customFields = redaction.members(customFields)
    }
}

extension StoredContent {
    /// Makes the stored form of content in an archive, or returns `nil` if there is none.
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
    /// Returns the bytes, or `nil` if there is no text or it's invalid in its encoding.
    ///
    /// - Parameters:
    ///   - text: The text in an archive.
    ///   - encoding: The encoding of the text: "base64", or `nil` for text.
    ///   - type: The media type, whose `charset` is used to encode text. UTF-8 if it has none or an unsupported one.
    static func decode(_ text: String?, encoding: String?, type: String? = nil) -> Data? {
        guard let text else { return nil }
        guard encoding?.lowercased() == "base64" else {
            return MediaType(type)?.charset.flatMap { encoded(text, in: $0) } ?? Data(text.utf8)
        }
        return Data(base64Encoded: text, options: .ignoreUnknownCharacters)
    }

    /// Encodes text in a charset, or returns `nil` if the charset isn't supported or lacks characters.
    static func encoded(_ text: String, in charset: String) -> Data? {
        CharacterEncoding.named(charset).flatMap { text.data(using: $0) }
    }
}

extension Redaction {
    fileprivate func creator(_ creator: HARCreator) -> HARCreator {
        var creator = creator
        creator.name = text(creator.name)
        creator.version = text(creator.version)
        creator.redactAside(by: self)
        return creator
    }

    fileprivate func page(_ page: HARPage) -> HARPage {
        var page = page
        // Entries refer to the page by this text, which is redacted in the same way there.
        page.id = HARText.textOrURL(page.id, self)
        page.title = HARText.textOrURL(page.title, self)
        page.pageTimings = value(page.pageTimings)
        page.redactAside(by: self)
        return page
    }

    fileprivate func headerField(_ field: HARField) -> HARField {
        var field = field
        if let name = HTTPField.Name(field.name) {
            let values = field.lines.map { value(of: HTTPField(name: name, value: $0)) }
            field.value = values.joined(separator: "\n")
        } else if field.name.begins(with: ":") {
            // The field is an HTTP/2 pseudo-header field, as Chrome writes it.
            field.value = url(field.value)
        } else {
            field.value = isSecret(name: field.name) ? Self.placeholder : text(field.value)
        }
        field.redactAside(by: self)
        return field
    }

    fileprivate func queryParameter(_ field: HARField) -> HARField {
        var field = field
        field.value = isSecret(pairName: field.name) ? Self.placeholder : text(field.value)
        field.redactAside(by: self)
        return field
    }

    fileprivate func formParameter(_ parameter: HARParameter, isMultipart: Bool) -> HARParameter {
        var parameter = parameter
        let isSecret = isMultipart ? isSecret(name: parameter.name) : isSecret(pairName: parameter.name)
        parameter.value = parameter.value.map { isSecret ? Self.placeholder : text($0) }
        parameter.fileName = parameter.fileName.map(text)
        parameter.contentType = parameter.contentType.map(text)
        parameter.redactAside(by: self)
        return parameter
    }

    fileprivate func cookie(_ cookie: HARCookie, field: String) -> HARCookie {
        var cookie = cookie
        let isSecretField = HTTPField.Name(field).map { isSecret($0) } ?? true
        cookie.value = isSecretField || isSecret(name: cookie.name) ? Self.placeholder : text(cookie.value)
        cookie.path = cookie.path.map { HARText.url($0, self) }
        cookie.domain = cookie.domain.map(authority)
        cookie.redactAside(by: self)
        return cookie
    }
}
