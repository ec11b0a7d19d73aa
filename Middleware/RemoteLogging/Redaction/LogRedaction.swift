import HTTPChainCore
import HTTPTypes

/// The rules by which nothing secret gets into a record, prepared once for all of them.
struct LogRedaction: Sendable {
    private let redaction: Redaction
    /// What stands before a secret in text.
    private let names: SecretNames
    /// What stands before a secret in a query or a form.
    private let pairNames: SecretNames
    private let shown: LoggedFields

    init(_ redaction: Redaction, showing fields: LoggedFields = .none) {
        self.redaction = redaction
        names = SecretNames(redaction)
        pairNames = SecretNames([redaction.queryNames, redaction.memberNames, redaction.fieldNames].joined())
        shown = fields
    }

    /// Whether a name in structured data stands before a secret.
    func isSecret(name: String) -> Bool { names.contains(name) }

    func url(_ url: String) -> String {
        let redacted = redaction.url(url, isSecret: pairNames.contains)
        guard CredentialScanner.mayHoldToken(redacted) else { return redacted }
        var scanner = CredentialScanner(redacted, names: nil)
        return scanner.redacted()
    }

    /// The names and values of a form.
    func form(_ text: String, isCutOff: Bool = false) -> String {
        // The values of pairs whose names tell nothing may be JSON, or URLs.
        self.text(redaction.form(text, isSecret: pairNames.contains), isCutOff: isCutOff)
    }

    /// Text of any kind: of a body, of an error, of a field.
    ///
    /// - Parameter isCutOff: Whether it goes on, so that the beginning of a secret may stand at its end.
    func text(_ text: String, isCutOff: Bool = false) -> String {
        let withoutMembers = names.redacted(text)
        guard CredentialScanner.mayHoldCredential(withoutMembers) else { return withoutMembers }
        var urls = URLScanner(withoutMembers, isCutOff: isCutOff) { redaction.url($0, isSecret: pairNames.contains) }
        var scanner = CredentialScanner(urls.redacted(), names: names)
        return scanner.redacted()
    }

    /// The fields, with the values of those on the list that are no secrets.
    func fields(_ fields: HTTPFields) -> HTTPFields {
        var result = HTTPFields()
        result.reserveCapacity(fields.count)
        for field in fields { result.append(HTTPField(name: field.name, value: value(of: field))) }
        return result
    }

    private func value(of field: HTTPField) -> String {
        let name = field.name.canonicalName
        guard shown.contains(name), !redaction.isSecret(field.name) else { return Redaction.placeholder }
        return Self.urlFields.contains(name) ? text(url(field.value)) : text(field.value)
    }

    /// The attributes with what is a secret by its name, or holds one, blotted out.
    func attributes(_ attributes: LogAttributes) -> LogAttributes {
        var result = LogAttributes()
        for attribute in attributes { result[attribute.name] = value(attribute.value, of: attribute.name) }
        return result
    }

    private func value(_ value: JSONValue, of name: String) -> JSONValue {
        if pairNames.contains(name) { return .string(Redaction.placeholder) }
        return switch value {
        case .string(let text): .string(self.text(text))
        case .array(let elements): .array(elements.map { self.value($0, of: "") })
        case .object(let members): .object(members.mapValues(by: { self.value($1, of: $0) }))
        case .null, .bool, .integer, .number: value
        }
    }

    /// Fields whose value is a URL, relative ones included.
    private static let urlFields: Set<String> = ["content-location", "location", "origin", "referer"]
}

extension [String: JSONValue] {
    fileprivate func mapValues(by transform: (String, JSONValue) -> JSONValue) -> Self {
        var result = self
        for (name, value) in self { result[name] = transform(name, value) }
        return result
    }
}
