#if Tracing
/// The state that the systems which a trace has passed keep in it: the field `tracestate` of W3C Trace Context, §3.3.
public struct TraceState: Sendable, Hashable, CustomStringConvertible {
    /// One system's part.
    public struct Member: Sendable, Hashable {
        /// The key of the vendor that the part belongs to.
        public let key: String
        /// The value, whose meaning only the systems of that key know.
        public let value: String

        /// Makes a part.
        ///
        /// - Returns: `nil` when key or value hold what they must not (§3.3.1.3).
        public init?(key: String, value: String) {
            guard TraceState.isKey(Array(key.utf8)[...]), TraceState.isValue(Array(value.utf8)[...]) else { return nil }
            self.key = key
            self.value = value
        }

        fileprivate init(checked key: ArraySlice<UInt8>, _ value: ArraySlice<UInt8>) {
            self.key = String(decoding: key, as: UTF8.self)
            self.value = String(decoding: value, as: UTF8.self)
        }
    }

    /// The most parts that there may be (§3.3.1.1).
    public static let memberLimit = 32
    /// The longest text that is read, in bytes: what 32 parts of the longest kind take, and some space between them.
    static let lengthLimit = 20_000

    /// The parts, the one that changed last first; no key twice, and no more than ``memberLimit``.
    public private(set) var members: [Member] = []

    /// Holds nothing.
    public init() {}

    /// Reads the value of the field, several values joined with commas.
    ///
    /// Of parts with the same key the first stays.
    ///
    /// - Returns: `nil` when any part is malformed, or there are more than ``memberLimit``: then none of it may be kept.
    public init?(_ text: String) {
        let bytes = Array(text.utf8)
        guard bytes.count <= Self.lengthLimit else { return nil }
        var count = 0
        for part in bytes.split(separator: UInt8(ascii: ",")) {
            let member = part.trimmingOWS()
            if member.isEmpty { continue }
            count += 1
            guard count <= Self.memberLimit, let equals = member.firstIndex(of: UInt8(ascii: "=")) else { return nil }
            let key = member[..<equals]
            let value = member[(equals + 1)...]
            guard Self.isKey(key), Self.isValue(value) else { return nil }
            let parsed = Member(checked: key, value)
            if !members.contains(where: { $0.key == parsed.key }) { members.append(parsed) }
        }
    }

    /// The part of a key.
    public subscript(key: String) -> String? { members.first { $0.key == key }?.value }

    /// Puts a part first, in the place of that with the same key; the last one goes when there are too many (§3.3.1.4).
    public mutating func update(_ member: Member) {
        members.removeAll { $0.key == member.key }
        members.insert(member, at: 0)
        if members.count > Self.memberLimit { members.removeLast() }
    }

    /// The value of the field.
    public var description: String { members.map { "\($0.key)=\($0.value)" }.joined(separator: ",") }

    /// `( lcalpha / DIGIT ) 0*255( lcalpha / DIGIT / "_" / "-" / "*" / "/" / "@" )`, Level 2.
    fileprivate static func isKey(_ bytes: ArraySlice<UInt8>) -> Bool {
        guard let first = bytes.first, bytes.count <= 256, first.isLowerOrDigit else { return false }
        return bytes.allSatisfy { $0.isLowerOrDigit || "_-*/@".utf8.contains($0) }
    }

    /// Printable characters without comma and equals sign, up to 256, a space not at the end.
    fileprivate static func isValue(_ bytes: ArraySlice<UInt8>) -> Bool {
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
