public import Foundation
public import HTTPChainCookies
import HTTPChainCore

#if canImport(FoundationNetworking)
public import FoundationNetworking
#endif

extension Cookie {
    /// Makes the cookie that a cookie of Foundation's is.
    ///
    /// A domain with a leading dot is one whose hosts receive the cookie; without one only that host does. Where
    /// Foundation does not say which requests from other sites carry the cookie, as on Linux, it counts as unspecified.
    ///
    /// - Parameters:
    ///   - cookie: Foundation's.
    ///   - created: When it was first set, which Foundation does not tell; now by default.
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
    /// Makes Foundation's cookie of a jar's.
    ///
    /// On Linux Foundation has no place for ``/HTTPChainCookies/Cookie/sameSite``.
    ///
    /// - Parameter cookie: The jar's. Nil is returned for a partitioned one, which Foundation would send in every
    ///   partition, and for what Foundation refuses, such as a cookie without a name on Apple's systems.
    public convenience init?(_ cookie: Cookie) {
        guard cookie.partition == nil else { return nil }
        var properties: [HTTPCookiePropertyKey: Any] = [
            .name: cookie.name, .value: cookie.value.revealed, .path: cookie.path, .version: "0",
            .domain: (cookie.isHostOnly ? "" : ".") + cookie.domain,
        ]
        if let expires = cookie.expires { properties[.expires] = expires } else { properties[.discard] = "TRUE" }
        if cookie.isSecure { properties[.secure] = "TRUE" }
        // There is no constant for it; the key is the attribute's name.
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
