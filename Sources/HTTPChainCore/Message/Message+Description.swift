import HTTPTypes

extension Request: RedactedDisplay {
    /// The method, URL, header fields, kind of body, and the options that a stage has to read, with secrets redacted.
    public var description: String {
        let redaction = redaction
        let lines = redaction.fields(head.headerFields).map { "\n\($0.name): \($0.value)" }
        let expressions = options.expressions
        let options = expressions.isEmpty ? "" : "\noptions: \(expressions.joined(separator: ", "))"
        return "\(head.method) \(redaction.url(url))\(lines.joined())\nbody: \(body)\(options)"
    }
}

extension Response {
    /// The redaction rules of the call, as far as they are known: the chain's, if they aren't the standard ones.
    package var redaction: Redaction { options[RedactionFact.self] ?? .standard }
}

/// The redaction of the chain that returned the response, or nil for the standard one.
enum RedactionFact: ResponseOption {
    static var defaultValue: Redaction? { nil }
}

extension Response: RedactedDisplay {
    /// The status, header fields and kind of body, with secrets redacted according to the chain's environment.
    public var description: String {
        let lines = redaction.fields(headers).map { "\n\($0.name): \($0.value)" }
        return "\(status.label)\(lines.joined())\nbody: \(body)"
    }
}
