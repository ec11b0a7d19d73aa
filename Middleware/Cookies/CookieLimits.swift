/// The limits of what a jar accepts, keeps and sends.
///
/// The defaults are those of RFC 6265bis (§5.6, §6.1) and, for a message, curl's.
public struct CookieLimits: Sendable, Hashable {
    /// The largest size of a `Set-Cookie` field, in bytes; 5,000 by default.
    public var field = 5_000
    /// The largest size of name and value together, in bytes; 4,096 by default.
    public var pair = 4_096
    /// The largest size of an attribute's value, in bytes; 1,024 by default; a longer one is ignored.
    public var attribute = 1_024
    /// The number of `Set-Cookie` fields of one response that are read; 50 by default.
    public var fieldsPerResponse = 50
    /// The number of cookies that one domain may have; 50 by default; the least recently used ones are evicted.
    public var perDomain = 50
    /// The number of cookies that the jar may have; 3,000 by default; the least recently used ones are evicted.
    public var total = 3_000
    /// The number of cookies that one request carries; 150 by default.
    public var perRequest = 150
    /// The largest size of the `Cookie` field of a request, in bytes; 8,190 by default.
    public var requestField = 8_190
    /// The longest life of a cookie, in days; 400 by default (RFC 6265bis §5.5).
    public var days = 400

    /// The default limits.
    public static let standard = CookieLimits()

    /// Makes the default limits, to be changed.
    public init() {}
}
