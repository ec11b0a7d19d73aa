import HTTPChainSupport

/// An entity tag, RFC 9110 §8.8.3.
///
/// A tag without quotes, which some servers send despite the grammar, is accepted unchanged, because it is only
/// compared with itself and sent back to its server. Such a tag isn't strong.
package struct EntityTag: Sendable, Hashable, CustomStringConvertible {
    package let isWeak: Bool
    /// The tag with its quotes.
    let opaque: String

    package static func == (one: EntityTag, other: EntityTag) -> Bool {
        one.isWeak == other.isWeak && one.opaque.hasSameBytes(as: other.opaque)
    }

    package init?(_ text: some StringProtocol) {
        let text = text.trimming()
        let tag = text.without(prefix: "W/")
        isWeak = tag != nil
        opaque = tag.map(String.init) ?? text
        guard !opaque.isEmpty else { return nil }
    }

    /// Returns the tags of a list such as `If-None-Match`, without `*`.
    package static func list(_ text: String) -> [EntityTag] {
        var tags: [EntityTag] = []
        var member: [UInt8] = []
        var isQuoted = false
        func finish() {
            if let tag = EntityTag(String(decoding: member, as: UTF8.self)) { tags.append(tag) }
            member = []
        }
        for byte in text.utf8 {
            if byte == UInt8(ascii: "\"") { isQuoted.toggle() }
            if byte == UInt8(ascii: ","), !isQuoted { finish() } else { member.append(byte) }
        }
        finish()
        return tags
    }

    /// Whether it identifies a representation byte for byte (§8.8.1): a single tag in quotes that isn't weak.
    package var isStrong: Bool {
        let bytes = opaque.utf8
        return !isWeak && bytes.count >= 2 && bytes.first == UInt8(ascii: "\"") && bytes.last == UInt8(ascii: "\"")
            && !bytes.dropFirst().dropLast().contains(UInt8(ascii: "\""))
    }

    /// Compares weakly (§8.8.3.2), as for If-None-Match.
    package func matchesWeakly(_ other: EntityTag) -> Bool { opaque.hasSameBytes(as: other.opaque) }

    /// Compares strongly (§8.8.3.2), as for ranges and If-Match.
    package func matchesStrongly(_ other: EntityTag) -> Bool {
        isStrong && other.isStrong && matchesWeakly(other)
    }

    package var description: String { isWeak ? "W/" + opaque : opaque }
}
