#if XML
import Foundation
import HTTPChainCore
import HTTPChainSerializer
import HTTPChainSupport

/// The charset of a `Content-Type`, RFC 7303 §3.
///
/// It overrides the document's declaration.
struct XMLCharset {
    /// The charset's name.
    ///
    /// If the type has none, it is `nil`, and the document's own declaration applies.
    let name: String?

    init(_ contentType: String?) {
        name = MediaType(contentType)?.charset
    }

    /// Returns a UTF-8 document, converted to the charset.
    func bytes(ofUTF8 document: Data) throws -> Data {
        guard let name, !Self.isUTF8(name) else { return document }
        return try TextCharset.data(of: String(decoding: document, as: UTF8.self), charset: name)
    }

    /// Returns the document in UTF-8, without a conflicting declaration.
    ///
    /// It is unchanged if the type has no charset and the tags can be found in the document's own encoding.
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
