import Foundation

extension String {
    /// Whether both strings have the same UTF-8 bytes.
    ///
    /// `==` treats `"caf\u{e9}"` and `"cafe\u{301}"` as equal, although they are different names on the wire. Use this
    /// method to compare URLs, paths, field values, cookie names and partitions.
    package func hasSameBytes(as other: String) -> Bool {
        guard utf8.count == other.utf8.count else { return false }
        let areSame = utf8.withContiguousStorageIfAvailable { own in
            other.utf8.withContiguousStorageIfAvailable { other in
                guard let first = own.baseAddress, let second = other.baseAddress else { return true }
                return memcmp(first, second, own.count) == 0
            }
        }
        return (areSame ?? nil) ?? utf8.elementsEqual(other.utf8)
    }
}

// These methods are inlinable, so that they are specialized for the type of the text. Otherwise the runtime's look-ups
// would take longer than the comparison.
extension StringProtocol {
    /// Whether the UTF-8 bytes start with the bytes of another string.
    ///
    /// `hasPrefix` compares `Character`s: `"/\u{301}"` doesn't have the prefix `"/"`.
    @inlinable
    package func begins(with prefix: some StringProtocol) -> Bool { utf8.starts(with: prefix.utf8) }

    /// Whether the UTF-8 bytes end with the bytes of another string.
    @inlinable
    package func ends(with suffix: some StringProtocol) -> Bool {
        utf8.suffix(suffix.utf8.count).elementsEqual(suffix.utf8)
    }

    /// Returns the text after a prefix, or `nil` if the UTF-8 bytes don't start with it.
    @inlinable
    package func without(prefix: some StringProtocol) -> SubSequence? {
        begins(with: prefix) ? self[utf8.index(startIndex, offsetBy: prefix.utf8.count)...] : nil
    }

    /// Returns the text before a suffix, or `nil` if the UTF-8 bytes don't end with it.
    @inlinable
    package func without(suffix: some StringProtocol) -> SubSequence? {
        ends(with: suffix) ? self[..<utf8.index(endIndex, offsetBy: -suffix.utf8.count)] : nil
    }

    /// Splits the text at a scalar, like `split(separator:)` does for a `Character`.
    package func pieces(
        at separator: Unicode.Scalar,
        maxSplits: Int = .max,
        omittingEmptySubsequences: Bool = true
    ) -> [Substring] {
        Steps.take(utf8.count)
        return Substring(self).unicodeScalars
            .split(separator: separator, maxSplits: maxSplits, omittingEmptySubsequences: omittingEmptySubsequences)
            .map { Substring($0) }
    }

    /// Returns the text without leading and trailing scalars that satisfy a condition, by default spaces and tabs.
    package func trimming(_ isTrimmed: (Unicode.Scalar) -> Bool = { $0 == " " || $0 == "\t" }) -> String {
        var scalars = Substring(self).unicodeScalars
        while let first = scalars.first, isTrimmed(first) { scalars.removeFirst() }
        while let last = scalars.last, isTrimmed(last) { scalars.removeLast() }
        return String(scalars)
    }
}

extension Optional<String> {
    /// Whether both strings are nil, or have the same UTF-8 bytes.
    package func hasSameBytes(as other: String?) -> Bool {
        guard let self, let other else { return self == nil && other == nil }
        return self.hasSameBytes(as: other)
    }
}

extension Sequence<String> {
    /// Whether both have as many strings, in order and with the same UTF-8 bytes.
    package func haveSameBytes(as other: some Sequence<String>) -> Bool {
        elementsEqual(other) { $0.hasSameBytes(as: $1) }
    }
}

/// A text key that is compared by bytes; see ``Swift/String/hasSameBytes(as:)``.
package struct ExactText: Sendable, Hashable {
    /// The text.
    package let text: String

    /// Makes a key from text.
    package init(_ text: String) {
        self.text = text
    }

    /// Whether the bytes are the same.
    package static func == (one: ExactText, other: ExactText) -> Bool { one.text.hasSameBytes(as: other.text) }

    // Equal bytes have equal hashes, so the text's own hash suffices.
    package func hash(into hasher: inout Hasher) { hasher.combine(text) }
}
