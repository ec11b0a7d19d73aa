public import Foundation

extension Cookie {
    /// Creates the cookie that a `Set-Cookie` field sets, without a jar: RFC 6265bis §5.6 and §5.7.
    ///
    /// Servers remove a cookie by setting an expired one. Such a cookie is returned with its past expiry date.
    ///
    /// - Parameters:
    ///   - field: The value of the field.
    ///   - url: The URL that the response came from.
    ///   - site: The site context of the request.
    ///   - now: The current time; the system's by default.
    ///   - limits: The maximum lengths of the field and its parts.
    /// - Throws: The reason why the field sets no cookie.
    public init(
        setCookie field: String,
        from url: String,
        site: SiteContext = .sameSite,
        at now: Date = Date(),
        limits: CookieLimits = CookieLimits()
    ) throws(CookieReason) {
        guard let target = CookieTarget(url, site: site) else { throw .unknownOrigin }
        self = try CookieRules.cookie(SetCookie(field, limits: limits), for: target, at: now, limits: limits)
    }
}
