import HTTPChainSupport
package import HTTPTypes

/// The canonical form of a request for an AWS signature (AWS Signature Version 4, "Create a canonical request").
package struct AWSCanonicalRequest {
    /// The form of the path that a service signs.
    package enum Path {
        /// The path unchanged and encoded once, for S3.
        case exact
        /// The normalized path, encoded once more than it is sent, for all other services.
        case normalized
    }

    package let text: String
    /// The names of the signed fields, in order.
    let signedFields: String

    /// - Parameters:
    ///   - head: The request, with an absolute target.
    ///   - path: The service's form of paths.
    ///   - fields: The signed fields, in addition to `Host`.
    ///   - payload: The hash of the content, or the text used instead.
    package init(_ head: HTTPRequest, path: Path, fields: HTTPFields, payload: String) throws(SigningError) {
        guard let scheme = head.scheme, let authority = head.authority, let target = head.path else {
            throw SigningError(.unsupportedTarget("it is not absolute"))
        }
        let end = target.utf8.firstIndex(of: UInt8(ascii: "?")) ?? target.endIndex
        let query = Substring(target.utf8[end...].dropFirst())
        let (lines, names) = Self.fields(fields, host: Self.host(authority, scheme: scheme))
        signedFields = names
        text = """
            \(head.method.rawValue)
            \(Self.path(target[..<end], path))
            \(Self.query(query))
            \(lines)

            \(names)
            \(payload)
            """
    }

    /// Returns a target that every server interprets as it was signed.
    ///
    /// Some servers treat a plus sign in a query, or in an S3 path, as a space. Therefore, everything that is
    /// percent-encoded in the canonical form is sent percent-encoded. Parameters keep their order, and no equals signs
    /// are added.
    static func unambiguous(_ target: String, _ rule: Path) -> String {
        let end = target.utf8.firstIndex(of: UInt8(ascii: "?")) ?? target.endIndex
        // Other services sign the path in the form in which it is sent.
        let path = rule == .exact ? Self.path(target[..<end], rule) : String(target[..<end])
        guard end < target.endIndex else { return path }
        let pairs = parameters(target[target.utf8.index(after: end)...])
        return path + "?" + pairs.map { $0.name + ($0.value.map { "=\($0)" } ?? "") }.joined(separator: "&")
    }

    // MARK: Path

    package static func path(_ path: some StringProtocol, _ rule: Path) -> String {
        switch rule {
        case .exact:
            // S3 decodes the path, keeps its slashes, and signs the result.
            let segments = path.utf8.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
            let encoded = segments.map { encode(Array($0).percentDecoded()) }.joined(separator: "/")
            return encoded.isEmpty ? "/" : encoded
        case .normalized:
            var segments: [Substring.UTF8View.SubSequence] = []
            let parts = Substring(path).utf8.split(separator: UInt8(ascii: "/"))
            for part in parts {
                if part.elementsEqual("..".utf8) {
                    _ = segments.popLast()
                } else if !part.elementsEqual(".".utf8) {
                    segments.append(part)
                }
            }
            let joined = segments.map { encode(Array($0)) }.joined(separator: "/")
            return "/" + joined + (Substring(path).utf8.last == UInt8(ascii: "/") && !joined.isEmpty ? "/" : "")
        }
    }

    /// Percent-encodes everything except unreserved characters (RFC 3986 §2.3).
    package static func encode(_ bytes: [UInt8]) -> String {
        String(percentEncoding: bytes, keeping: ASCII.isUnreserved)
    }

    // MARK: Query

    /// Returns the parameters, re-encoded and sorted by name, then by value.
    package static func query(_ query: some StringProtocol) -> String {
        let pairs = parameters(query).map { (name: $0.name, value: $0.value ?? "") }
        // The bytes are compared, because Swift orders strings differently.
        func precedes(_ one: String, _ other: String) -> Bool { one.utf8.lexicographicallyPrecedes(other.utf8) }
        return pairs.sorted { $0.name == $1.name ? precedes($0.value, $1.value) : precedes($0.name, $1.name) }
            .map { "\($0.name)=\($0.value)" }.joined(separator: "&")
    }

    /// Returns the re-encoded names and values, without empty pairs.
    private static func parameters(_ query: some StringProtocol) -> [(name: String, value: String?)] {
        query.utf8.split(separator: UInt8(ascii: "&")).map { pair in
            let name = pair.prefix { $0 != UInt8(ascii: "=") }
            let value = name.endIndex < pair.endIndex ? pair[name.endIndex...].dropFirst() : nil
            return (encode(Array(name).percentDecoded()), value.map { encode(Array($0).percentDecoded()) })
        }
    }

    // MARK: Fields

    private static func fields(_ fields: HTTPFields, host: String) -> (lines: String, names: String) {
        var values: [String: String] = ["host": host]
        for field in fields {
            let name = field.name.canonicalName
            guard name != "host" else { continue }
            let value = collapsed(field.value)
            values[name] = values[name].map { "\($0),\(value)" } ?? value
        }
        let sorted = values.sorted { $0.key.utf8.lexicographicallyPrecedes($1.key.utf8) }
        return (
            sorted.map { "\($0.key):\($0.value)" }.joined(separator: "\n"),
            sorted.map(\.key).joined(separator: ";")
        )
    }

    /// Returns the value without leading and trailing spaces, and with single spaces inside.
    private static func collapsed(_ value: String) -> String {
        value.unicodeScalars.split { $0 == " " || $0 == "\t" }.map { String($0) }.joined(separator: " ")
    }

    /// Returns the host as a transport sends it, without a default port.
    private static func host(_ authority: String, scheme: String) -> String {
        let suffix = scheme == "https" ? ":443" : ":80"
        return authority.without(suffix: suffix).map { String($0) } ?? authority
    }
}
