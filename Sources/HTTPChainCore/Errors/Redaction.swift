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
        "access_key", "access_token", "api_key", "apikey", "api-key", "api_token", "assertion", "auth", "auth_token",
        "client_assertion", "client_secret", "code_verifier", "csrf_token", "device_code", "id_token", "jwt", "otp",
        "passphrase", "password", "passwd", "private_key", "pwd", "refresh_token", "secret", "secret_access_key",
        "secret_key", "session", "session_id", "session_token", "sid", "sig", "signature", "token",
        "x-amz-credential", "x-amz-security-token", "x-amz-signature", "x-goog-credential", "x-goog-signature",
        "xsrf_token",
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
}
