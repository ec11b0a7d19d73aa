import HTTPChainCore
import HTTPTypes

/// A redaction with the list of header fields that a log shows.
struct LogRedaction: Sendable {
    private let redaction: Redaction
    private let shown: LoggedFields

    init(_ redaction: Redaction, showing fields: LoggedFields = .none) {
        self.redaction = redaction
        shown = fields
    }

    /// Whether a name in structured data stands before a secret.
    func isSecret(name: String) -> Bool { redaction.isSecret(name: name) }

    /// How much of a URL, and of a field's value, is looked at and shown, in bytes.
    private static let longestURL = 16 << 10

    /// A URL; one that is far too long is cut before it is searched.
    func url(_ url: String) -> String { redaction.url(url.beginning(upTo: Self.longestURL) ?? url) }

    /// A text of any length, cut before it is searched for secrets, so that the search takes no longer than what is
    /// shown.
    func text(_ text: String, upTo limit: Int) -> String {
        guard let beginning = text.beginning(upTo: limit) else { return redaction.text(text) }
        return redaction.text(beginning, isCutOff: true) + "…"
    }

    /// The names and values of a form.
    func form(_ text: String, isCutOff: Bool = false) -> String { redaction.form(text, isCutOff: isCutOff) }

    /// Text of any kind: of a body, of an error, of a field.
    ///
    /// - Parameter isCutOff: Whether it goes on, so that the beginning of a secret may stand at its end.
    func text(_ text: String, isCutOff: Bool = false) -> String { redaction.text(text, isCutOff: isCutOff) }

    /// The fields, with the values of those on the list that are no secrets.
    func fields(_ fields: HTTPFields) -> HTTPFields {
        var result = HTTPFields()
        result.reserveCapacity(fields.count)
        for field in fields {
            let isShown = shown.contains(field.name.canonicalName)
            let value = isShown ? self.value(of: field) : Redaction.placeholder
            result.append(HTTPField(name: field.name, value: value))
        }
        return result
    }

    private func value(of field: HTTPField) -> String {
        guard let beginning = field.value.beginning(upTo: Self.longestURL) else { return redaction.value(of: field) }
        return redaction.value(of: HTTPField(name: field.name, value: beginning)) + "…"
    }

    /// How much of a text among attributes is looked at and shown, in bytes.
    private static let longestText = 32 << 10

    /// The attributes with what is a secret by its name, or holds one, redacted.
    func attributes(_ attributes: LogAttributes) -> LogAttributes {
        var result = LogAttributes()
        for attribute in attributes { result[attribute.name] = value(attribute.value, of: attribute.name) }
        return result
    }

    private func value(_ value: JSONValue, of name: String) -> JSONValue {
        if redaction.isSecret(pairName: name) { return .string(Redaction.placeholder) }
        return switch value {
        case .string(let text): .string(self.text(text, upTo: Self.longestText))
        case .array(let elements): .array(elements.map { self.value($0, of: "") })
        case .object(let members): .object(members.mapValues(by: { self.value($1, of: $0) }))
        case .null, .bool, .integer, .number: value
        }
    }
}

extension String {
    /// The first bytes of the text, up to the last whole character of Unicode; `nil` where that is all of it.
    func beginning(upTo limit: Int) -> String? {
        guard utf8.count > limit else { return nil }
        var end = utf8.index(startIndex, offsetBy: max(0, limit))
        while end > startIndex, end.samePosition(in: unicodeScalars) == nil { end = utf8.index(before: end) }
        return String(self[..<end])
    }
}

extension [String: JSONValue] {
    fileprivate func mapValues(by transform: (String, JSONValue) -> JSONValue) -> Self {
        var result = self
        for (name, value) in self { result[name] = transform(name, value) }
        return result
    }
}
