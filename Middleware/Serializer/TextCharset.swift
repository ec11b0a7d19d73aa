package import Foundation
import HTTPChainSupport

/// Text bodies in the character encoding of their `charset` parameter.
package enum TextCharset {
    /// Decodes text according to its byte order mark, or otherwise `charset`, or otherwise as UTF-8.
    ///
    /// - Throws: ``SerializerError`` for an unknown charset, and for bytes that are invalid in the charset.
    package static func text(of data: Data, charset: String?) throws(SerializerError) -> String {
        if let text = CharacterEncoding.markedText(of: data) { return text }
        let name = charset ?? "utf-8"
        guard let encoding = CharacterEncoding.named(name) else { throw SerializerError(.unknownCharset(name)) }
        guard let text = String(data: data, encoding: encoding) else { throw SerializerError(.notInCharset(name)) }
        return text
    }

    /// Encodes text.
    ///
    /// - Throws: ``SerializerError`` for an unknown charset, and for text with characters that the charset lacks.
    package static func data(of text: String, charset: String) throws(SerializerError) -> Data {
        guard let encoding = CharacterEncoding.named(charset) else { throw SerializerError(.unknownCharset(charset)) }
        guard let data = text.data(using: encoding) else { throw SerializerError(.notInCharset(charset)) }
        return data
    }
}
