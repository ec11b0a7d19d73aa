package import HTTPChainCore
package import HTTPTypes

/// The redaction rules, and the header fields whose values a log shows.
package struct LogRedaction: Sendable {
    private let redaction: Redaction
    private let shown: LoggedFields

    package init(_ redaction: Redaction, showing fields: LoggedFields = .none) {
        self.redaction = redaction
        shown = fields
    }

    /// Redacts a URL.
    package func url(_ url: String) -> String { redaction.url(url) }

    /// Redacts a text of any length.
    ///
    /// The text is truncated before it is searched for secrets.
    package func text(_ text: String, upTo limit: Int) -> String { redaction.text(text, upTo: limit) }

    /// Redacts the values of a form.
    package func form(_ text: String, isCutOff: Bool = false) -> String { redaction.form(text, isCutOff: isCutOff) }

    /// Redacts any text, such as a body, an error, or a field.
    ///
    /// - Parameter isCutOff: Whether the text was truncated, so that it may end with the beginning of a secret.
    package func text(_ text: String, isCutOff: Bool = false) -> String { redaction.text(text, isCutOff: isCutOff) }

    /// Returns the fields.
    ///
    /// Only values of fields that are in the list and aren't secret are shown.
    package func fields(_ fields: HTTPFields) -> HTTPFields {
        var result = HTTPFields()
        result.reserveCapacity(fields.count)
        for field in fields {
            let isShown = shown.contains(field.name.canonicalName)
            let value = isShown ? redaction.value(of: field) : Redaction.placeholder
            result.append(HTTPField(name: field.name, value: value))
        }
        return result
    }

    /// The size to which a text in attributes is truncated, in bytes.
    private static let longestText = 32 << 10

    /// Returns the attributes with secrets redacted, which are recognized by name or in text.
    package func attributes(_ attributes: LogAttributes) -> LogAttributes {
        var result = LogAttributes()
        for attribute in attributes.list { result[attribute.name] = value(attribute.value, of: attribute.name) }
        return result
    }

    private func value(_ value: JSONValue, of name: String) -> JSONValue {
        if redaction.isSecret(pairName: name) { return .string(Redaction.placeholder) }
        return switch value {
        case .string(let text): .string(self.text(text, upTo: Self.longestText))
        case .array(let elements): .array(elements.map { self.value($0, of: "") })
        case .object(let members):
            .object(Dictionary(uniqueKeysWithValues: members.map { ($0, self.value($1, of: $0)) }))
        case .null, .bool, .integer, .number, .decimal: value
        }
    }
}
