package import Foundation
import HTTPChainSupport

/// Text bodies in the character encoding of their `charset` parameter.
package enum TextCharset {
    /// Decodes text: by the byte order mark if there is one, then `charset`, then UTF-8.
    ///
    /// - Throws: ``SerializerError`` for an unknown charset, and for bytes that are invalid in it.
    package static func text(of data: Data, charset: String?) throws(SerializerError) -> String {
        for (mark, encoding) in marks where data.starts(with: mark) {
            guard let text = String(data: data.dropFirst(mark.count), encoding: encoding) else { break }
            return text
        }
        let name = charset ?? "utf-8"
        guard let encoding = CharacterEncoding.named(name) else { throw SerializerError(.unknownCharset(name)) }
        guard let text = String(data: data, encoding: encoding) else { throw SerializerError(.notInCharset(name)) }
        return text
    }

    /// Encodes text.
    ///
    /// - Throws: ``SerializerError`` for an unknown charset, and for text that it lacks characters for.
    package static func data(of text: String, charset: String) throws(SerializerError) -> Data {
        guard let encoding = CharacterEncoding.named(charset) else { throw SerializerError(.unknownCharset(charset)) }
        guard let data = text.data(using: encoding) else { throw SerializerError(.notInCharset(charset)) }
        return data
    }

    private static let marks: [([UInt8], String.Encoding)] = [
        ([0xEF, 0xBB, 0xBF], .utf8), ([0xFF, 0xFE, 0x00, 0x00], .utf32LittleEndian),
        ([0x00, 0x00, 0xFE, 0xFF], .utf32BigEndian), ([0xFF, 0xFE], .utf16LittleEndian),
        ([0xFE, 0xFF], .utf16BigEndian),
    ]
}
