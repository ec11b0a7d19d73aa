import HTTPChainSupport

/// A query's parameters in HTML form encoding, for `@query-param` (RFC 9421 §2.2.8).
enum QueryParameters {
    /// Returns the re-encoded values of all parameters with a name.
    ///
    /// - Parameters:
    ///   - name: The encoded name.
    ///   - query: The query without its question mark.
    static func values(of name: String, in query: some StringProtocol) -> [String] {
        query.utf8.split(separator: UInt8(ascii: "&")).compactMap { pair in
            let end = pair.firstIndex(of: UInt8(ascii: "="))
            guard encode(decode(pair[..<(end ?? pair.endIndex)])) == name else { return nil }
            guard let end else { return "" }
            return encode(decode(pair[pair.index(after: end)...]))
        }
    }

    /// Percent-encodes everything except letters, digits and `*-._` (the URL Standard's
    /// application/x-www-form-urlencoded percent-encode set).
    static func encode(_ bytes: [UInt8]) -> String {
        String(percentEncoding: bytes) { ASCII.isAlphanumeric($0) || "*-._".utf8.contains($0) }
    }

    private static func decode(_ bytes: some Collection<UInt8>) -> [UInt8] {
        Array(bytes).percentDecoded(plusIsSpace: true)
    }
}
