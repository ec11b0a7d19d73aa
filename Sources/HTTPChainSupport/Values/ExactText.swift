extension String {
    /// Whether both texts are the same bytes of UTF-8.
    ///
    /// `==` calls `"caf\u{e9}"` and `"cafe\u{301}"` equal, which are two names on the wire: URLs, paths, field values,
    /// cookie names and partitions are compared by this.
    package func hasSameBytes(as other: String) -> Bool {
        guard utf8.count == other.utf8.count else { return false }
        let areSame = utf8.withContiguousStorageIfAvailable { own in
            other.utf8.withContiguousStorageIfAvailable { own.elementsEqual($0) }
        }
        return (areSame ?? nil) ?? utf8.elementsEqual(other.utf8)
    }
}

extension StringProtocol {
    /// Whether the bytes of UTF-8 begin with those of another text.
    ///
    /// `hasPrefix` compares `Character`s: `"/\u{301}"` does not have the prefix `"/"`.
    package func begins(with prefix: some StringProtocol) -> Bool { utf8.starts(with: prefix.utf8) }

    /// Whether the bytes of UTF-8 end with those of another text.
    package func ends(with suffix: some StringProtocol) -> Bool {
        utf8.suffix(suffix.utf8.count).elementsEqual(suffix.utf8)
    }

    /// Whether the bytes of UTF-8 of another text are among those of this one.
    package func includes(_ part: some StringProtocol) -> Bool { utf8.contains(part.utf8) }

    /// The text after a prefix; `nil` if the bytes of UTF-8 do not begin with it.
    package func without(prefix: some StringProtocol) -> SubSequence? {
        begins(with: prefix) ? self[utf8.index(startIndex, offsetBy: prefix.utf8.count)...] : nil
    }

    /// The text before a suffix; `nil` if the bytes of UTF-8 do not end with it.
    package func without(suffix: some StringProtocol) -> SubSequence? {
        ends(with: suffix) ? self[..<utf8.index(endIndex, offsetBy: -suffix.utf8.count)] : nil
    }

    /// The texts between the occurrences of a scalar, as `split(separator:)` returns them for a `Character`.
    package func pieces(
        at separator: Unicode.Scalar,
        maxSplits: Int = .max,
        omittingEmptySubsequences: Bool = true
    ) -> [Substring] {
        Substring(self).unicodeScalars
            .split(separator: separator, maxSplits: maxSplits, omittingEmptySubsequences: omittingEmptySubsequences)
            .map { Substring($0) }
    }

    /// The text without the scalars at its ends that a condition holds for; without spaces and tabs by default.
    package func trimming(_ isTrimmed: (Unicode.Scalar) -> Bool = { $0 == " " || $0 == "\t" }) -> String {
        var scalars = Substring(self).unicodeScalars
        while let first = scalars.first, isTrimmed(first) { scalars.removeFirst() }
        while let last = scalars.last, isTrimmed(last) { scalars.removeLast() }
        return String(scalars)
    }
}

extension Optional<String> {
    /// Whether both are missing, or the same bytes of UTF-8.
    package func hasSameBytes(as other: String?) -> Bool {
        guard let self, let other else { return self == nil && other == nil }
        return self.hasSameBytes(as: other)
    }
}

/// Text as a key that is compared byte by byte; see ``Swift/String/hasSameBytes(as:)``.
package struct ExactText: Sendable, Hashable {
    /// The text.
    package let text: String

    /// Takes the text.
    package init(_ text: String) {
        self.text = text
    }

    /// Whether the bytes are the same.
    package static func == (one: ExactText, other: ExactText) -> Bool { one.text.hasSameBytes(as: other.text) }

    // The hash of the text itself serves: the same bytes have the same one.
    package func hash(into hasher: inout Hasher) { hasher.combine(text) }
}
