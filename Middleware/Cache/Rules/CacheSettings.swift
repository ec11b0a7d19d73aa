/// Query parameters that don't affect a response, and therefore aren't part of its key.
public enum IgnoredQuery: Sendable, Hashable {
    /// No parameter is ignored.
    case none
    /// The parameters with these names are ignored; names are compared as written in the URL.
    case named(Set<String>)
    /// All parameters are ignored.
    case all
}

/// The cache settings of a call, or of a route's calls; if a value is `nil`, the route's or the stage's applies.
public struct CacheSettings: Sendable, Hashable {
    /// The way in which a call uses the cache.
    ///
    /// It applies to GET and HEAD, and with ``HTTPChainCore/Request/caching(identifier:)`` to other methods except PUT,
    /// DELETE and PATCH. All other requests go to the server, unless the use is ``onlyStored``.
    public enum Use: String, Sendable, Hashable {
        /// Follows RFC 9111.
        case standard
        /// Neither reads nor stores responses; unsafe calls still invalidate entries.
        case off
        /// Contacts the server regardless of what is stored, and stores its response.
        ///
        /// Caches on the path must validate too: the request carries `Cache-Control: no-cache` (RFC 9111 §5.2.1.4).
        case refresh
        /// Never contacts the server; serves a stored response, even if it is stale, or else 504 (Gateway Timeout).
        ///
        /// A response is not served stale if its server forbids that.
        case onlyStored = "only stored"
        /// Follows the rules, and serves stale responses if the server fails (500, 502, 503, 504) or is unreachable.
        ///
        /// A response is not served stale if its server forbids that.
        case storedOnFailure = "stored on failure"
        /// Serves the stored response immediately, fresh or stale, and contacts the server in the background.
        ///
        /// If nothing is stored, sends the request to the server.
        ///
        /// This works like `stale-while-revalidate` (RFC 5861 §3), even if the server doesn't send that. If the server
        /// forbids stale use, or the response was invalidated, it is validated first.
        case storedFirst = "stored first"
    }

    /// The way in which the call uses the cache.
    package var use: Use?
    /// The time for which responses are fresh.
    package var lifetime: CacheLifetime?
    /// An identifier of the call's parameters that aren't in its URL.
    ///
    /// It is part of the key, and entries can be removed by it.
    ///
    /// With an identifier, requests with a body, and of methods such as POST, are looked up too. They are stored only
    /// if ``lifetime`` is ``CacheLifetime/exactly(_:)``, because the standard rules don't allow it. The request's
    /// content is part of the key in addition to the identifier: calls with the same identifier and different content
    /// don't share a response. If the content can be read only once, or is larger than 1 MiB, nothing is looked up or
    /// stored.
    package var identifier: String?
    /// The query parameters to ignore.
    package var ignoredQuery: IgnoredQuery?
    /// The class of data that the response belongs to.
    package var classification: String?
    /// The entries to invalidate if the server responds with 200 to 399; a hit invalidates nothing.
    package var invalidates: [CacheSelection]

    /// Creates settings.
    public init(
        use: Use? = nil,
        lifetime: CacheLifetime? = nil,
        identifier: String? = nil,
        ignoredQuery: IgnoredQuery? = nil,
        classification: String? = nil,
        invalidates: [CacheSelection] = []
    ) {
        self.use = use
        self.lifetime = lifetime
        self.identifier = identifier
        self.ignoredQuery = ignoredQuery
        self.classification = classification
        self.invalidates = invalidates
    }

    private var isEmpty: Bool {
        use == nil && lifetime == nil && identifier == nil && ignoredQuery == nil && classification == nil
            && invalidates.isEmpty
    }

    /// Returns these settings, with missing values taken from others.
    package func over(_ others: CacheSettings) -> CacheSettings {
        if others.isEmpty { return self }
        return CacheSettings(
            use: use ?? others.use,
            lifetime: lifetime ?? others.lifetime,
            identifier: identifier ?? others.identifier,
            ignoredQuery: ignoredQuery ?? others.ignoredQuery,
            classification: classification ?? others.classification,
            invalidates: others.invalidates + invalidates
        )
    }
}
