public import HTTPTypes

/// The rules that say what is secret, and how it is redacted in errors, traces, descriptions and logs.
///
/// A chain has one: that of its ``ChainEnvironment``. Every stage of this package asks ``Request/redaction`` and none
/// has rules of its own.
///
/// ```swift
/// var redaction = Redaction.standard
/// redaction.fieldNames.insert("x-plant-key")
/// redaction.memberNames.insert("*pin")
/// let chain = try Chain(transport: transport, environment: ChainEnvironment(redaction: redaction)) { … }
/// ```
///
/// A name is compared without regard to case, hyphens and underscores; `*` at its beginning or its end stands for
/// anything (`*token`, `x-amz-*`). Names are made ready for scanning when a redaction is made or changed: make it once.
///
/// Apart from names it knows shapes: what follows `Bearer` and other schemes, JSON Web Tokens, PEM blocks, user
/// information of URLs, and segments of URL paths that look like keys.
public struct Redaction: Sendable {
    /// The text in place of a secret.
    public static let placeholder = "<redacted>"

    private(set) var rules: SecretRules
    /// Texts that are secrets wherever they stand.
    private(set) var values: [String] = []
    /// Fields of one call that are secrets, whatever their names.
    private var boundFields: Set<HTTPField.Name> = []

    /// Header fields whose values are never shown, in lower case.
    public var fieldNames: Set<String> {
        get { rules.fieldNames }
        set { rules = SecretRules(fieldNames: newValue, queryNames: queryNames, memberNames: memberNames) }
    }
    /// Query parameters whose values are never shown, in lower case.
    public var queryNames: Set<String> {
        get { rules.queryNames }
        set { rules = SecretRules(fieldNames: fieldNames, queryNames: newValue, memberNames: memberNames) }
    }
    /// Members of JSON, XML and forms in bodies whose values are never shown, in lower case; names in text too.
    public var memberNames: Set<String> {
        get { rules.memberNames }
        set { rules = SecretRules(fieldNames: fieldNames, queryNames: queryNames, memberNames: newValue) }
    }

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
        let queryNames = Set(queryNames.map { $0.lowercased() })
        rules = SecretRules(
            fieldNames: Set(fieldNames.map { $0.lowercased() }),
            queryNames: queryNames,
            memberNames: memberNames.map { Set($0.map { $0.lowercased() }) } ?? queryNames
        )
    }

    /// The fields, parameters and members that carry credentials by standard or by habit.
    ///
    /// `code` and `key` are secrets in a query (RFC 6749 §4.1.2); in bodies they are mostly an error's code and the key
    /// of an entry, and are shown.
    public static let standard = Redaction(
        fieldNames: [
            "*authorization", "x-ms-authorization-auxiliary", "cookie", "set-cookie", "cookie2", "set-cookie2",
            "authentication-info", "proxy-authentication-info", "dpop", "x-amz-*", "x-auth", "x-key", "fastly-key",
        ] + secretNames,
        queryNames: secretNames + ["code", "key", "x-amz-*", "x-goog-*"],
        memberNames: secretNames + ["x-amz-*"]
    )

    private static let secretNames = [
        "*password*", "*passwd*", "*passphrase*", "*passcode", "*token", "*secret", "*api_key*",
        "*secret_key*", "*private_key*", "*access_key*", "*auth_key", "*signing_key", "*encryption_key", "*shared_key",
        "*subscription_key", "*functions_key", "*function_key", "*master_key", "*service_key", "*sas_key", "*app_key",
        "*application_key", "*consumer_key", "*session_id", "*sessid", "*session_key", "*pwd", "*credential", "*jwt",
        "*jwt_assertion",
        "assertion", "auth", "bearer", "client_assertion", "code_verifier", "device_code", "otp", "pass",
        "secret_string", "secret_value", "session", "sid", "sig", "signature", "x-goog-signature",
    ]

    /// Whether a header field's value is a secret by its name.
    public func isSecret(_ name: HTTPField.Name) -> Bool {
        rules.fields.contains(name.canonicalName) || (!boundFields.isEmpty && boundFields.contains(name))
    }

    /// Whether a header field's value is a secret: by its name, or because whoever set it marked it as one.
    ///
    /// The mark is `HTTPField.DynamicTableIndexingStrategy.disallow` (RFC 7541 §7.1.3: a never-indexed
    /// literal). Stages that add a secret for one server set it; it travels with the field, so that stages further out
    /// know it for a secret too.
    public func isSecret(_ field: HTTPField) -> Bool {
        field.indexingStrategy == .disallow || isSecret(field.name)
    }

    /// Whether a name in a query, a form or a structured body stands before a secret.
    ///
    /// Letter case, hyphens and underscores make no difference: `accessToken` is `access_token`.
    public func isSecret(name: String) -> Bool {
        rules.names.contains(name)
    }

    /// Whether a name in a query stands before a secret, which `code` and `key` do too.
    package func isSecret(pairName name: String) -> Bool {
        rules.pairNames.contains(name)
    }

    /// The same rules, and the fields of one call that belong to one origin: names and values.
    package func adding(boundFields names: some Sequence<HTTPField.Name>, of fields: HTTPFields) -> Redaction {
        var result = self
        result.boundFields.formUnion(names)
        return result.adding(values: result.boundFields.flatMap { fields[values: $0] })
    }

    /// The same rules, and the values of those fields that are marked as secrets.
    package func adding(markedIn fields: HTTPFields) -> Redaction {
        let marked = fields.lazy.filter { $0.indexingStrategy == .disallow }
        return marked.isEmpty ? self : adding(values: marked.map(\.value))
    }

    /// Returns the rules by which a thing is secret that is secret to either.
    package func union(_ other: Redaction) -> Redaction {
        if other.values.isEmpty, other.boundFields.isEmpty { return self }
        var result = self
        result.boundFields.formUnion(other.boundFields)
        return result.adding(values: other.values)
    }

    /// The same rules, and texts that are secrets wherever they stand; those under six bytes are not looked for.
    package func adding(values: some Sequence<String>) -> Redaction {
        var result = self
        for value in values where value.utf8.count >= 6 && !result.values.contains(value) {
            result.values.append(value)
        }
        return result
    }
}

extension Redaction: Hashable {
    /// Whether the names are the same.
    public static func == (lhs: Redaction, rhs: Redaction) -> Bool {
        lhs.fieldNames == rhs.fieldNames && lhs.queryNames == rhs.queryNames && lhs.memberNames == rhs.memberNames
            && lhs.values == rhs.values && lhs.boundFields == rhs.boundFields
    }

    /// Hashes the names.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(fieldNames)
        hasher.combine(queryNames)
        hasher.combine(memberNames)
    }
}
