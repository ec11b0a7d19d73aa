import Foundation
public import HTTPTypes

/// What counts as a secret, and how it is blotted out of errors, traces and logs.
public struct Redaction: Sendable, Hashable {
    /// What stands in place of a secret.
    public static let placeholder = "<redacted>"

    /// Header fields whose values are never shown, in lower case.
    public var fieldNames: Set<String>
    /// Query parameters whose values are never shown, in lower case.
    public var queryNames: Set<String>
    /// Members of JSON, XML and forms in bodies whose values are never shown, in lower case.
    public var memberNames: Set<String>

    /// Makes rules from names; letter case does not matter.
    ///
    /// - Parameters:
    ///   - fieldNames: Header fields.
    ///   - queryNames: Query parameters.
    ///   - memberNames: Members of bodies; the names of query parameters when `nil`.
    public init(
        fieldNames: some Sequence<String>,
        queryNames: some Sequence<String>,
        memberNames: (some Sequence<String>)? = nil as [String]?
    ) {
        self.fieldNames = Set(fieldNames.map { $0.lowercased() })
        self.queryNames = Set(queryNames.map { $0.lowercased() })
        self.memberNames = memberNames.map { Set($0.map { $0.lowercased() }) } ?? self.queryNames
    }

    /// The fields, parameters and members that carry credentials by standard or by habit.
    ///
    /// `code` and `key` are secrets in a query (RFC 6749 §4.1.2); in bodies they are mostly an error's code and the key
    /// of an entry, and are shown.
    public static let standard = Redaction(
        fieldNames: [
            "authorization", "proxy-authorization", "cookie", "set-cookie", "authentication-info",
            "proxy-authentication-info", "x-api-key", "api-key", "apikey", "x-auth-token", "x-access-token",
            "x-csrf-token", "x-xsrf-token", "x-session-token", "x-amz-security-token", "x-goog-api-key", "dpop",
        ],
        queryNames: secretNames + ["code", "key"],
        memberNames: secretNames
    )

    private static let secretNames = [
        "access_token", "api_key", "apikey", "api-key", "auth", "client_secret", "id_token", "password", "passwd",
        "private_key", "pwd", "refresh_token", "secret", "session", "sid", "sig", "signature", "token",
        "x-amz-credential", "x-amz-security-token", "x-amz-signature", "x-goog-credential", "x-goog-signature",
    ]

    /// Whether a header field's value is a secret.
    public func isSecret(_ name: HTTPField.Name) -> Bool {
        fieldNames.contains(name.canonicalName)
    }

    /// The field's value, or the placeholder when it is a secret.
    public func value(of field: HTTPField) -> String {
        isSecret(field.name) ? Self.placeholder : field.value
    }

    /// The same fields with secret values blotted out.
    public func fields(_ fields: HTTPFields) -> HTTPFields {
        var result = HTTPFields()
        for field in fields {
            result.append(isSecret(field.name) ? HTTPField(name: field.name, value: Self.placeholder) : field)
        }
        return result
    }

    /// The URL without user information and with secret query values blotted out.
    public func url(_ url: String) -> String {
        // Delimiters are looked for byte by byte: a combining character after one must not hide the secret behind it.
        var text = url
        if let start = Self.authorityStart(in: text) {
            let authority = text.utf8[start...].prefix { !"/?#".utf8.contains($0) }
            if let at = authority.lastIndex(of: UInt8(ascii: "@")) {
                text.replaceSubrange(start..<at, with: Self.placeholder)
            }
        }
        guard let question = text.utf8.firstIndex(of: UInt8(ascii: "?")) else { return text }
        let queryStart = text.utf8.index(after: question)
        let query = text.utf8[queryStart...]
        let pairs = query.split(separator: UInt8(ascii: "&"), omittingEmptySubsequences: false).map { pair in
            guard let equals = pair.firstIndex(of: UInt8(ascii: "=")),
                queryNames.contains((String(Substring(pair[..<equals])).removingPercentEncoding ?? "").lowercased())
            else { return String(Substring(pair)) }
            return String(Substring(pair[...equals])) + Self.placeholder
        }
        return String(Substring(text.utf8[..<queryStart])) + pairs.joined(separator: "&")
    }

    /// Where the bytes after the first two slashes begin.
    private static func authorityStart(in text: String) -> String.Index? {
        var previous: UInt8?
        for index in text.utf8.indices {
            let byte = text.utf8[index]
            if byte == UInt8(ascii: "/"), previous == byte { return text.utf8.index(after: index) }
            previous = byte
        }
        return nil
    }
}
