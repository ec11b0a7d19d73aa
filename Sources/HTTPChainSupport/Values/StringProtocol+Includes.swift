extension StringProtocol {
    /// Whether the UTF-8 bytes contain those of another text.
    package func includes(_ part: some StringProtocol) -> Bool { utf8.contains(part.utf8) }
}
