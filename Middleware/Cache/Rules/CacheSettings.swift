/// Query parameters that make no difference to a response, and so are no part of its key.
public enum IgnoredQuery: Sendable, Hashable {
    /// Every parameter counts.
    case none
    /// The parameters with these names do not count; names are compared as the URL has them.
    case named(Set<String>)
    /// No parameter counts.
    case all
}

/// The cache settings of one call, or of all calls of a route; `nil` leaves it to the route, or to the stage.
public struct CacheSettings: Sendable, Hashable {
    /// A use of the cache.
    public enum Use: String, Sendable, Hashable {
        /// By the rules of RFC 9111.
        case standard
        /// Neither looks nor stores. Unsafe calls still invalidate.
        case off
        /// Asks the server, whatever is stored, and stores its answer.
        ///
        /// Caches on the way are told to ask it too: the request carries `Cache-Control: no-cache` (RFC 9111 §5.2.1.4).
        case refresh
        /// Never asks the server: what is stored, stale or not, or else 504 (Gateway Timeout).
        ///
        /// What the server forbids to be used stale is not used stale.
        case onlyStored = "only stored"
        /// By the rules, and stale as well when the server fails (500, 502, 503, 504) or is out of reach.
        ///
        /// What the server forbids to be used stale is not used stale.
        case storedOnFailure = "stored on failure"
        /// The stored response at once, fresh or stale, while the server is asked in the background; the server where
        /// nothing is stored.
        ///
        /// It is `stale-while-revalidate` (RFC 5861 §3) whatever the server says of it. What the server forbids to be used
        /// stale is validated first, and so is what was made invalid.
        case storedFirst = "stored first"
    }

    /// The use of the cache.
    public var use: Use?
    /// The time for which responses are fresh.
    public var lifetime: CacheLifetime?
    /// The identifier of the call's parameters, beyond its URL: part of the key, and a name to flush by.
    ///
    /// With an identifier, requests with a body and of methods such as POST are looked up too; they are stored only
    /// where ``lifetime`` is ``CacheLifetime/exactly(_:)``, because their own rules do not let them be. The content of
    /// the request counts beside the identifier: calls with the same one and other content do not share a response.
    /// A request whose content can be read only once, or is larger than 1 MiB, is not looked up, nor is its response
    /// stored.
    public var identifier: String?
    /// The query parameters that do not count.
    public var ignoredQuery: IgnoredQuery?
    /// The class of data that the response belongs to.
    public var classification: String?
    /// The entries that the call makes invalid when it succeeds (200 to 399).
    public var invalidates: [CacheSelection]

    /// Sets what is given.
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

    /// These settings, and others where these say nothing.
    public func over(_ others: CacheSettings) -> CacheSettings {
        CacheSettings(
            use: use ?? others.use,
            lifetime: lifetime ?? others.lifetime,
            identifier: identifier ?? others.identifier,
            ignoredQuery: ignoredQuery ?? others.ignoredQuery,
            classification: classification ?? others.classification,
            invalidates: others.invalidates + invalidates
        )
    }
}
