import HTTPChainCore
import HTTPChainSupport
import HTTPTypes
import RawStructuredFieldValues

/// The result of the cache nearest to the caller, from `Cache-Status` (RFC 9211).
enum CacheResult: String, Sendable, Hashable {
    /// The cache responded.
    case hit
    /// The cache was configured to ignore the request.
    case bypass
    /// The method's semantics require the request to be forwarded.
    case method
    /// Nothing was stored for the URL.
    case uriMiss = "uri-miss"
    /// The stored response is for other request fields.
    case varyMiss = "vary-miss"
    /// No stored response could be used.
    case miss
    /// The request didn't allow the stored response.
    case request
    /// The stored response was stale.
    case stale
    /// Only part of the response was stored.
    case partial
    /// The cache forwarded the request for no stated reason, or for a nonstandard one.
    case other

    /// Reads the field, or returns `nil` if there is none or it is malformed.
    init?(_ fields: HTTPFields) {
        let values = fields[values: .cacheStatus]
        if values.isEmpty { return nil }
        guard let bytes = values.joined(separator: ", ").structuredFieldBytes else { return nil }
        var parser = StructuredFieldValueParser(bytes)
        guard let members = try? parser.parseListFieldValue(), case .item(let nearest)? = members.last else {
            return nil
        }
        // RFC 9211 §2.1: hit is a boolean, and mustn't be combined with fwd.
        if case .bool(true)? = nearest.rfc9651Parameters["hit"] {
            self = .hit
        } else if case .token(let reason)? = nearest.rfc9651Parameters["fwd"] {
            self = CacheResult(rawValue: reason).flatMap { $0 == .hit ? nil : $0 } ?? .other
        } else {
            self = .other
        }
    }
}
