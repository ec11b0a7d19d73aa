extension UInt8 {
    /// Whether the byte is JSON white space, RFC 8259 §2.
    package var isJSONSpace: Bool { self == 0x20 || self == 0x09 || self == 0x0A || self == 0x0D }
}

extension Collection<UInt8> {
    /// Whether there are no bytes other than JSON white space.
    package var isBlank: Bool { allSatisfy(\.isJSONSpace) }
}
