import HTTPChainSupport
package import HTTPTypes

/// The rules that identify secrets and redact them in errors, traces, descriptions and logs.
///
/// A chain uses the redaction of its ``ChainEnvironment``. All stages of this package use ``Request/redaction``; none
/// has separate rules.
///
/// ```swift
/// let redaction = Redaction.standard.adding(fieldNames: ["x-plant-gate"], memberNames: ["*pin"])
/// let chain = try Chain(transport: transport, environment: ChainEnvironment(redaction: redaction)) { … }
/// ```
///
/// Names are compared without regard to case, hyphens and underscores. A `*` matches anything (`*token`, `x-amz-*`,
/// `x-*-auth`). Hyphens next to a `*` in the middle of a name do count. Names are prepared for scanning when a
/// redaction is made or changed, so make it once.
///
/// In addition to names, it recognizes formats: the text after `Bearer` and other schemes, JSON Web Tokens, PEM blocks,
/// user information in URLs, and segments of URL paths that look like keys.
public struct Redaction: Sendable, Hashable {
    /// The replacement for a secret.
    public static let placeholder = "<redacted>"

    private(set) var rules: SecretRules
    /// Strings that are secrets wherever they occur.
    private(set) var values: [String] = []
    /// Fields of a single call that are secrets, regardless of their names.
    private var boundFields: Set<HTTPField.Name> = []

    /// The names of header fields whose values are never shown, in lower case.
    package var fieldNames: Set<String> {
        get { rules.fieldNames }
        set { rules = SecretRules(fieldNames: newValue, queryNames: queryNames, memberNames: memberNames) }
    }
    /// The names of query parameters whose values are never shown, in lower case.
    package var queryNames: Set<String> {
        get { rules.queryNames }
        set { rules = SecretRules(fieldNames: fieldNames, queryNames: newValue, memberNames: memberNames) }
    }
    /// The names of members of JSON, XML and forms in bodies whose values are never shown, in lower case.
    ///
    /// They also apply to names in text.
    package var memberNames: Set<String> {
        get { rules.memberNames }
        set { rules = SecretRules(fieldNames: fieldNames, queryNames: queryNames, memberNames: newValue) }
    }

    /// Makes rules from names, ignoring letter case.
    ///
    /// - Parameters:
    ///   - fieldNames: The names of header fields.
    ///   - queryNames: The names of query parameters.
    ///   - memberNames: The names of members of bodies. Defaults to the names of query parameters.
    public init(
        fieldNames: some Sequence<String>,
        queryNames: some Sequence<String>,
        memberNames: (some Sequence<String>)? = nil as [String]?
    ) {
        let queryNames = Set(queryNames.map { $0.lowercased() })
        rules = SecretRules(
            fieldNames: Set(fieldNames.map { $0.lowercased() }),
            queryNames: queryNames,
            memberNames: memberNames.map { Set($0.map { $0.lowercased() }) } ?? queryNames
        )
    }

    /// Returns the same rules with more names, ignoring letter case.
    ///
    /// - Parameters:
    ///   - fieldNames: The names of header fields.
    ///   - queryNames: The names of query parameters.
    ///   - memberNames: The names of members of JSON, XML and forms in bodies, which also apply to text.
    public func adding(
        fieldNames: some Sequence<String> = [String](),
        queryNames: some Sequence<String> = [String](),
        memberNames: some Sequence<String> = [String]()
    ) -> Redaction {
        var result = self
        result.rules = SecretRules(
            fieldNames: self.fieldNames.union(fieldNames.map { $0.lowercased() }),
            queryNames: self.queryNames.union(queryNames.map { $0.lowercased() }),
            memberNames: self.memberNames.union(memberNames.map { $0.lowercased() })
        )
        return result
    }

    /// The fields, parameters and members that carry credentials by standard or convention.
    ///
    /// `code` and `key` are secrets in a query (RFC 6749 §4.1.2). In bodies they are usually an error's code and an
    /// entry's key, and are shown.
    public static let standard = Redaction(
        fieldNames: [
            "*authorization", "x-ms-authorization-auxiliary", "cookie", "set-cookie", "cookie2", "set-cookie2",
            "authentication-info", "proxy-authentication-info", "dpop", "x-amz-*", "x-auth", "x-*-auth",
            "authentication", "x-authentication", "x-key", "x-*-key", "fastly-key", "x-session", "x-*-session", "x-otp",
            "x-*-otp",
            "x-honeycomb-team", "x-ms-client-principal", "cf-access-client-id", "x-jfrog-art-api", "x-wsse",
            "x-firebase-appcheck", "x-sid", "x-ftl-sid",
        ] + secretNames,
        queryNames: secretNames + ["code", "key", "x-amz-*", "x-goog-*"],
        memberNames: secretNames + ["x-amz-*"]
    )

