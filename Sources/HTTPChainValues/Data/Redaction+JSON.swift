package import HTTPChainRedaction
import HTTPChainSupport

extension Redaction {
    /// Returns the members of a JSON object with secrets redacted, at any depth.
    ///
    /// A secret's name may be the name of the member, or the value of another member, as in
    /// `{"name": "X-Api-Key", "value": "…"}`. Strings are redacted as text. Other numbers, Booleans and null are
    /// unchanged.
    package func members(_ members: [String: JSONValue]) -> [String: JSONValue] {
        var result = members
        let hasSecretName = members.contains { key, value in
            guard case .string(let name) = value else { return false }
            return SecretScanner.isNameKey(key) && isSecret(name: name)
        }
        for (key, value) in members {
            let isHidden = isSecret(name: key) || (hasSecretName && SecretScanner.isValueKey(key))
            result[key] = isHidden ? hidden(value) : self.value(value)
        }
        return result
    }

    /// Returns a JSON value with secrets redacted, at any depth.
    package func value(_ value: JSONValue) -> JSONValue {
        switch value {
        case .null, .bool, .integer, .number, .decimal: value
        case .string(let text): .string(Self.isURL(text) ? url(text, upTo: .max) : self.text(text))
        case .array(let elements): .array(elements.map(self.value))
        case .object(let members): .object(self.members(members))
        }
    }

    private func hidden(_ value: JSONValue) -> JSONValue {
        switch value {
        case .null, .bool: value
        default: .string(Self.placeholder)
        }
    }
}
