extension UInt8 {
    /// Whether the byte is white space of JSON, RFC 8259 §2.
    package var isJSONSpace: Bool { self == 0x20 || self == 0x09 || self == 0x0A || self == 0x0D }
}

extension Collection<UInt8> {
    /// Whether there is nothing but white space of JSON.
    package var isBlank: Bool { allSatisfy(\.isJSONSpace) }
}
