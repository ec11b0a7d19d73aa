import HTTPChainSupport

/// The domains under which anyone can register names, such as `com` and `co.uk`: https://publicsuffix.org.
///
/// Both parts of the list apply: the one of the registries, and the one of companies that rent out names. The rules are
/// part of the program, sorted, and searched in place, so that nothing is loaded.
public enum PublicSuffixList {
    /// The version of the list: the date on which it was copied.
    public static var version: String { PublicSuffixRules.version }

    /// Whether a domain is a public suffix, for which no cookie may be set.
    ///
    /// A name without a rule is a public suffix if it has a single label.
    ///
    /// - Parameter domain: A host name. Non-ASCII names may be written either way. A trailing dot is ignored: `com.` is
    ///   a public suffix, like `com`.
    public static func isPublicSuffix(_ domain: String) -> Bool {
        guard let domain = URLHost(domain[...]), !domain.isAddress else { return false }
        return suffix(of: domain).map { $0 == domain.withoutRootDot.text } ?? false
    }

    /// Returns the public suffix of a host with one more label, which is the part that one owner can register.
    ///
    /// - Parameter host: A host name. Non-ASCII names may be written either way.
    /// - Returns: Nil for a public suffix, an address, or a text that isn't a host name. Non-ASCII labels are A-labels
    ///   (`xn--…`), and a trailing dot is kept.
    public static func registrableDomain(of host: String) -> String? {
        URLHost(host[...]).flatMap { registrableDomain(of: $0) }
    }

    static func registrableDomain(of host: URLHost) -> String? {
        let name = host.withoutRootDot.text
        guard !host.isAddress, let suffix = suffix(of: host), suffix.utf8.count < name.utf8.count else { return nil }
        let rest = name.utf8.dropLast(suffix.utf8.count + 1)
        let label = rest.lastIndex(of: UInt8(ascii: ".")).map { rest[rest.index(after: $0)...] } ?? rest
        return String(host.text[label.startIndex...])
    }

    /// Returns the public suffix that a host has or is, without a trailing dot; nil for a name with an empty label.
    static func suffix(of host: URLHost) -> Substring? {
        var bytes = host.withoutRootDot.text.utf8[...]
        guard !bytes.isEmpty, bytes.first != dot, bytes.last != dot else { return nil }
        var rest: Substring.UTF8View? = bytes
        while let name = rest {
            bytes = name
            rest = name.firstIndex(of: dot).map { name[name.index(after: $0)...] }
            guard rest?.isEmpty != true, rest?.first != dot else { return nil }
            let rule = rule(for: name)
            if rule == .exception { return rest.map { Substring($0) } }
            if rule == .exact || rule == .both { return Substring(name) }
            if let rest, let parent = self.rule(for: rest), parent == .wildcard || parent == .both {
                return Substring(name)
            }
        }
        return Substring(bytes)
    }

    private static var dot: UInt8 { 0x2E }

    private enum Rule {
        case exact, wildcard, both, exception
    }

    /// Looks up a name in the sorted lines.
    private static func rule(for name: Substring.UTF8View) -> Rule? {
        var name = Substring(name)
        return name.withUTF8 { name in PublicSuffixRules.text.withUTF8Buffer { rule(for: name, in: $0) } }
    }

    private static func rule(for name: UnsafeBufferPointer<UInt8>, in text: UnsafeBufferPointer<UInt8>) -> Rule? {
        let label = name.prefix { $0 != dot }
        let parent = name.dropFirst(label.count + 1)
        // The search range for the last line that begins at or before the name.
        var low = 0
        var high = text.count
        while true {
            var middle = (low + high) / 2
            while middle > low, text[middle - 1] != lineFeed { middle -= 1 }
            if middle == low {
                middle = (text[low..<high].firstIndex(of: lineFeed) ?? high) + 1
                guard middle < high else { break }
            }
            let first = text[middle...].prefix { $0 != colon }
            let isAfter =
                first.elementsEqual(parent)
                ? label.lexicographicallyPrecedes(text[(first.endIndex + 2)...].prefix(while: isNameByte))
                : parent.lexicographicallyPrecedes(first)
            if isAfter { high = middle } else { low = middle }
        }
        var isParent = false
        while low < high {
            let word = text[low..<high].prefix { $0 > space }
            low = word.endIndex + 1
            if word.last == colon {
                isParent = word.dropLast().elementsEqual(parent)
            } else if isParent, word.prefix(while: isNameByte).elementsEqual(label) {
                return switch word.last {
                case UInt8(ascii: "*"): .wildcard
                case UInt8(ascii: "+"): .both
                case UInt8(ascii: "!"): .exception
                default: .exact
                }
            }
        }
        return nil
    }

    private static var space: UInt8 { 0x20 }
    private static var lineFeed: UInt8 { 0x0A }
    private static var colon: UInt8 { 0x3A }

    /// Whether a byte is a part of a label, not a mark or a space after a label.
    private static func isNameByte(_ byte: UInt8) -> Bool {
        byte > UInt8(ascii: "+")
    }
}
