import Foundation
import HTTPChainCore

/// A cookie as a line of a jar's file.
///
/// Its dates are in seconds since 2001, like those of `Date`, so that they are exact.
struct CookieRecord: Codable {
    var name: String
    var value: String
    var domain: String
    var hostOnly: Bool
    var path: String
    var expires: Double?
    var secure: Bool
    var httpOnly: Bool
    var sameSite: Cookie.SameSite
    var partition: String?
    var created: Double
    /// The time of the last use, when the file was last changed; older files don't have it.
    var used: Double?

    init(_ kept: KeptCookie) {
        let cookie = kept.cookie
        name = cookie.name
        value = cookie.value.revealed
        domain = cookie.domain
        hostOnly = cookie.isHostOnly
        path = cookie.path
        expires = cookie.expires?.timeIntervalSinceReferenceDate
        secure = cookie.isSecure
        httpOnly = cookie.isHTTPOnly
        sameSite = cookie.sameSite
        partition = cookie.partition
        created = cookie.created.timeIntervalSinceReferenceDate
        used = kept.lastAccess.timeIntervalSinceReferenceDate
    }

    var kept: KeptCookie {
        let cookie = Cookie(
            name,
            .init(value),
            domain: domain,
            isHostOnly: hostOnly,
            path: path,
            expires: expires.map(Date.init(timeIntervalSinceReferenceDate:)),
            isSecure: secure,
            isHTTPOnly: httpOnly,
            sameSite: sameSite,
            partition: partition,
            created: Date(timeIntervalSinceReferenceDate: created)
        )
        return KeptCookie(cookie: cookie, lastAccess: Date(timeIntervalSinceReferenceDate: used ?? created))
    }
}

/// A cookie with the time of its last use, which determines eviction.
struct KeptCookie: Sendable {
    var cookie: Cookie
    var lastAccess: Date
}
