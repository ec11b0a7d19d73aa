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

extension Response {
    /// The rules that say what is secret in the call that was answered, as far as it is known: that of the chain, where
    /// it is not the standard one.
    package var redaction: Redaction { options[ResponseRedaction.self] ?? .standard }
}

/// The redaction of the chain that a response came through; nil for the standard one.
enum ResponseRedaction: ResponseOption {
    static var defaultValue: Redaction? { nil }
}

extension Response: CustomStringConvertible, CustomDebugStringConvertible {
    /// Status, header fields and the kind of body, secrets redacted as the chain's environment says.
    public var description: String {
        let lines = redaction.fields(headers).map { "\n\($0.name): \($0.value)" }
        return "\(status.label)\(lines.joined())\nbody: \(body)"
    }

    /// The same as ``description``.
    public var debugDescription: String { description }
}
