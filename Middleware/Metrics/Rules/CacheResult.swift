import HTTPChainCore
import HTTPChainSupport
import HTTPTypes
import RawStructuredFieldValues

/// The result of the cache nearest to the caller, as its `Cache-Status` tells it (RFC 9211).
enum CacheResult: String, Sendable, Hashable {
    /// It answered.
    case hit
    /// It was told to leave the request alone.
    case bypass
    /// The method's semantics want the server to be asked.
    case method
    /// Nothing was stored for the URL.
    case uriMiss = "uri-miss"
    /// The stored response is for other request fields.
    case varyMiss = "vary-miss"
    /// Nothing stored could be used.
    case miss
    /// The request did not allow what is stored.
    case request
    /// The stored response was stale.
    case stale
    /// Only part of it was stored.
    case partial
    /// It asked further and did not say why, or gave a reason of its own.
    case other

    /// Reads the field; nil where there is none, or it is malformed.
    init?(_ fields: HTTPFields) {
        let values = fields[values: .cacheStatus]
        if values.isEmpty { return nil }
        var parser = StructuredFieldValueParser(Array(values.joined(separator: ", ").utf8))
        guard let members = try? parser.parseListFieldValue(), case .item(let nearest)? = members.last else {
            return nil
        }
        // RFC 9211 §2.1: hit is a boolean, and may not stand beside fwd.
        if case .bool(true)? = nearest.rfc9651Parameters["hit"] {
            self = .hit
        } else if case .token(let reason)? = nearest.rfc9651Parameters["fwd"] {
            self = CacheResult(rawValue: reason).flatMap { $0 == .hit ? nil : $0 } ?? .other
        } else {
            self = .other
        }
    }
}
