import HTTPTypes

extension Request: CustomStringConvertible, CustomDebugStringConvertible {
    /// Method, URL, header fields and the kind of body, secrets redacted.
    public var description: String {
        let redaction = redaction
        let lines = redaction.fields(head.headerFields).map { "\n\($0.name): \($0.value)" }
        return "\(head.method) \(redaction.url(url))\(lines.joined())\nbody: \(body)"
    }

    /// The same as ``description``.
    public var debugDescription: String { description }
}

extension Response: CustomStringConvertible, CustomDebugStringConvertible {
    /// Status, header fields and the kind of body, secrets redacted.
    public var description: String {
        let lines = Redaction.standard.fields(headers).map { "\n\($0.name): \($0.value)" }
        return "\(status.label)\(lines.joined())\nbody: \(body)"
    }

    /// The same as ``description``.
    public var debugDescription: String { description }
}
