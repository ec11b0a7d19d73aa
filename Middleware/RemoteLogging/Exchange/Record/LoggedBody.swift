import Foundation
package import HTTPChainCore
package import HTTPTypes

/// The logged beginning of a body: redacted text, or a description of other content.
package struct LoggedBody: Sendable, Hashable {
    /// A kind of body.
    package enum Kind: Sendable, Hashable {
        /// Text, which is shown.
        case text
        /// A multipart body.
        ///
        /// The names, types and sizes of its parts are shown.
        case multipart
        /// Any other content.
        ///
        /// Its type and size are shown.
        case binary
        /// A value that no serializer has encoded.
        ///
        /// Its type is shown.
        case value
    }

    /// The kind of the body.
    package var kind: Kind
    /// The text, or a description of content that isn't shown.
    package var text: String
    /// Whether the body is known to continue after the logged part.
    package var isTruncated: Bool

    /// Makes the logged form of a body.
    package init(_ kind: Kind, _ text: String, isTruncated: Bool = false) {
        self.kind = kind
        self.text = text
        self.isTruncated = isTruncated
    }
}

extension LoggedBody {
    /// Makes the logged form of a body, or returns `nil` if the body is empty.
    ///
    /// - Parameters:
    ///   - preview: The first bytes.
    ///   - size: The total size, if known.
    ///   - fields: The fields that describe the content.
    package init?(_ preview: BodyPreview, size: Int64?, fields: BodyFields, redaction: LogRedaction) {
        if preview.bytes.isEmpty, !preview.isTruncated || size == 0 { return nil }
        let total = size ?? (preview.isTruncated ? nil : Int64(preview.bytes.count))
        let type = MediaType(fields.type)
        if let coding = fields.coding, coding.lowercased() != "identity" {
            self.init(.binary, Self.description(of: type, total, coding: redaction.text(coding)))
            return
        }
        if let type, type.essence.begins(with: "multipart/"),
            let outline = MultipartOutline(preview, boundary: type.boundary)
        {
            self.init(.multipart, "\(type.essence): \(outline)", isTruncated: preview.isTruncated)
            return
        }
        guard Self.mayBeText(type), let text = preview.text, type != nil || !text.hasControlCharacters else {
            self.init(.binary, Self.description(of: type, total))
            return
        }
        let isForm = type?.essence == "application/x-www-form-urlencoded" || text.looksLikeForm
        let isCutOff = preview.isTruncated
        let shown = isForm ? redaction.form(text, isCutOff: isCutOff) : redaction.text(text, isCutOff: isCutOff)
        self.init(.text, shown, isTruncated: isCutOff)
    }

    /// Makes the logged form of a typed value.
    package init(value: any Encodable & Sendable) {
        self.init(.value, "value of type \(String(describing: Swift.type(of: value)))")
    }

    private static func description(of type: MediaType?, _ size: Int64?, coding: String? = nil) -> String {
        let kind = type?.essence.printable(upTo: 100) ?? "binary data"
        let length = size.map { "\($0) \($0 == 1 ? "byte" : "bytes")" } ?? "unknown length"
        return "\(kind), \(length)" + (coding.map { ", \($0.printable(upTo: 100))" } ?? "")
    }

    /// Returns whether content of a type is shown if it is text.
    ///
    /// A body that is a token isn't shown.
    private static func mayBeText(_ type: MediaType?) -> Bool {
        guard let essence = type?.essence else { return true }
        if essence == "image/svg+xml" { return true }
        return !hiddenTypes.contains(essence) && !essence.ends(with: "+jwt")
            && !hiddenKinds.contains(where: { essence.begins(with: $0) })
    }

    private static let hiddenKinds = ["image/", "audio/", "video/", "font/", "model/", "multipart/"]

    private static let hiddenTypes: Set<String> = [
        "application/cbor", "application/grpc", "application/gzip", "application/jose", "application/jwt",
        "application/octet-stream", "application/pdf", "application/pkcs8", "application/protobuf", "application/wasm",
        "application/x-pem-file", "application/x-pkcs12", "application/x-protobuf", "application/zip",
        "application/zstd",
    ]
}

/// The fields that describe a body.
package struct BodyFields: Sendable {
    package var type: String?
    package var coding: String?

    package init(_ fields: HTTPFields) {
        type = fields[.contentType]
        coding = fields[.contentEncoding]
    }
}

extension String {
    /// Whether the text may be a form with another content type: it consists of pairs without spaces, and is neither
    /// JSON nor markup.
    fileprivate var looksLikeForm: Bool {
        guard let first = utf8.first, !"{[<\"".utf8.contains(first), utf8.contains(UInt8(ascii: "=")) else {
            return false
        }
        return !utf8.contains { $0 <= 0x20 }
    }

    /// Whether the text contains a control character that doesn't occur in normal text.
    fileprivate var hasControlCharacters: Bool {
        unicodeScalars.contains { $0.properties.generalCategory == .control && !$0.endsLine && $0 != "\t" }
    }
}
