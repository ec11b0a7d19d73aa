import HTTPChainSupport
package import HTTPTypes

/// The cache directives of a request: `Cache-Control` (RFC 9111 §5.2.1), or `Pragma` if that is absent (§5.4).
///
/// Also whether conditions or ranges affect the response.
package struct RequestDirectives: Equatable, Sendable {
    package var maxAge: Int64?
    package var minFresh: Int64?
    /// The accepted staleness; `DeltaSeconds.largest` if any is accepted.
    package var maxStale: Int64?
    package var noCache = false
    package var noStore = false
    package var onlyIfCached = false
    /// RFC 5861 §4.
    package var staleIfError: Int64?
    /// If-None-Match or If-Modified-Since: conditions evaluated by a cache, RFC 9111 §4.3.2.
    var hasCondition = false
    /// If-Match or If-Unmodified-Since: conditions evaluated only by the server.
    var hasServerPrecondition = false
    var hasRange = false

    package init(_ fields: HTTPFields) {
        var hasCacheControl = false
        var isPragmatic = false
        for field in fields {
            // Most fields are ruled out by their first letter.
            switch field.name.canonicalName.utf8.first {
            case UInt8(ascii: "c"), UInt8(ascii: "i"), UInt8(ascii: "p"), UInt8(ascii: "r"): break
            default: continue
            }
            switch field.name {
            case .cacheControl:
                hasCacheControl = true
                for directive in DirectiveScanner.directives(in: field.value) { take(directive) }
            case .pragma:
                // `Pragma` has the grammar of directives; `no-cache` is the only one ever defined.
                isPragmatic =
                    isPragmatic || DirectiveScanner.directives(in: field.value).contains { $0.name == "no-cache" }
            case .ifNoneMatch, .ifModifiedSince: hasCondition = true
            case .ifMatch, .ifUnmodifiedSince: hasServerPrecondition = true
            case .range: hasRange = true
            default: break
            }
        }
        if !hasCacheControl, isPragmatic { noCache = true }
    }

    private mutating func take(_ directive: ScannedDirective) {
        let seconds = DeltaSeconds(directive.argument).seconds
        switch directive.name {
        // An invalid value counts as 0, which requests the newest response.
        case "max-age": maxAge = maxAge ?? seconds ?? 0
        case "min-fresh": minFresh = minFresh ?? seconds
        case "max-stale": maxStale = maxStale ?? (directive.argument == .none ? DeltaSeconds.largest : seconds)
        case "no-cache": noCache = true
        case "no-store": noStore = true
        case "only-if-cached": onlyIfCached = true
        case "stale-if-error": staleIfError = staleIfError ?? seconds
        default: break
        }
    }

    /// Whether the caller requires more than a fresh response.
    package var limitsFreshness: Bool { noCache || maxAge != nil || minFresh != nil }
}

extension HTTPField.Name {
    package static let cdnCacheControl = Self(constant: "CDN-Cache-Control")
}
