public import Foundation
public import HTTPChainCookies
import HTTPChainCore

#if canImport(FoundationNetworking)
public import FoundationNetworking
#endif

extension Cookie {
    /// Creates a cookie from Foundation's.
    ///
    /// If the domain has a leading dot, the hosts below it receive the cookie, too. If Foundation doesn't have
    /// `SameSite`, as on Linux, it is unspecified.
    ///
    /// - Parameters:
    ///   - cookie: Foundation's cookie.
    ///   - created: The creation date, which Foundation doesn't provide; now by default.
    public init(_ cookie: HTTPCookie, created: Date = Date()) {
        var sameSite = SameSite.unspecified
        #if !canImport(FoundationNetworking)
        if cookie.sameSitePolicy == .sameSiteLax { sameSite = .lax }
        if cookie.sameSitePolicy == .sameSiteStrict { sameSite = .strict }
        #endif
        self.init(
            cookie.name,
            Secret(cookie.value),
            domain: cookie.domain,
            isHostOnly: !cookie.domain.begins(with: "."),
            path: cookie.path.utf8.first == UInt8(ascii: "/") ? cookie.path : "/",
            expires: cookie.isSessionOnly ? nil : cookie.expiresDate,
            isSecure: cookie.isSecure,
            isHTTPOnly: cookie.isHTTPOnly,
            sameSite: sameSite,
            created: created
        )
    }
}

extension HTTPCookie {
    /// Creates Foundation's cookie from a jar's.
    ///
    /// On Linux, Foundation can't store ``/HTTPChainCookies/Cookie/sameSite``.
    ///
    /// - Parameter cookie: The jar's cookie. Returns nil for a partitioned one, which Foundation would send in every
    ///   partition, and for one that Foundation refuses, such as a cookie without a name on Apple's systems.
    public convenience init?(_ cookie: Cookie) {
        guard cookie.partition == nil else { return nil }
        var properties: [HTTPCookiePropertyKey: Any] = [
            .name: cookie.name, .value: cookie.value.revealed, .path: cookie.path, .version: "0",
            .domain: (cookie.isHostOnly ? "" : ".") + cookie.domain,
        ]
        if let expires = cookie.expires { properties[.expires] = expires } else { properties[.discard] = "TRUE" }
        if cookie.isSecure { properties[.secure] = "TRUE" }
        // Foundation has no constant for this key, which is the attribute's name.
        if cookie.isHTTPOnly { properties[HTTPCookiePropertyKey("HttpOnly")] = "TRUE" }
        #if !canImport(FoundationNetworking)
        switch cookie.sameSite {
        case .lax: properties[.sameSitePolicy] = HTTPCookieStringPolicy.sameSiteLax
        case .strict: properties[.sameSitePolicy] = HTTPCookieStringPolicy.sameSiteStrict
        case .none, .unspecified: break
        }
        #endif
        self.init(properties: properties)
    }
}
