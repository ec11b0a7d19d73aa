extension String {
    /// Makes text from UTF-8 (RFC 3629); returns `nil` if the bytes are invalid.
    ///
    /// `String(validating:as:)` does the same, but needs macOS 15 or iOS 18.
    package init?(validUTF8 bytes: some Collection<UInt8>) {
        let text = String(decoding: bytes, as: UTF8.self)
        guard text.utf8.elementsEqual(bytes) else { return nil }
        self = text
    }

    /// Makes text from ISO 8859-1, in which every byte is the character with its number.
    package init(latin1 bytes: some Collection<UInt8>) {
        self.init(String.UnicodeScalarView(bytes.lazy.map { Unicode.Scalar($0) }))
    }
}
