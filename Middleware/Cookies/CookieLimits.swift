/// The limits of a jar.
///
/// The defaults are those of RFC 6265bis (§5.6, §6.1) and, for the limits of a message, curl's.
public struct CookieLimits: Sendable, Hashable {
    /// The maximum size of a `Set-Cookie` field, in bytes; 5,000 by default.
    package var field = 5_000
    /// The maximum size of name and value together, in bytes; 4,096 by default.
    public var pair = 4_096
    /// The maximum size of an attribute's value, in bytes; 1,024 by default.
    ///
    /// A longer attribute is ignored.
    package var attribute = 1_024
    /// The maximum number of `Set-Cookie` fields read from a response; 50 by default.
    package var fieldsPerResponse = 50
    /// The maximum number of cookies per domain; 50 by default.
    ///
    /// The least recently used ones are evicted.
    public var perDomain = 50
    /// The maximum number of cookies in the jar; 3,000 by default.
    ///
    /// The least recently used ones are evicted.
    public var total = 3_000
    /// The maximum number of cookies in a request; 150 by default.
    package var perRequest = 150
    /// The maximum size of a request's `Cookie` field, in bytes; 8,190 by default.
    package var requestField = 8_190
    /// The maximum lifetime of a cookie, in days; 400 by default (RFC 6265bis §5.5).
    public var days = 400

    package static let standard = CookieLimits()

    /// Creates the default limits.
    public init() {}
}
