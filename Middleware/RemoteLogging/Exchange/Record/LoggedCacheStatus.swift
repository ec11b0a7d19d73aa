import HTTPTypes
import RawStructuredFieldValues

/// What caches did for a response, as its `Cache-Status` field tells it, RFC 9211.
public struct LoggedCacheStatus: Sendable, Hashable {
    /// The field as it came, redacted; the cache nearest to the caller stands last.
    public var text: String
    /// Whether the cache nearest to the caller answered (`hit`); `nil` when the field is malformed.
    public var isHit: Bool?
    /// Why that cache asked further (`fwd`), such as `stale`; `nil` where it does not say.
    public var forward: String?

    /// Makes a status.
    public init(text: String, isHit: Bool? = nil, forward: String? = nil) {
        self.text = text
        self.isHit = isHit
        self.forward = forward
    }
}

extension LoggedCacheStatus {
    /// Reads the field; `nil` where there is none.
    init?(_ fields: HTTPFields, redaction: LogRedaction) {
        let values = fields[values: .cacheStatus]
        if values.isEmpty { return nil }
        let joined = values.joined(separator: ", ")
        self.init(text: redaction.text(joined))
        var parser = StructuredFieldValueParser(Array(joined.utf8))
        guard let members = try? parser.parseListFieldValue(), case .item(let nearest)? = members.last else { return }
        // RFC 9211 §2.1: hit is a boolean, and may not stand beside fwd.
        if case .bool(true)? = nearest.rfc9651Parameters["hit"] { isHit = true } else { isHit = false }
        if case .token(let reason)? = nearest.rfc9651Parameters["fwd"] { forward = reason }
    }
}

extension HTTPField.Name {
    fileprivate static let cacheStatus = Self("Cache-Status") ?? .cacheControl
}
