import Foundation

/// Whether the platform has decoded a content coding that only newer versions of it know.
///
/// The platform leaves `Content-Encoding` in the head whether it has or not; the content itself tells.
enum DecodedContent {
    /// Whether the content has to be seen first: of the codings, the one that was applied last is known by its content.
    static func showsInContent(_ codings: [String]) -> Bool { codings.last == "zstd" }

    /// The number of bytes that tell.
    static let magicLength = 4

    /// Whether content that began so was decoded.
    ///
    /// - Parameter beginning: The first bytes; if the content has fewer than ``magicLength``, all of it.
    static func isDecoded(_ beginning: some Collection<UInt8>) -> Bool {
        let magic = Array(beginning.prefix(magicLength))
        guard magic.count == magicLength else { return !magic.isEmpty }
        // RFC 8878 §3.1: a frame, or a skippable one, whose first byte may be any of sixteen.
        let isSkippable = magic[0] & 0xF0 == 0x50 && magic.dropFirst() == [0x2A, 0x4D, 0x18]
        return magic != [0x28, 0xB5, 0x2F, 0xFD] && !isSkippable
    }
}
