#if YAML
import HTTPChainSupport

/// The aliases of a YAML file, counted before it is parsed.
///
/// Text in quotes and comments is included, so that the numbers are upper bounds.
package struct YAMLAliases {
    /// The number of aliases.
    private(set) var count = 0
    /// Whether a key may be an alias or a collection.
    private(set) var mayBeKeys = false

    /// The last byte that isn't a space; after a comment, it is a comma, because one may precede the comment.
    private var last = UInt8(ascii: "\n")
    /// Whether there have been only plain texts and aliases since "[", so that a comma separates elements, not members.
    private var isInSequence = false
    private var hasOpened = false
    private var hasComment = false
    /// Whether a colon at this point would make a key of an alias or a collection.
    private var hasEnded = false

    package init(_ text: String) {
        let bytes = Array(text.utf8)
        var index = 0
        while index < bytes.count {
            Steps.take()
            let before = index == 0 ? UInt8(ascii: "\n") : bytes[index - 1]
            if bytes[index] == UInt8(ascii: "*"), Self.maySeparate(before),
                let end = Self.nameEnd(in: bytes, from: index + 1)
            {
                count += 1
                beginNode()
                (last, hasEnded) = (bytes[index], true)
                index = end
                continue
            }
            let after = index + 1 == bytes.count ? UInt8(ascii: "\n") : bytes[index + 1]
            read(bytes[index], between: before, after)
            index += 1
        }
    }

    /// Returns the end of the name of an alias; nil if libyaml rejects the name.
    private static func nameEnd(in bytes: [UInt8], from start: Int) -> Int? {
        let end = bytes[start...].firstIndex { !isName($0) } ?? bytes.count
        Steps.take(end - start)
        guard end > start, end < bytes.count else { return end > start ? end : nil }
        let next = bytes[end]
        return YAMLShape.isSpace(next) || next >= 0x80 || "?:,]}%@`".utf8.contains(next) ? end : nil
    }

    private mutating func read(_ byte: UInt8, between before: UInt8, _ after: UInt8) {
        if YAMLShape.isSpace(byte) {
            if byte == UInt8(ascii: "\n") || byte == UInt8(ascii: "\r") {
                endLine()
                hasComment = false
            }
            return
        }
        let begins = Self.maySeparate(before)
        switch byte {
        case UInt8(ascii: "["), UInt8(ascii: "{"):
            beginNode()
            isInSequence = byte == UInt8(ascii: "[")
            hasOpened = true
        case UInt8(ascii: "&"), UInt8(ascii: "!"):
            if begins { beginNode() }
            isInSequence = false
        case UInt8(ascii: "?"):
            isInSequence = false
            guard begins else {
                (last, hasEnded) = (UInt8(ascii: "a"), false)
                return
            }
            if YAMLShape.isSpace(after) || after >= 0x80 { mayBeKeys = true }
        case UInt8(ascii: ":"):
            if hasEnded { mayBeKeys = true }
            isInSequence = false
        case UInt8(ascii: ","): break
        default:
            if byte == UInt8(ascii: "#") { hasComment = true }
            if !Self.isName(byte) { isInSequence = false }
        }
        last = byte
        hasEnded = byte == UInt8(ascii: "]") || byte == UInt8(ascii: "}")
        // Some line breaks aren't ASCII characters.
        if byte >= 0x80 { endLine() }
    }

    /// Records an alias or a collection; it is a key after "{", "?", or a comma between members.
    private mutating func beginNode() {
        switch last {
        case UInt8(ascii: "{"), UInt8(ascii: "?"): mayBeKeys = true
        case UInt8(ascii: ","): if !isInSequence { mayBeKeys = true }
        default: break
        }
    }

    private mutating func endLine() {
        guard hasComment, hasOpened else { return }
        isInSequence = false
        last = UInt8(ascii: ",")
    }

    /// Whether a value may begin after a byte.
    private static func maySeparate(_ byte: UInt8) -> Bool {
        YAMLShape.isSpace(byte) || byte >= 0x80 || "[{,:-?".utf8.contains(byte)
    }

    /// Whether a byte may be in the name of an alias.
    private static func isName(_ byte: UInt8) -> Bool {
        ASCII.isAlphanumeric(byte) || byte == UInt8(ascii: "_") || byte == UInt8(ascii: "-")
    }
}
#endif
