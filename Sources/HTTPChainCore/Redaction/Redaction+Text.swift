import Foundation
public import HTTPTypes

extension Redaction {
    /// The text with its secrets redacted, whole or cut off anywhere.
    ///
    /// It knows members of JSON objects (also of JSON inside a JSON string), pairs of forms and queries, elements and
    /// attributes of XML and HTML, property lists, parts of multipart bodies, header fields, assignments as people and
    /// programs write them (`password = …`, `token: Optional("…")`), `--password …`, credentials after the name of a
    /// scheme, JSON Web Tokens, PEM blocks and URLs. The names are ``memberNames`` and ``fieldNames``, in URLs
    /// ``queryNames`` too. What is none of these is left as it is: a password in the middle of a sentence is not found.
    ///
    /// Text without a suspicious word passes in one scan, with no allocation.
    public func text(_ text: String) -> String {
        scanned(text, .text)
    }

    /// The same for text that goes on, so that the beginning of a secret may stand at its end.
    package func text(_ text: String, isCutOff: Bool) -> String {
        scanned(text, .text, isCutOff: isCutOff)
    }

    /// The pairs of a form (`application/x-www-form-urlencoded`), whole or cut off, with secrets redacted.
    package func form(_ text: String, isCutOff: Bool = false) -> String {
        scanned(text, .form, isCutOff: isCutOff)
    }

    /// The preview with secrets redacted, as ``text(_:)`` does; binary data, which is never shown, is left as it is.
    public func preview(_ preview: BodyPreview) -> BodyPreview {
        guard let shown = preview.text else { return preview }
        let redacted = text(shown, isCutOff: preview.isTruncated)
        return redacted == shown ? preview : BodyPreview(Data(redacted.utf8), isTruncated: preview.isTruncated)
    }

    /// The field's value with its secrets redacted; the placeholder when it is a secret as a whole.
    public func value(of field: HTTPField) -> String {
        if isSecret(field) { return Self.placeholder }
        switch field.name.canonicalName {
        case "location", "content-location", "referer", "origin": return url(field.value)
        case "link": return text(references(in: field.value, from: "<", to: ">"))
        case "refresh": return text(references(in: field.value, from: "=", to: nil))
        default: return text(field.value)
        }
    }

    /// The same fields with secrets redacted.
    public func fields(_ fields: HTTPFields) -> HTTPFields {
        var result = HTTPFields()
        result.reserveCapacity(fields.count)
        for field in fields { result.append(HTTPField(name: field.name, value: value(of: field))) }
        return result
    }

    /// The value of a field that holds URL references between other things (RFC 8288 §3).
    private func references(in value: String, from open: Character, to close: Character?) -> String {
        var result = ""
        var rest = value[...]
        while let start = rest.firstIndex(of: open) {
            let inside = rest[rest.index(after: start)...]
            let end = close.flatMap { inside.firstIndex(of: $0) } ?? inside.endIndex
            result += rest[...start] + url(String(inside[..<end]))
            rest = inside[end...]
        }
        return result + rest
    }

    func scanned(_ text: String, _ mode: SecretScanner.Mode, isCutOff: Bool = false) -> String {
        let suspicion = SecretSuspicion(rules: rules, isURL: mode == .url)
        guard isCutOff || !values.isEmpty || suspicion.isRaised(by: text) else { return text }
        var scanner = SecretScanner(Array(text.utf8), rules: rules, mode: mode, isCutOff: isCutOff)
        return scanner.redacted(values: values) ?? text
    }
}
