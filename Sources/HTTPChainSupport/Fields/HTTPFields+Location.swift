package import HTTPTypes

extension HTTPFields {
    /// Returns the reference in `Location` (RFC 9110 §10.2.2) with invalid characters percent-encoded, or `nil` if it is
    /// missing, empty, too long, or if there are several different ones.
    ///
    /// An empty reference names the requested resource (RFC 3986 §4.4), which the server can't mean: a redirect would go
    /// in a circle, and an upload isn't at the URL that creates uploads.
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

    /// Whether each `Location` is empty, or there is none.
    package var isLocationEmpty: Bool {
        self[fields: .location].allSatisfy { field in
            field.withUnsafeBytesOfValue { bytes in bytes.allSatisfy { $0 <= 0x20 } }
        }
    }
}
