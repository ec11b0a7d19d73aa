/// The rule behind a cache's decision.
package enum CacheReason: Sendable, Hashable, CaseIterable {
    /// The response is fresh.
    case fresh
    /// The response is stale, but the caller accepts that: `max-stale`.
    case acceptedStale
    /// The response is served while it is validated: `stale-while-revalidate`.
    case staleWhileRevalidate
    /// The call prefers stored responses, and contacts the server in the background.
    case storedFirst
    /// The call never contacts the server.
    case onlyStored
    /// The server is unreachable.
    case disconnected
    /// The server failed: `stale-if-error`, or the call's setting.
    case staleIfError
    /// The server validated the response.
    case validated
    /// Nothing is stored for the URL.
    case notStored
    /// The stored responses are for other request fields.
    case otherVariants
    /// The response is stale.
    case stale
    /// The server requires validation before each use: `no-cache`.
    case responseNoCache
    /// The caller requires validation: `no-cache`, `Pragma`, or a refresh.
    case requestNoCache
    /// The response is older than the caller accepts: `max-age`.
    case requestMaxAge
    /// The response won't stay fresh for as long as the caller requires: `min-fresh`.
    case requestMinFresh
    /// The response was invalidated.
    case invalidated
    /// Only part of the content is stored.
    case incomplete
    /// The cache doesn't serve multiple ranges.
    case severalRanges
    /// The cache doesn't serve this method.
    case method
    /// The request has content, which isn't part of the key.
    case requestContent
    /// The request has a precondition that the server has to evaluate.
    case serverPrecondition
    /// The request has credentials, and no partition identifies their user.
    case credentials
    /// The call or its route has turned the cache off.
    case off
    /// The request has no absolute URL.
    case noURL
    /// No stored response may be used, and the caller accepts no other: `only-if-cached`.
    case onlyIfCached
    /// The server is unreachable, and has forbidden stale use of the response.
    case mustRevalidate

    /// The rule in a few words.
    package var words: String { text.words }

    /// The section that gives the rule.
    package var section: String { text.section }

    private var text: (words: String, section: String) {
        switch self {
        case .fresh: ("fresh", "RFC 9111 §4.2")
        case .acceptedStale: ("stale, which max-stale accepts", "RFC 9111 §5.2.1.2")
        case .staleWhileRevalidate: ("stale, within stale-while-revalidate", "RFC 5861 §3")
        case .storedFirst: ("the call prefers stored responses", "CacheSettings.Use.storedFirst")
        case .onlyStored: ("the call accepts only stored responses", "CacheSettings.Use.onlyStored")
        case .disconnected: ("stale, and the server is unreachable", "RFC 9111 §4.2.4")
        case .staleIfError: ("stale, and the server failed", "RFC 5861 §4")
        case .validated: ("validated by the server", "RFC 9111 §4.3.4")
        case .notStored: ("nothing is stored for this URL", "RFC 9111 §4")
        case .otherVariants: ("the stored responses are for other request fields", "RFC 9111 §4.1")
        case .stale: ("stale", "RFC 9111 §4.2")
        case .responseNoCache: ("the response is no-cache", "RFC 9111 §5.2.2.4")
        case .requestNoCache: ("the request is no-cache", "RFC 9111 §5.2.1.4")
        case .requestMaxAge: ("older than the request's max-age", "RFC 9111 §5.2.1.1")
        case .requestMinFresh: ("not fresh for the request's min-fresh", "RFC 9111 §5.2.1.3")
        case .invalidated: ("invalidated", "RFC 9111 §4.4")
        case .incomplete: ("only part of it is stored", "RFC 9111 §3.3")
        case .severalRanges: ("the cache does not serve multiple ranges", "RFC 9110 §14.2")
        case .method: ("the cache does not serve this method", "RFC 9111 §4")
        case .requestContent: ("the request has content", "RFC 9111 §4")
        case .serverPrecondition: ("the server has to evaluate the precondition", "RFC 9111 §4.3.2")
        case .credentials: ("the request has credentials and there is no partition", "RFC 9111 §3.5")
        case .off: ("the cache is off for this call", "CacheSettings.Use.off")
        case .noURL: ("the request has no absolute URL", "RFC 9111 §2")
        case .onlyIfCached: ("no stored response may be used, and the request is only-if-cached", "RFC 9111 §5.2.1.7")
        case .mustRevalidate: ("must-revalidate, and the server is unreachable", "RFC 9111 §5.2.2.2")
        }
    }
}
