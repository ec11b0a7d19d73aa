import HTTPChainSupport
public import HTTPTypes

extension HTTPRequest.Method {
    /// Whether the method requests no changes: GET, HEAD, OPTIONS and TRACE, RFC 9110 §9.2.1, and QUERY, whose content
    /// is the query, draft-ietf-httpbis-safe-method-w-body §2.
    package var isSafe: Bool {
        switch self {
        case .get, .head, .options, .trace, .query: true
        default: false
        }
    }

    /// Whether sending a request twice has the same intended effect as sending it once: the safe methods, PUT and
    /// DELETE, RFC 9110 §9.2.2.
    public var isIdempotent: Bool {
        isSafe || self == .put || self == .delete
    }
}

extension HTTPField.Name {
    /// `Idempotency-Key`: a key by which a server recognizes a repeated request
    /// (draft-ietf-httpapi-idempotency-key-header).
    package static let idempotencyKey = Self(constant: "Idempotency-Key")
}
