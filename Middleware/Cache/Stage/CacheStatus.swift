public import HTTPChainCore
import HTTPChainSupport
import HTTPTypes

/// A report of how the cache handled a response: RFC 9211, with more detail for human readers.
///
/// See ``HTTPChainCore/Response/cacheStatus``. The `Cache-Status` field contains the same report.
public struct CacheStatus: Sendable, Hashable, CustomStringConvertible, DescribedValue {
    /// The reason why a request went to the server, RFC 9211 §2.2.
    package enum Forward: String, CaseIterable, Sendable, Hashable {
        /// The cache was bypassed for this request.
        case bypass
        /// The method's semantics require it.
        case method
        /// Nothing was stored for the URL.
        case uriMiss = "uri-miss"
        /// The stored response is for other request fields.
        case varyMiss = "vary-miss"
        /// No stored response could be used.
        case miss
        /// The request's directives did not allow the stored response.
        case request
        /// The stored response was stale, or requires validation before each use.
        case stale
        /// Only part of the requested content was stored.
        case partial
    }

    /// The name of the cache.
    package var cache: String
    /// Whether the response came from the store without contacting the server first.
    public var isHit = false
    /// The reason why the request was forwarded; `nil` if it wasn't.
    package var forward: Forward?
    /// The status of the server's response; `nil` if the request wasn't forwarded, or the server didn't respond.
    package var forwardStatus: Int?
    /// Whether the server's response is being stored.
    public var isStored = false
    /// The remaining number of seconds until the response is stale; negative if it is; `nil` for a response from the
    /// server.
    package var timeToLive: Int64?
    /// The age of the response in seconds; `nil` for a response from the server.
    public var age: Int64?
    /// The rule that applied.
    package var reason: CacheReason
    /// Further details in words.
    package var detail: String?

    /// Whether the content came from the store, with or without validation.
    package var isFromStore: Bool { age != nil }

    /// Adds the details of the stored response that is served after all.
    mutating func describe(_ answer: CacheAnswer) {
        timeToLive = answer.freshness.wholeTimeToLive
        age = answer.freshness.ageField
        reason = answer.reason
    }

    /// The member of a `Cache-Status` field, RFC 9211 §2: `HTTPChain; hit; ttl=30`.
    package var words: String {
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

    /// A structured-field string, which allows only printable ASCII, RFC 8941 §3.3.3.
    private func quoted(_ text: String) -> String {
        Escaping.quotedString(String(text.unicodeScalars.filter { (0x20..<0x7F).contains($0.value) }))
    }
}

/// The ``CacheStatus`` of a response.
package enum CacheStatusFact: ResponseOption {
    /// No cache handled the response.
    package static var defaultValue: CacheStatus? { nil }
}

/// The error for which a stored response or a 504 is the replacement.
package enum CacheFailureFact: ResponseOption {
    /// Nothing failed.
    package static var defaultValue: (any Error)? { nil }
}

extension Response {
    /// The report of how the cache handled this response; `nil` if there was no cache.
    public var cacheStatus: CacheStatus? { options[CacheStatusFact.self] }

    /// The error that the cache's response replaced; `nil` if nothing failed.
    public var cacheFailure: (any Error)? { options[CacheFailureFact.self] }
}

extension CacheReason {
    /// The value of `fwd`, RFC 9211 §2.2.
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
