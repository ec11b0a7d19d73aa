#if Tracing
public import HTTPChainCore
import HTTPChainSupport

/// The values that an application sends together with a trace: the field `baggage` of W3C Baggage.
///
/// It is sent to every server that receives the trace context, so don't put confidential data in it.
public struct Baggage: Sendable, Hashable, CustomStringConvertible, DescribedValue {
    /// A name and its value.
    package struct Entry: Sendable, Hashable {
        /// The name, which is a token (RFC 9110 §5.6.2).
        package let name: String
        /// The value, decoded.
        package let value: String
        /// The properties after the value, unchanged, separated by semicolons.
        package let properties: String

        fileprivate var text: String {
            "\(name)=\(Baggage.encoded(value))" + (properties.isEmpty ? "" : ";\(properties)")
        }
    }

    /// The maximum number of entries (§3.3.2).
    package static let entryLimit = 64
    /// The maximum length of the field, in bytes (§3.3.2).
    package static let lengthLimit = 8192

    /// The entries, in order, with unique names.
    package private(set) var entries: [Entry] = []

    /// Reads the field's value.
    ///
    /// Without one, the baggage is empty.
    ///
    /// Multiple values must be joined with commas. Malformed entries, and those beyond the limits, are omitted. If a
    /// name is repeated, the last entry wins.
    public init(_ text: String = "") {
        var bytes = Array(text.utf8.prefix(Self.lengthLimit + 1))[...]
        if bytes.count > Self.lengthLimit {
            // The entry that crosses the limit is left out.
            bytes = bytes[..<(bytes.lastIndex(of: UInt8(ascii: ",")) ?? bytes.startIndex)]
        }
        for part in bytes.split(separator: UInt8(ascii: ",")) {
            let pieces = part.split(separator: UInt8(ascii: ";"), maxSplits: 1, omittingEmptySubsequences: false)
            guard let pair = pieces.first, let equals = pair.firstIndex(of: UInt8(ascii: "=")) else { continue }
            let name = pair[..<equals].trimmingSpace()
            let value = pair[(equals + 1)...].trimmingSpace()
            let properties = pieces.count > 1 ? pieces[1].trimmingSpace() : []
            guard Self.isToken(name), value.allSatisfy(Self.isOctet), let decoded = Self.decoded(value),
                properties.allSatisfy({ Self.isOctet($0) || ASCII.isSpace($0) || $0 == UInt8(ascii: ";") })
            else { continue }
            set(
                Entry(
                    name: String(decoding: name, as: UTF8.self),
                    value: decoded,
                    properties: String(decoding: properties, as: UTF8.self)
                )
            )
        }
    }

    /// The value with a name.
    ///
    /// Setting it to `nil` removes the entry.
    ///
    /// A value isn't set if the name isn't a token (RFC 9110 §5.6.2), or if the entry would exceed the limits of W3C
    /// Baggage: 64 entries and 8,192 bytes.
    public subscript(name: String) -> String? {
        get { entries.first { $0.name == name }?.value }
        set {
            if let newValue {
                if let entry = Entry(name: name, value: newValue) { set(entry) }
            } else {
                entries.removeAll { $0.name == name }
            }
        }
    }

    /// Adds an entry, replacing one with the same name.
    ///
    /// - Returns: Whether the entry was within the limits.
    @discardableResult
    package mutating func set(_ entry: Entry) -> Bool {
        var changed = entries
        if let index = changed.firstIndex(where: { $0.name == entry.name }) {
            changed[index] = entry
        } else {
            changed.append(entry)
        }
        let length = changed.reduce(-1) { $0 + $1.text.utf8.count + 1 }
        guard changed.count <= Self.entryLimit, length <= Self.lengthLimit else { return false }
        entries = changed
        return true
    }

    /// The value of the field.
    package var words: String { entries.map(\.text).joined(separator: ",") }

    fileprivate static func isToken(_ bytes: some Collection<UInt8>) -> Bool {
        !bytes.isEmpty && bytes.allSatisfy(ASCII.isTokenByte)
    }

    /// Whether a byte is a baggage-octet: printable, and not a space, quotation mark, comma, semicolon or backslash.
    private static func isOctet(_ byte: UInt8) -> Bool {
        ASCII.isVisible(byte) && !"\",;\\".utf8.contains(byte)
    }

    fileprivate static func encoded(_ value: String) -> String {
        String(percentEncoding: value.utf8) { isOctet($0) && $0 != UInt8(ascii: "%") }
    }

    /// Returns the value without percent-encoding.
    ///
    /// A `%` that doesn't begin a triplet is kept.
    ///
    /// - Returns: `nil` if the decoded value isn't UTF-8.
    private static func decoded(_ bytes: ArraySlice<UInt8>) -> String? {
        String(validUTF8: bytes.percentDecoded())
    }
}

extension Baggage.Entry {
    /// Makes an entry.
    ///
    /// - Returns: `nil` if the name isn't a token.
    package init?(name: String, value: String) {
        guard Baggage.isToken(name.utf8) else { return nil }
        self.init(name: name, value: value, properties: "")
    }
}
#endif
