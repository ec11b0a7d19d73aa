#if Tracing
import HTTPChainSupport

/// The state of the systems along a trace: the field `tracestate` of W3C Trace Context, §3.3.
package struct TraceState: Sendable, Hashable, CustomStringConvertible {
    /// The entry of one system.
    package struct Member: Sendable, Hashable {
        /// The key of the vendor that owns the entry.
        package let key: String
        /// The value, which only systems with that key understand.
        package let value: String
    }

    /// The maximum number of entries (§3.3.1.1).
    package static let memberLimit = 32
    /// The maximum length that is read, in bytes: 32 entries of maximum length, and some space between them.
    static let lengthLimit = 20_000

    /// The entries, of which the most recently changed is first.
    ///
    /// Keys are unique, and there are at most ``memberLimit`` entries.
    package private(set) var members: [Member] = []

    /// Makes an empty state.
    package init() {}

    /// Reads the field's value.
    ///
    /// Multiple values must be joined with commas.
    ///
    /// If a key is repeated, the first entry wins.
    ///
    /// - Returns: `nil` if an entry is malformed or there are more than ``memberLimit``, because then the whole field
    ///   must be discarded.
    package init?(_ text: String) {
        let bytes = Array(text.utf8)
        guard bytes.count <= Self.lengthLimit else { return nil }
        var count = 0
        for part in bytes.split(separator: UInt8(ascii: ",")) {
            let member = part.trimmingSpace()
            if member.isEmpty { continue }
            count += 1
            guard count <= Self.memberLimit, let equals = member.firstIndex(of: UInt8(ascii: "=")) else { return nil }
            let key = member[..<equals]
            let value = member[(equals + 1)...]
            guard Self.isKey(key), Self.isValue(value) else { return nil }
            let parsed = Member(
                key: String(decoding: key, as: UTF8.self),
                value: String(decoding: value, as: UTF8.self)
            )
            if !members.contains(where: { $0.key == parsed.key }) { members.append(parsed) }
        }
    }

    /// The value of the field.
    package var description: String { members.map { "\($0.key)=\($0.value)" }.joined(separator: ",") }

    /// `( lcalpha / DIGIT ) 0*255( lcalpha / DIGIT / "_" / "-" / "*" / "/" / "@" )`, Level 2.
    private static func isKey(_ bytes: ArraySlice<UInt8>) -> Bool {
        guard let first = bytes.first, bytes.count <= 256, first.isLowerOrDigit else { return false }
        return bytes.allSatisfy { $0.isLowerOrDigit || "_-*/@".utf8.contains($0) }
    }

    /// Returns whether these are up to 256 printable characters, without commas and equals signs and not ending with a
    /// space.
    private static func isValue(_ bytes: ArraySlice<UInt8>) -> Bool {
        guard let last = bytes.last, bytes.count <= 256, last != 0x20 else { return false }
        return bytes.allSatisfy {
            (0x20...0x7E).contains($0) && $0 != UInt8(ascii: ",") && $0 != UInt8(ascii: "=")
        }
    }
}

extension UInt8 {
    fileprivate var isLowerOrDigit: Bool {
        (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(self)
            || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(self)
    }
}
#endif
