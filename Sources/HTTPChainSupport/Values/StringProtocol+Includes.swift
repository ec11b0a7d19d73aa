extension StringProtocol {
    /// Whether the UTF-8 bytes contain the bytes of another string.
    package func includes(_ part: some StringProtocol) -> Bool { utf8.contains(part.utf8) }
}

extension Collection<UInt8> {
    /// The same as `contains(where:)`, but for text in a quarter of the time.
    @inlinable
    package func includes(where isFound: (UInt8) -> Bool) -> Bool {
        withContiguousStorageIfAvailable { $0.contains(where: isFound) } ?? contains(where: isFound)
    }
}
