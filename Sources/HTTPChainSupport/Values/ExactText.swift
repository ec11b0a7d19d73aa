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
