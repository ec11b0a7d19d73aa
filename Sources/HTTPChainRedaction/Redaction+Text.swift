public import HTTPTypes

extension String {
    /// Returns the text up to a limit in bytes, cut at the last complete Unicode scalar, or `nil` if the whole text
    /// fits.
    package func beginning(upTo limit: Int) -> String? {
        guard utf8.count > limit else { return nil }
        var end = utf8.index(startIndex, offsetBy: max(0, limit))
        while end > startIndex, end.samePosition(in: unicodeScalars) == nil { end = utf8.index(before: end) }
        return String(self[..<end])
    }
}

extension Redaction {
    /// Redacts the secrets in text; the text may be cut off anywhere.
    ///
    /// It recognizes members of JSON objects (also of JSON inside a JSON string), pairs of forms and queries, elements
    /// and attributes of XML and HTML, property lists, parts of multipart bodies, header fields, assignments as written
    /// by people and programs (`password = …`, `token: Optional("…")`), `--password …`, credentials after the name of a
    /// scheme, JSON Web Tokens, PEM blocks and URLs. The names are those of members and fields, in URLs also
    /// those of query parameters. Other text is unchanged; a password in the middle of a sentence isn't found.
    ///
    /// Text without a suspicious word takes one pass and no allocation.
    public func text(_ text: String) -> String {
        scanned(text, .text)
    }

    /// Redacts text that may be truncated, so that it may end within a secret.
    package func text(_ text: String, isCutOff: Bool) -> String {
        scanned(text, .text, isCutOff: isCutOff)
    }

    /// The maximum number of bytes that are examined and shown of a URL, a field's value and an error's text.
    package static let longestShown = 16 << 10

    /// Redacts the beginning of a text.
    ///
    /// The text is truncated before it is scanned, so that the cost depends only on the length of the part that is
    /// shown.
    package func text(_ text: String, upTo limit: Int) -> String {
        guard let beginning = text.beginning(upTo: limit) else { return self.text(text) }
        return self.text(beginning, isCutOff: true) + "…"
    }

    /// Redacts the pairs of a form (`application/x-www-form-urlencoded`), which may be cut off.
    package func form(_ text: String, isCutOff: Bool = false) -> String {
        scanned(text, .form, isCutOff: isCutOff)
    }

    /// Returns a field's value with its secrets redacted, or the placeholder if the whole value is a secret.
    ///
    /// Only the first 16 KiB are examined and returned.
    public func value(of field: HTTPField) -> String {
        value(of: field, upTo: Self.longestShown)
    }

    /// Returns a field's redacted value with a different limit, in bytes.
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

    /// Returns the fields with secrets redacted.
    public func fields(_ fields: HTTPFields) -> HTTPFields {
        var result = HTTPFields()
        result.reserveCapacity(fields.count)
        for field in fields { result.append(HTTPField(name: field.name, value: value(of: field))) }
        return result
    }

    /// Redacts a field's value in which URL references are mixed with other text (RFC 8288 §3).
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
