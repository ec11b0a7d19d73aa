/// How much a jar accepts, keeps and sends.
///
/// The defaults are those of RFC 6265bis (§5.6, §6.1) and, for a message, curl's.
public struct CookieLimits: Sendable, Hashable {
    /// How long a `Set-Cookie` field may be, in bytes; 5,000 by default.
    public var field = 5_000
    /// How long name and value may be together, in bytes; 4,096 by default.
    public var pair = 4_096
    /// How long the value of an attribute may be, in bytes; 1,024 by default; a longer one is ignored.
    public var attribute = 1_024
    /// How many `Set-Cookie` fields of one response are read; 50 by default.
    public var fieldsPerResponse = 50
    /// How many cookies one domain may have; 50 by default; the least recently used ones are evicted.
    public var perDomain = 50
    /// How many cookies the jar may have; 3,000 by default; the least recently used ones are evicted.
    public var total = 3_000
    /// How many cookies one request carries; 150 by default.
    public var perRequest = 150
    /// How long the `Cookie` field of a request may be, in bytes; 8,190 by default.
    public var requestField = 8_190
    /// How long a cookie may live, in days; 400 by default (RFC 6265bis §5.5).
    public var days = 400

    /// The default limits.
    public static let standard = CookieLimits()

    /// Makes the default limits, to be changed.
    public init() {}
}
