extension StringProtocol {
    /// The bytes of a received structured field (RFC 9651).
    ///
    /// If it has more than 2,048 members and parameters, it counts as malformed, and this is `nil`.
    ///
    /// The parser compares each key with all keys before it, so a field of 64 KB would take seconds. Parsers must
    /// support 1,024 members (RFC 9651 §3.1, §3.2).
    package var structuredFieldBytes: [UInt8]? {
        let bytes = Array(utf8)
        Steps.take(bytes.count)
        let separators = bytes.reduce(0) { $0 + ($1 == UInt8(ascii: ",") || $1 == UInt8(ascii: ";") ? 1 : 0) }
        return separators < 2048 ? bytes : nil
    }
}
