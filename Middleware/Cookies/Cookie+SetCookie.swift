public import Foundation

extension Cookie {
    /// Makes the cookie that a `Set-Cookie` field sets, with no jar: RFC 6265bis §5.6 and §5.7.
    ///
    /// A cookie that has already ended is how a server removes one; it is returned with its end in the past.
    ///
    /// - Parameters:
    ///   - field: The value of the field.
    ///   - url: The URL that answered.
    ///   - site: On whose behalf the request was sent.
    ///   - now: The time; the system's by default.
    ///   - limits: How long the field and its parts may be.
    /// - Throws: The reason why the field sets none.
    public init(
        setCookie field: String,
        from url: String,
        site: SiteContext = .sameSite,
        at now: Date = Date(),
        limits: CookieLimits = .standard
    ) throws(CookieReason) {
        guard let target = CookieTarget(url, site: site) else { throw .unknownOrigin }
        self = try CookieRules.cookie(SetCookie(field, limits: limits), for: target, at: now, limits: limits)
    }
}