    /// The well-known names that the patterns of ``standard`` match although their values aren't secret.
    static let exceptions = [
        "x-*-key": [
            "x-cache-key", "x-correlation-key", "x-dedup-key", "x-deduplication-key", "x-foreign-key", "x-group-key",
            "x-hash-key", "x-idempotency-key", "x-issue-key", "x-message-key", "x-object-key", "x-partition-key",
            "x-primary-key", "x-project-key", "x-public-key", "x-record-key", "x-routing-key", "x-row-key",
            "x-shard-key", "x-sort-key", "x-surrogate-key", "x-trace-key",
        ],
        // Whether a browser sends credentials, and which of them (Fetch, WebAuthn).
        "*credentials": ["access-control-allow-credentials", "allow-credentials", "with-credentials"],
    ]

    private static let secretNames = [
        "*password*", "*passwd*", "*passphrase*", "*passcode", "*token", "*token_value", "*secret", "*secrets",
        "*secret_value", "*api_key*",
        "*secret_key*", "*private_key*", "*access_key*", "*auth_key", "*signing_key", "*encryption_key", "*shared_key",
        "*subscription_key", "*functions_key", "*function_key", "*master_key", "*service_key", "*sas_key", "*app_key",
        "*application_key", "*consumer_key", "*session_id", "*sessid", "*session_key", "*pwd", "*credential", "*jwt",
        "*jwt_assertion", "otp", "*license_key", "*account_key", "*storage_key", "*credentials", "*auth_code",
        "*authorization_code",
        "assertion", "auth", "bearer", "client_assertion", "code_verifier", "device_code", "pass",
        "samlresponse", "secret_string", "session", "sid", "sig", "signature", "tokens", "x-goog-signature",
    ]

    /// Whether a header field's value is a secret by its name.
    package func isSecret(_ name: HTTPField.Name) -> Bool {
        rules.fields.contains(name.canonicalName) || (!boundFields.isEmpty && boundFields.contains(name))
    }

    /// Whether a header field's value is a secret, by its name or because it was marked as one.
    ///
    /// The mark is `HTTPField.DynamicTableIndexingStrategy.disallow` (RFC 7541 §7.1.3: a never-indexed literal). Stages
    /// that add a secret for one server set it. It stays with the field, so that outer stages also recognize the
    /// secret.
    package func isSecret(_ field: HTTPField) -> Bool {
        field.indexingStrategy == .disallow || isSecret(field.name)
    }

    /// Whether a name in a query, a form or a structured body is the name of a secret.
    ///
    /// Letter case, hyphens and underscores are ignored: `accessToken` matches `access_token`.
    package func isSecret(name: String) -> Bool {
        rules.names.contains(name)
    }

    /// Whether a name in a query is the name of a secret, including `code` and `key`.
    package func isSecret(pairName name: String) -> Bool {
        rules.pairNames.contains(name)
    }

    /// Returns the same rules with the names and values of the fields that a call binds to an origin.
    package func adding(boundFields names: some Sequence<HTTPField.Name>, of fields: HTTPFields) -> Redaction {
        var result = self
        result.boundFields.formUnion(names)
        return result.adding(values: result.boundFields.flatMap { fields[values: $0] })
    }

    /// Returns the same rules, with the values of fields that are marked as secrets.
    package func adding(markedIn fields: HTTPFields) -> Redaction {
        let marked = fields.lazy.filter { $0.indexingStrategy == .disallow }
        return marked.isEmpty ? self : adding(values: marked.map(\.value))
    }

    /// Returns rules that redact the secrets of both.
    package func union(_ other: Redaction) -> Redaction {
        if other.values.isEmpty, other.boundFields.isEmpty { return self }
        var result = self
        result.boundFields.formUnion(other.boundFields)
        return result.adding(values: other.values)
    }

    /// Returns the same rules with strings that are secrets wherever they occur; strings under six bytes are ignored.
    package func adding(values: some Sequence<String>) -> Redaction {
        var result = self
        for value in values where value.utf8.count >= 6 {
            if !result.values.contains(where: { $0.hasSameBytes(as: value) }) { result.values.append(value) }
        }
        return result
    }
}
