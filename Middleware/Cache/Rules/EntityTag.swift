import HTTPChainSupport

/// An entity tag, RFC 9110 §8.8.3.
///
/// A tag without quotes, which some servers send despite the grammar, is accepted unchanged: it is only compared with
/// itself and sent back to its server.
struct EntityTag: Sendable, Hashable, CustomStringConvertible {
    let isWeak: Bool
    /// The tag with its quotes.
    let opaque: String

    init?(_ text: some StringProtocol) {
        let text = Substring(text).trimmed
        let strong = text.without(prefix: "W/")
        isWeak = strong != nil
        opaque = String(strong ?? text)
        guard !opaque.isEmpty else { return nil }
    }

    /// The tags of an `If-None-Match` list, without `*`.
    static func list(_ text: String) -> [EntityTag] {
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

    /// Weak comparison, RFC 9110 §8.8.3.2: for If-None-Match.
    func matchesWeakly(_ other: EntityTag) -> Bool { opaque.hasSameBytes(as: other.opaque) }

    /// Strong comparison: for ranges.
    func matchesStrongly(_ other: EntityTag) -> Bool { !isWeak && !other.isWeak && matchesWeakly(other) }

    var description: String { isWeak ? "W/" + opaque : opaque }
}
