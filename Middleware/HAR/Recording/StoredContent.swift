import Foundation
import HTTPChainCore

/// The part of a body that was read, as the original chunks without copying.
struct CapturedBody: Sendable {
    var chunks: [Data] = []
    /// The number of bytes that were read.
    var count: Int64 = 0
    /// Whether the body has more bytes than ``chunks``.
    var isTruncated = false

    var bytes: Data {
        if chunks.count == 1, let only = chunks.first { return only.startIndex == 0 ? only : Data(only) }
        return chunks.reduce(into: Data()) { $0.append($1) }
    }
}

/// The archived form of content: decoded and redacted, as text or base64.
struct StoredContent: Sendable, Hashable {
    /// The content, or `nil` if it must not or can't be stored.
    var bytes: Data?
    /// Whether ``bytes`` are valid UTF-8 and represent the same text in the charset of the media type.
    var isText = true
    /// The size of the decoded content.
    ///
    /// If it was redacted, the size of the stored content.
    var size: Int64
    var isTruncated: Bool
    var isRedacted = false
    /// Whether a content coding was removed.
    var isDecoded = false
    /// The reason why there are no bytes.
    var omission: String?

    /// The text in the archive, and its encoding.
    var text: (text: String, encoding: String?)? {
        guard let bytes else { return nil }
        return isText ? (String(decoding: bytes, as: UTF8.self), nil) : (bytes.base64EncodedString(), "base64")
    }

    /// - Parameters:
    ///   - body: The part of the body that was read.
    ///   - type: The value of `Content-Type`.
    ///   - codings: The value of `Content-Encoding`.
    ///   - limit: The maximum number of bytes stored.
    init(_ body: CapturedBody, type: String?, codings: String?, redaction: Redaction, limit: Int) {
        size = body.count
        isTruncated = body.isTruncated
        var content = body.bytes
        if let codings, !content.isEmpty {
            guard let decoded = ContentDecoding.decode(content, codings: codings, limit: limit) else {
                let codings = redaction.text(codings, upTo: Redaction.longestShown)
                omission = "its content coding \(codings) cannot be decoded here, so that secrets in it would stay"
                isTruncated = true
                return
            }
            isDecoded = decoded.bytes != content
            content = decoded.bytes
            isTruncated = isTruncated || decoded.isTruncated
            if !isTruncated { size = Int64(content.count) }
        }
        let media = MediaType(type)
        redact(content, media, redaction)
        // Text in an archive is interpreted in its charset.
        if isText, let bytes, let charset = media?.charset,
            HARBytes.encoded(String(decoding: bytes, as: UTF8.self), in: charset) != bytes
        {
            isText = false
        }
        if isRedacted, !isTruncated { size = Int64(bytes?.count ?? 0) }
    }

    private mutating func redact(_ content: Data, _ type: MediaType?, _ redaction: Redaction) {
        if let type, Self.isSecret(type), !content.isEmpty {
            bytes = Data(Redaction.placeholder.utf8)
            isRedacted = true
            return
        }
        if let text = BodyPreview(content, isTruncated: isTruncated).text {
            let isForm = type?.essence == "application/x-www-form-urlencoded"
            let redacted =
                isForm ? redaction.form(text, isCutOff: isTruncated) : redaction.text(text, isCutOff: isTruncated)
            isRedacted = redacted != text
            bytes = isRedacted ? Data(redacted.utf8) : Data(text.utf8)
            return
        }
        isText = false
        bytes = content
        guard let type, Self.isTextual(type) else { return }
        // The text is in another encoding, or has binary parts. The names and formats of secrets are ASCII in all such
        // encodings.
        let encoding: String.Encoding = type.charset?.lowercased().begins(with: "utf-16") == true ? .utf16 : .isoLatin1
        guard let text = String(data: content, encoding: encoding) else { return }
        let redacted = redaction.text(text, isCutOff: isTruncated)
        guard redacted != text, let changed = redacted.data(using: encoding) else { return }
        bytes = changed
        isRedacted = true
    }

    /// Whether the whole content is a secret.
    private static func isSecret(_ type: MediaType) -> Bool {
        type.essence.ends(with: "+jwt")
            || [
                "application/jose", "application/jwt", "application/pkcs8", "application/x-pem-file",
                "application/x-pkcs12",
            ].contains(type.essence)
    }

    private static func isTextual(_ type: MediaType) -> Bool {
        let essence = type.essence
        return essence.begins(with: "text/") || essence.begins(with: "multipart/") || essence.ends(with: "+json")
            || essence.ends(with: "+xml")
            || [
                "application/json", "application/xml", "application/x-www-form-urlencoded", "application/graphql",
                "application/javascript", "application/x-ndjson",
            ].contains(essence)
    }
}
