public import HTTPChainCore

/// The report of how the cache handled one response: RFC 9211, and more for people.
///
/// ``HTTPChainCore/Response/cacheStatus`` gives it; it also stands in the `Cache-Status` field.
public struct CacheStatus: Sendable, Hashable, CustomStringConvertible {
    /// Why a request went to the server, RFC 9211 §2.2.
    #if hasAttribute(nonexhaustive)
    @nonexhaustive
    #endif
    public enum Forward: String, Sendable, Hashable {
        /// The cache was told to leave the request alone.
        case bypass
        /// The method's semantics want it.
        case method
        /// Nothing was stored for the URL.
        case uriMiss = "uri-miss"
        /// The stored response is for other request fields.
        case varyMiss = "vary-miss"
        /// Nothing stored could be used.
        case miss
        /// The request's directives did not allow what is stored.
        case request
        /// The stored response was stale, or has to be validated before each use.
        case stale
        /// Only part of what was asked for was stored.
        case partial
    }

    /// The name of the cache.
    public var cache: String
    /// Whether the answer came from the store and the server was not asked before.
    public var isHit: Bool
    /// Why the server was asked; `nil` when it was not.
    public var forward: Forward?
    /// The status of the server's answer; `nil` when it was not asked, or could not be reached.
    public var forwardStatus: Int?
    /// Whether the server's answer is being stored.
    public var isStored: Bool
    /// For how many more seconds the answer is fresh, negative since it is stale; `nil` for one from the server.
    public var timeToLive: Int64?
    /// The age of the answer in seconds; `nil` for one from the server.
    public var age: Int64?
    /// By which rule.
    public var reason: CacheReason
    /// The details, in words.
    public var detail: String?

    /// Whether the content came from the store, with or without asking the server.
    public var isFromStore: Bool { age != nil }

    init(
        cache: String,
        isHit: Bool = false,
        forward: Forward? = nil,
        forwardStatus: Int? = nil,
        isStored: Bool = false,
        timeToLive: Int64? = nil,
        age: Int64? = nil,
        reason: CacheReason,
        detail: String? = nil
    ) {
        self.cache = cache
        self.isHit = isHit
        self.forward = forward
        self.forwardStatus = forwardStatus
        self.isStored = isStored
        self.timeToLive = timeToLive
        self.age = age
        self.reason = reason
        self.detail = detail
    }

    /// The member of a `Cache-Status` field, RFC 9211 §2: `HTTPChain; hit; ttl=30`.
    public var description: String {
        let isToken = cache.utf8.first.map(Self.beginsToken) == true && cache.utf8.allSatisfy(ASCII.isTokenByte)
        var text = ""
        text.reserveCapacity(64)
        text += isToken ? cache : quoted(cache)
        func append(_ parameter: String, _ value: String) {
            text += parameter
            text += value
        }
        if isHit { text += "; hit" }
        if let forward { append("; fwd=", forward.rawValue) }
        if let forwardStatus { append("; fwd-status=", String(forwardStatus)) }
        if let timeToLive { append("; ttl=", String(timeToLive)) }
        if isStored { text += "; stored" }
        if let detail { append("; detail=", quoted(detail)) }
        return text
    }

    /// The decision in words, with the section that gives the rule: "stale since 12 s; validated by the server;
    /// RFC 9111 §4.3.4".
    public var explanation: String {
        var parts: [String] = []
        if let timeToLive, reason == .stale || reason == .validated || isHit {
            parts.append(timeToLive > 0 ? "fresh for \(timeToLive) s" : "stale since \(-timeToLive) s")
        }
        if reason != .fresh || parts.isEmpty { parts.append(reason.words) }
        if let forwardStatus { parts.append("the server answered \(forwardStatus)") }
        if isStored { parts.append("stored") }
        if let detail { parts.append(detail) }
        parts.append(reason.section)
        return parts.joined(separator: "; ")
    }

    private static func beginsToken(_ byte: UInt8) -> Bool {
        (0x41...0x5A).contains(byte & 0xDF) || byte == UInt8(ascii: "*")
    }

    /// A string of structured fields, which have printable ASCII alone, RFC 8941 §3.3.3.
    private func quoted(_ text: String) -> String {
        Escaping.quotedString(String(text.unicodeScalars.filter { (0x20..<0x7F).contains($0.value) }))
    }
}

/// Carries the ``CacheStatus`` of a response.
public enum CacheStatusOption: ResponseOption {
    /// No cache had a hand in it.
    public static var defaultValue: CacheStatus? { nil }
}

/// Carries the error in place of which a stored response, or 504, was given.
public enum CacheFailure: ResponseOption {
    /// Nothing failed.
    public static var defaultValue: (any Error)? { nil }
}

extension Response {
    /// The report of how the cache handled this response; `nil` when it passed none.
    public var cacheStatus: CacheStatus? { options[CacheStatusOption.self] }

    /// The error of the exchange in place of which the cache answered; `nil` when nothing failed.
    public var cacheFailure: (any Error)? { options[CacheFailure.self] }
}

extension CacheReason {
    /// The `fwd` of RFC 9211 §2.2.
    var forward: CacheStatus.Forward {
        switch self {
        case .notStored: .uriMiss
        case .otherVariants: .varyMiss
        case .requestNoCache, .requestMaxAge, .requestMinFresh, .storedFirst: .request
        case .method: .method
        case .incomplete, .severalRanges: .partial
        case .requestContent, .serverPrecondition, .credentials, .off, .noURL: .bypass
        case .stale, .responseNoCache, .invalidated, .staleWhileRevalidate, .staleIfError, .mustRevalidate,
            .disconnected, .validated, .acceptedStale:
            .stale
        case .fresh, .onlyStored, .onlyIfCached: .miss
        }
    }
}
