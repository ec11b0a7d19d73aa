package import HTTPTypes

extension HTTPFields {
    /// Returns the reference in `Location` (RFC 9110 §10.2.2) with invalid characters percent-encoded, or `nil` if it is
    /// missing, empty, too long, or if there are several different ones.
    ///
    /// An empty reference names the requested resource (RFC 3986 §4.4), which can't be intended: a redirect would be a
    /// loop, and an upload has another URL than the one that creates uploads.
    ///
    /// - Parameter limit: The maximum length in bytes.
    package func locationReference(upTo limit: Int) -> String? {
        var found: [UInt8]?
        for field in self[fields: .location] {
            let bytes = field.withUnsafeBytesOfValue { Array($0.prefix(limit + 1)) }
            guard bytes.count <= limit else { return nil }
            // Duplicates are harmless. If two differ, one may have been injected.
            guard found == nil || found == bytes else { return nil }
            found = bytes
        }
        let reference = found.map { String(encodingReference: $0) }
        return reference == "" ? nil : reference
    }

    /// Whether there is no `Location`, or only empty ones.
    package var isLocationEmpty: Bool {
        self[fields: .location].allSatisfy { field in
            field.withUnsafeBytesOfValue { bytes in bytes.allSatisfy { $0 <= 0x20 } }
        }
    }
}
