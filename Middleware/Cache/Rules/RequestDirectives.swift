import HTTPChainSupport
import HTTPTypes

/// The directives of a request to caches: `Cache-Control` (RFC 9111 §5.2.1), and `Pragma` where there is none (§5.4);
/// and which of its fields make the answer other than the stored response as it is.
struct RequestDirectives: Equatable, Sendable {
    var maxAge: Int64?
    var minFresh: Int64?
    /// `DeltaSeconds.largest` where any staleness is accepted.
    var maxStale: Int64?
    var noCache = false
    var noStore = false
    var onlyIfCached = false
    /// RFC 5861 §4.
    var staleIfError: Int64?
    /// If-None-Match or If-Modified-Since: conditions that a cache evaluates, RFC 9111 §4.3.2.
    var hasCondition = false
    /// If-Match or If-Unmodified-Since: conditions that only the server evaluates.
    var hasServerPrecondition = false
    var hasRange = false

    init() {}

    init(_ fields: HTTPFields) {
        var hasCacheControl = false
        var isPragmatic = false
        for field in fields {
            // Most fields are none of these, as their first letter tells.
            switch field.name.canonicalName.utf8.first {
            case UInt8(ascii: "c"), UInt8(ascii: "i"), UInt8(ascii: "p"), UInt8(ascii: "r"): break
            default: continue
            }
            switch field.name {
            case .cacheControl:
                hasCacheControl = true
                for directive in DirectiveScanner.directives(in: field.value) { take(directive) }
            case .pragma:
                // The grammar is that of directives, and only this one ever meant anything.
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
        // One that makes no sense asks for the newest there is.
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

    /// Whether the caller wants something newer than freshness alone would give it.
    var limitsFreshness: Bool { noCache || maxAge != nil || minFresh != nil }
}

extension HTTPField.Name {
    static let cdnCacheControl = Self(constant: "CDN-Cache-Control")
}
