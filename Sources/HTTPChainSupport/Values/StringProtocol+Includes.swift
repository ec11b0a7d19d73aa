extension StringProtocol {
    /// Whether the UTF-8 bytes contain the bytes of another string.
    package func includes(_ part: some StringProtocol) -> Bool { utf8.contains(part.utf8) }
}
