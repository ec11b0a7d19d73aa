public import HTTPTypes

/// The rules of RFC 9111 as a value: no clock, no store, no network.
///
/// ``decide(_:among:)`` says what to do with a request, given the stored variants and the time;
/// ``storage(of:answering:sentAs:sentAt:receivedAt:)`` what to store of a response;
/// ``conclude(_:with:to:sentAs:sentAt:receivedAt:)`` what the answer to a validation means; ``invalidations(by:answering:)``
/// what it makes invalid. Each carries the reason, with the section that gives it.
public struct CacheRules: Sendable {
    /// For whom the cache stores.
    public enum Mode: String, Sendable, Hashable {
        /// For one user, as a client does.
        case `private`
        /// For several, as a proxy does: `private`, `s-maxage`, `proxy-revalidate`, Authorization and targeted fields
        /// count.
        case shared
    }

    /// For whom the cache stores; one user by default.
    public var mode: Mode
    /// The part of the time since `Last-Modified` for which a response without an explicit lifetime is fresh, RFC 9111
    /// §4.2.2; a tenth by default, 0 for none.
    public var heuristicFraction: Double
    /// The longest time for which such a response is fresh; a day by default.
    public var heuristicLimit: Duration
    /// The targeted fields that a shared cache obeys, the first that is there before all else, RFC 9213 §2.2;
    /// `CDN-Cache-Control` by default.
    ///
    /// Their names end in `-Cache-Control`.
    public var targetedFields: [HTTPField.Name]
    /// Whether stale responses are served when the server is out of reach and nothing forbids it, RFC 9111 §4.2.4;
    /// `true` by default.
    public var servesStaleWhenDisconnected: Bool

    /// Sets the rules; see each property for its default.
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

    /// The targeted field that decides, where a shared cache has one: `Cache-Control` and `Expires` do not count then.
    func targeted(_ facts: ResponseFacts) -> ResponseDirectives? {
        guard isShared, !facts.targeted.isEmpty else { return nil }
        for name in targetedFields {
            if let directives = facts.targeted[name.canonicalName] { return directives }
        }
        return nil
    }

    /// The directives of a response's fields that count for this cache.
    func directives(of fields: HTTPFields) -> ResponseDirectives {
        for name in targetedFields where isShared && fields.contains(name) {
            if let directives = ResponseDirectives(targeted: fields[values: name]) { return directives }
        }
        return ResponseDirectives(fields)
    }

    /// The directives that count for this cache.
    func directives(_ facts: ResponseFacts) -> ResponseDirectives { targeted(facts) ?? facts.directives }
}
