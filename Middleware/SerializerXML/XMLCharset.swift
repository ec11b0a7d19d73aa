#if XML
import Foundation
import HTTPChainCore
import HTTPChainSerializer
import HTTPChainSupport

/// The charset of a `Content-Type`, RFC 7303 §3: it decides over what the document declares.
struct XMLCharset {
    /// Its name; nil where the type names none, and the document's own declaration holds.
    let name: String?

    init(_ contentType: String?) {
        name = MediaType(contentType)?.charset
    }

    /// A document in UTF-8 in the charset.
    func bytes(ofUTF8 document: Data) throws -> Data {
        guard let name, !Self.isUTF8(name) else { return document }
        return try TextCharset.data(of: String(decoding: document, as: UTF8.self), charset: name)
    }

    /// The document in UTF-8, without a declaration that says otherwise; unchanged if the type names no charset and the
    /// tags can be found in that of the document.
    func utf8(of document: Data) throws -> Data {
        guard let name = name ?? XMLNesting.unreadableEncoding(of: document) else { return document }
        if Self.isUTF8(name), !Self.declaresCharset(document) { return document }
        let text = try TextCharset.text(of: document, charset: name)
        guard text.begins(with: "<?xml"), let end = text.utf8.firstRange(of: "?>".utf8) else { return Data(text.utf8) }
        return Data(text.utf8[end.upperBound...])
    }

    private static func isUTF8(_ name: String) -> Bool { ["utf-8", "utf8"].contains(name.lowercased()) }

    private static func declaresCharset(_ document: Data) -> Bool {
        let head = document.prefix(200)
        return head.starts(with: [0xEF, 0xBB, 0xBF]) || head.range(of: Data("encoding".utf8)) != nil
    }
}
#endif
