import HTTPChainSupport

/// The parameters of a query, as HTML forms encode them, for `@query-param` (RFC 9421 §2.2.8).
enum QueryParameters {
    /// The values of the parameters with a name, each encoded anew.
    ///
    /// - Parameters:
    ///   - name: The name, encoded.
    ///   - query: The query without its question mark.
    static func values(of name: String, in query: some StringProtocol) -> [String] {
        query.utf8.split(separator: UInt8(ascii: "&")).compactMap { pair in
            let end = pair.firstIndex(of: UInt8(ascii: "="))
            guard encode(decode(pair[..<(end ?? pair.endIndex)])) == name else { return nil }
            guard let end else { return "" }
            return encode(decode(pair[pair.index(after: end)...]))
        }
    }

    /// Bytes with all but letters, digits and `*-._` percent-encoded (the URL Standard's
    /// application/x-www-form-urlencoded percent-encode set).
    static func encode(_ bytes: [UInt8]) -> String {
        String(percentEncoding: bytes) { ASCII.isAlphanumeric($0) || "*-._".utf8.contains($0) }
    }

    private static func decode(_ bytes: some Collection<UInt8>) -> [UInt8] {
        Array(bytes).percentDecoded(plusIsSpace: true)
    }
}
