extension String {
    /// The text of bytes that are UTF-8 (RFC 3629); `nil` for others.
    ///
    /// `String(validating:as:)` does the same, from macOS 15 and iOS 18 on.
    package init?(validUTF8 bytes: some Collection<UInt8>) {
        let text = String(decoding: bytes, as: UTF8.self)
        guard text.utf8.elementsEqual(bytes) else { return nil }
        self = text
    }
}
