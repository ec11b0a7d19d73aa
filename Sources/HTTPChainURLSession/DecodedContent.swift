import Foundation

/// Detects whether the platform has decoded a content coding that only its newer versions support.
///
/// The platform leaves `Content-Encoding` in the head in both cases, so only the content shows whether it was decoded.
package enum DecodedContent {
    /// Whether the content must be inspected.
    ///
    /// This is so if the coding that was applied last can be recognized by its content.
    package static func showsInContent(_ codings: [String]) -> Bool { codings.last == "zstd" }

    /// The number of bytes needed.
    static let magicLength = 4

    /// Whether content with this beginning was decoded.
    ///
    /// - Parameter beginning: The first bytes of the content, or all of them if there are fewer than ``magicLength``.
    package static func isDecoded(_ beginning: some Collection<UInt8>) -> Bool {
        let magic = Array(beginning.prefix(magicLength))
        guard magic.count == magicLength else { return !magic.isEmpty }
        // RFC 8878 §3.1: a frame, or a skippable frame, which begins with any of sixteen bytes.
        let isSkippable = magic[0] & 0xF0 == 0x50 && magic.dropFirst() == [0x2A, 0x4D, 0x18]
        return magic != [0x28, 0xB5, 0x2F, 0xFD] && !isSkippable
    }
}
