import Foundation
public import HTTPTypes

extension String {
    /// The first bytes of the text, up to the last whole character of Unicode; `nil` if that is all of it.
    package func beginning(upTo limit: Int) -> String? {
        guard utf8.count > limit else { return nil }
        var end = utf8.index(startIndex, offsetBy: max(0, limit))
        while end > startIndex, end.samePosition(in: unicodeScalars) == nil { end = utf8.index(before: end) }
        return String(self[..<end])
    }
}

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

    /// How much of a URL, of a field's value and of a text in an error is looked at and shown, in bytes.
    package static let longestShown = 16 << 10

    /// The beginning of a text with its secrets redacted: cut before it is searched, so that the search takes no longer
    /// than what is shown.
    package func text(_ text: String, upTo limit: Int) -> String {
        guard let beginning = text.beginning(upTo: limit) else { return self.text(text) }
        return self.text(beginning, isCutOff: true) + "…"
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

    /// The field's value with its secrets redacted, of which the first 16 KiB are looked at and returned; the
    /// placeholder when it is a secret as a whole.
    public func value(of field: HTTPField) -> String {
        value(of: field, upTo: Self.longestShown)
    }

    /// The same with another limit, in bytes.
    package func value(of field: HTTPField, upTo limit: Int) -> String {
        if isSecret(field) { return Self.placeholder }
        let beginning = field.value.beginning(upTo: limit)
        let value = beginning ?? field.value
        let isCutOff = beginning != nil
        let shown =
            switch field.name.canonicalName {
            case "location", "content-location", "referer", "origin":
                scanned(withoutUserInformation(value), .url, isCutOff: isCutOff)
            case "link": text(references(in: value, from: "<", to: ">", isCutOff), isCutOff: isCutOff)
            case "refresh": text(references(in: value, from: "=", to: nil, isCutOff), isCutOff: isCutOff)
            default: text(value, isCutOff: isCutOff)
            }
        return isCutOff ? shown + "…" : shown
    }

    /// The same fields with secrets redacted.
    public func fields(_ fields: HTTPFields) -> HTTPFields {
        var result = HTTPFields()
        result.reserveCapacity(fields.count)
        for field in fields { result.append(HTTPField(name: field.name, value: value(of: field))) }
        return result
    }

    /// The value of a field that holds URL references between other things (RFC 8288 §3).
    private func references(
        in value: String,
        from open: Unicode.Scalar,
        to close: Unicode.Scalar?,
        _ isCutOff: Bool
    ) -> String {
        var result = ""
        var rest = value.utf8[...]
        while let start = rest.firstIndex(of: UInt8(ascii: open)) {
            let inside = rest[rest.index(after: start)...]
            let end = close.flatMap { inside.firstIndex(of: UInt8(ascii: $0)) } ?? inside.endIndex
            let reference = String(Substring(inside[..<end]))
            result += Substring(rest[...start])
            result += scanned(withoutUserInformation(reference), .url, isCutOff: isCutOff && end == value.utf8.endIndex)
            rest = inside[end...]
        }
        return result + Substring(rest)
    }

    func scanned(_ text: String, _ mode: SecretScanner.Mode, isCutOff: Bool = false) -> String {
        let suspicion = SecretSuspicion(rules: rules, isURL: mode == .url)
        guard isCutOff || !values.isEmpty || suspicion.isRaised(by: text) else { return text }
        var scanner = SecretScanner(Array(text.utf8), rules: rules, mode: mode, isCutOff: isCutOff)
        return scanner.redacted(values: values) ?? text
    }
}
