public import HTTPTypes

/// The rules of RFC 9111 for a private or a shared cache.
///
/// ```swift
/// let rules = CacheRules(mode: .shared, heuristicFraction: 0)
/// ```
public struct CacheRules: Sendable {
    /// The users that a cache stores responses for.
    public enum Mode: String, Sendable, Hashable {
        /// One user, as in a client.
        case `private`
        /// Several users, as in a proxy: `private`, `s-maxage`, `proxy-revalidate`, Authorization and targeted fields
        /// apply.
        case shared
    }

    /// The users that the cache stores responses for; one user by default.
    package var mode: Mode
    /// The fraction of the time since `Last-Modified` for which a response without an explicit lifetime is fresh, RFC
    /// 9111 §4.2.2; 0.1 by default, 0 for none.
    package var heuristicFraction: Double
    /// The maximum heuristic lifetime; a day by default.
    package var heuristicLimit: Duration
    /// The targeted fields that a shared cache obeys, in order of precedence, RFC 9213 §2.2; `CDN-Cache-Control` by
    /// default.
    ///
    /// Their names must end in `-Cache-Control`.
    package var targetedFields: [HTTPField.Name]
    /// Whether stale responses are served if the server is unreachable and nothing forbids it, RFC 9111 §4.2.4; `true`
    /// by default.
    package var servesStaleWhenDisconnected: Bool

    /// Creates rules; see each property for its default.
    public init(
        mode: Mode = .private,
        heuristicFraction: Double = 0.1,
        heuristicLimit: Duration = .seconds(86_400),
        targetedFields: [HTTPField.Name]? = nil,
        servesStaleWhenDisconnected: Bool = true
    ) {
        self.mode = mode
        self.heuristicFraction = heuristicFraction
        self.heuristicLimit = heuristicLimit
        self.targetedFields = targetedFields ?? [.cdnCacheControl]
        self.servesStaleWhenDisconnected = servesStaleWhenDisconnected
    }

    var isShared: Bool { mode == .shared }

    /// The targeted field that a shared cache applies, if there is one; `Cache-Control` and `Expires` are then ignored.
    func targeted(_ facts: ResponseFacts) -> ResponseDirectives? {
        guard isShared, !facts.targeted.isEmpty else { return nil }
        for name in targetedFields {
            if let directives = facts.targeted[name.canonicalName] { return directives }
        }
        return nil
    }

    /// The directives in these fields that apply to this cache.
    func directives(of fields: HTTPFields) -> ResponseDirectives {
        for name in targetedFields where isShared && fields.contains(name) {
            if let directives = ResponseDirectives(targeted: fields[values: name]) { return directives }
        }
        return ResponseDirectives(fields)
    }

    /// The directives that apply to this cache.
    func directives(_ facts: ResponseFacts) -> ResponseDirectives { targeted(facts) ?? facts.directives }
}
