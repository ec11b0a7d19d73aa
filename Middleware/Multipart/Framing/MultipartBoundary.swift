package import HTTPChainCore
import HTTPChainSupport

/// The text that separates the parts of a multipart body, RFC 2046 §5.1.1.
///
/// A random boundary has 192 random bits, so it needn't be searched for in the content, and a body of any size can be
/// framed without reading it first.
package struct MultipartBoundary: Sendable, Hashable, CustomStringConvertible {
    /// The boundary without its leading dashes.
    package let text: String

    /// Makes a custom boundary.
    ///
    /// The caller must ensure that it doesn't occur in any part.
    ///
    /// - Parameter text: 1 to 70 ASCII letters, digits, spaces and any of `'()+_,-./:=?`, not ending with a space.
    /// - Throws: ``MultipartError`` for anything else.
    package init(_ text: String) throws(MultipartError) {
        if let reason = Self.flaw(of: text) { throw MultipartError(.invalidBoundary(text, reason: reason)) }
        self.text = text
    }

    private init(unchecked text: String) {
        self.text = text
    }

    /// Makes a boundary from 192 random bits, as 58 characters that need no quotes.
    ///
    /// - Parameter random: The source of the bits; `request.environment.random` in a stage.
    package static func random(from random: any RandomSource) -> MultipartBoundary {
        MultipartBoundary(unchecked: "HTTPChain-" + String(decoding: random.bytes(24).hexadecimal, as: UTF8.self))
    }

    /// The boundary as the parameter of a Content-Type, quoted if it isn't a token (RFC 9110 §5.6.6).
    package var parameterValue: String {
        // Within quotes, no character of a boundary needs a backslash.
        text.utf8.allSatisfy(ASCII.isTokenByte) ? text : "\"\(text)\""
    }

    /// The boundary.
    package var description: String { text }

    private static func flaw(of text: String) -> String? {
        guard (1...70).contains(text.utf8.count) else { return "it must have 1 to 70 characters" }
        guard text.utf8.last != UInt8(ascii: " ") else { return "it must not end with a space" }
        guard text.utf8.allSatisfy(isBoundaryByte) else {
            return "only letters, digits, spaces and any of '()+_,-./:=? are allowed"
        }
        return nil
    }

    private static func isBoundaryByte(_ byte: UInt8) -> Bool {
        ASCII.isAlphanumeric(byte) || "'()+_,-./:=? ".utf8.contains(byte)
    }
}
